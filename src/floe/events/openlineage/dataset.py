"""A table as OpenLineage names and describes it."""

import re
from collections.abc import Mapping
from typing import Any

from floe.events.openlineage.facet import facet, text
from floe.model.result import FAIL, PASS, Outcome, Result
from floe.model.types import Array, MapOf, Struct, Type

_LOCATION = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]*):/*(?P<host>[^/]*)(?P<path>/.*)?")
# stores of objects, whose keys begin without a slash; one spelling of those that have several
_STORES = {
    **dict.fromkeys(("s3", "s3a", "s3n"), "s3"),
    **dict.fromkeys(("abfs", "abfss"), "abfss"),
    **dict.fromkeys(("wasb", "wasbs"), "wasbs"),
    "gs": "gs",
}
_PASSWORD = re.compile(r"//[^/@]*:[^/@]*@")
Name = tuple[str, str]


def place_name(location: str) -> Name:
    """The namespace and name of a folder.

    >>> place_name("/lake/orders")
    ('file', '/lake/orders')
    >>> place_name("s3a://lake/silver/orders/")
    ('s3://lake', 'silver/orders')
    """
    location = _PASSWORD.sub("//", location)
    if re.match(r"file:|/", location):
        path = re.sub("^file:/*", "/", location)
        return "file", path.rstrip("/") or "/"
    found = _LOCATION.fullmatch(location)
    if not found:
        return "file", location
    scheme, path = found["scheme"].lower(), (found["path"] or "/").rstrip("/")
    if scheme in _STORES:
        return f"{_STORES[scheme]}://{found['host']}", path.lstrip("/") or "/"
    return f"{scheme}://{found['host']}", path or "/"


def table_name(name: str, catalogs: Mapping[str, Any], namespace: str) -> Name:
    """The namespace and name of a catalog's table: that of the catalog, where the settings know it.

    >>> table_name("ice.silver.orders", {"ice": {"uri": "http://me:pw@rest:8181"}}, "floe")
    ('http://rest:8181', 'silver.orders')
    """
    catalog, _, rest = name.partition(".")
    known = catalogs.get(catalog) or {}
    place = known.get("uri") or known.get("warehouse")
    return (_PASSWORD.sub("//", str(place)), rest) if place and rest else (namespace, name)


def dataset(result: Result, location: str | None, catalogs: Mapping[str, Any], namespace: str) -> dict[str, Any]:
    """A result's table: by its place, with its name as a link, else by its name, else by the contract."""
    target = result.target
    by_name = table_name(target.name, catalogs, namespace) if target and target.name else None
    by_place = place_name(place) if (place := _place(result, location)) else None
    name = by_place or by_name or (namespace, f"{result.contract}/{result.dataset}")
    facets: dict[str, Any] = {}
    if result.schema:
        facets["schema"] = facet("SchemaDatasetFacet", fields=_fields(result.schema))
    if by_place and by_name:
        link = {"namespace": by_name[0], "name": by_name[1], "type": "TABLE"}
        facets["symlinks"] = facet("SymlinksDatasetFacet", identifiers=[link])
    return {"namespace": name[0], "name": name[1], "facets": facets}


def _place(result: Result, location: str | None) -> str | None:
    """The location of the table if known: a write uses its table's name if it has no location yet."""
    said = location or result.location or (result.target.path if result.target else None)
    return said if said and ("/" in said or not result.target or not result.target.name) else None


def versioned(described: dict[str, Any], snapshot: str | None) -> dict[str, Any]:
    """A dataset as it was at a snapshot, where there is one."""
    if snapshot is None:
        return described
    version = facet("DatasetVersionDatasetFacet", datasetVersion=snapshot)
    return {**described, "facets": {**described["facets"], "version": version}}


def _fields(schema: Struct) -> list[dict[str, Any]]:
    found = []
    for position, member in enumerate(schema.members, 1):
        below = _inside(member.type)
        kind = {"name": member.name, "type": str(member.type), "ordinal_position": position}
        found.append({**kind, "fields": _fields(below)} if below else kind)
    return found


def _inside(kind: Type) -> Struct | None:
    """The struct that a type is, or holds many of."""
    match kind:
        case Struct():
            return kind
        case Array(element):
            return _inside(element)
        case MapOf(_, value):
            return _inside(value)
    return None


def assertions(result: Result) -> dict[str, Any]:
    """The outcomes as the facet of a dataset; expectations that were not evaluated are not part of it."""
    judged = [outcome for outcome in result.expectations if outcome.outcome in (PASS, FAIL)]
    return {"dataQualityAssertions": facet("DataQualityAssertionsDatasetFacet", assertions=[*map(_assertion, judged)])}


def _assertion(outcome: Outcome) -> dict[str, Any]:
    column = outcome.field.partition(".")[2]
    said = {"column": column or None, "expected": text(outcome.expected), "actual": text(outcome.actual)}
    kept = {key: value for key, value in said.items() if value is not None}
    severity = {"severity": str(outcome.severity), "name": outcome.id}
    return {"assertion": outcome.name, "success": outcome.outcome == PASS, **kept, **severity}
