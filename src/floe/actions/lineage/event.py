"""One OpenLineage event as rows of lineage."""

from collections.abc import Iterator, Mapping
from typing import Any

_Column = tuple[str, str | None]  # a table and its column, where one is named
# what did not come to its end wrote nothing
_FAILED = ("FAIL", "ABORT")


class NoEventError(ValueError):
    """A document is no OpenLineage event."""


def event_rows(event: Any, now: str) -> Iterator[dict[str, Any]]:
    """Which column of an output comes from which column of an input; only the tables if the event has no columns.

    A source column without target column affects every row of the target (a filter, a join).
    """
    if isinstance(event, NoEventError):
        raise event
    if not isinstance(event, dict):
        raise NoEventError(f"not an OpenLineage event: {type(event).__name__} instead of an object")
    job = _job(event)
    inputs, outputs = _datasets(event, "inputs"), _datasets(event, "outputs")
    if str(event.get("eventType", "")).upper() in _FAILED:
        return
    at, sources = str(event.get("eventTime") or now), list(dict.fromkeys(map(table_name, inputs)))
    for output in outputs:
        for source, target in _pairs(output, sources):
            if source[0] != target[0]:
                yield _row(source, target, job, at)


def _pairs(output: Mapping[str, Any], sources: list[str]) -> Iterator[tuple[_Column, _Column]]:
    """Sources and targets: columns, else tables alone."""
    target, said = table_name(output), set()
    for source, column, field in _columns(output):
        said.add(source)
        yield (source, column), (target, field)
    yield from (((source, None), (target, None)) for source in sources if source not in said)


def _row(source: _Column, target: _Column, job: str, at: str) -> dict[str, Any]:
    row = {"source_table": source[0], "source_column": source[1], "target_table": target[0]}
    return {**row, "target_column": target[1], "job": job, "at": at}


def _job(event: Mapping[str, Any]) -> str:
    job = event.get("job")
    if not isinstance(job, dict) or not job.get("name"):
        raise NoEventError("not an OpenLineage event: it has no job")
    return f"{job.get('namespace') or 'default'}/{job['name']}"


def _datasets(event: Mapping[str, Any], side: str) -> list[Mapping[str, Any]]:
    found = event.get(side) or []
    if not isinstance(found, list) or not all(isinstance(value, dict) and value.get("name") for value in found):
        raise NoEventError(f"not an OpenLineage event: its {side} are not datasets with names")
    return found


def _columns(output: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """Source table, source column and target column of each pair that the columnLineage facet has."""
    facets = output.get("facets")
    facet = facets.get("columnLineage") if isinstance(facets, dict) else None
    fields = facet.get("fields") if isinstance(facet, dict) else None
    for name, said in fields.items() if isinstance(fields, dict) else ():
        inputs = said.get("inputFields") if isinstance(said, dict) else None
        yield from _sources(inputs, str(name))
    yield from _sources(facet.get("dataset") if isinstance(facet, dict) else None, None)


def _sources(inputs: Any, field: str | None) -> Iterator[tuple[str, str, str | None]]:
    for value in inputs if isinstance(inputs, list) else ():
        if not isinstance(value, dict) or not value.get("name") or not value.get("field"):
            raise NoEventError(f"columnLineage of '{field or 'the dataset'}' has an input without name and field")
        yield table_name(value), str(value["field"]), field


def table_name(dataset: Mapping[str, Any]) -> str:
    """The table of a dataset: its catalog name if the event has one, else namespace and name.

    >>> table_name({"namespace": "file", "name": "/lake/orders"})
    '/lake/orders'
    >>> table_name({"namespace": "s3://lake", "name": "silver/orders"})
    's3://lake/silver/orders'
    """
    facets = dataset.get("facets")
    links = facets.get("symlinks") if isinstance(facets, dict) else None
    named = links.get("identifiers") if isinstance(links, dict) else None
    for link in named if isinstance(named, list) else ():
        if isinstance(link, dict) and link.get("type") == "TABLE" and link.get("name"):
            return str(link["name"])
    namespace, name = str(dataset.get("namespace") or ""), str(dataset["name"])
    if namespace in ("", "file", "floe"):
        return name
    return f"{namespace.rstrip('/')}/{name.lstrip('/')}"
