"""Dialect A: `models` with `elements`, and the terms, links and deprecation at the root."""

from typing import Any

from floe.contract.formats.dialects import parts
from floe.contract.formats.dialects.column import fields, named
from floe.contract.formats.text.section import DocumentSection
from floe.lang.quantity import parse_quantity
from floe.model import List, Map, Place
from floe.model.yaml_text import add, custom, made, maps

_DATASET = (
    *("physicalName", "businessName", "dataGranularityDescription", "relationships"),
    *("description", "tags", "authoritativeDefinitions", "quality", "customProperties"),
)
_DBT = {"config-version", "profile", "model-paths"}
_DEPRECATION = {"sunset_date": "sunsetDate", "sunsetDate": "sunsetDate"}


def recognises(tree: Map) -> bool:
    """Whether a document is written in this dialect."""
    models = "models" in tree and not isinstance(tree["models"], List)
    return models and not isinstance(tree.get("schema"), List) and not _DBT & set(tree)


def convert(source: DocumentSection) -> Map:
    """The document as an ODCS tree."""
    out = parts.head(source)
    models = source.node["models"]
    _identity(source, out, list(models) if isinstance(models, Map) else [])
    parts.status(source, out)
    parts.owner(source, out)
    parts.description(source, out)
    parts.same(source, out)
    for name, place, model in source.entries("models"):
        add(out, "schema", dataset(model, name, place))
    qualify = qualifier(source)
    _levels(source, out, qualify)
    _terms(source.section("terms"), out)
    _deprecation(source, out)
    _links(source, out)
    source.keep(out)
    return out


def _identity(source: DocumentSection, out: Map, models: list[str]) -> None:
    source.move("product", out, "dataProduct")
    for key in ("domain", "dataProduct", "name"):
        source.move(key, out)
    domain, product = (str(out[key]) if out.get(key) else "default" for key in ("domain", "dataProduct"))
    name = str(out.get("name") or (models[0] if models else "default"))
    prefix = f"{domain}-{product}-"
    if name.replace("_", "-").startswith(prefix.replace("_", "-")):
        name = name[len(prefix) :]
    source.move("id", out)
    if "id" not in out:
        out.put("id", parts.urn(domain, product, name), source.place_of("name"))


def dataset(source: DocumentSection, name: str, at: Place) -> Map:
    """A model as an ODCS schema object."""
    out = Map(source.place)
    named(out, name, at)
    out.put("logicalType", "object", source.place)
    source.move("type", out, "physicalType")
    if "physicalType" not in out:
        out.put("physicalType", "table", source.place)
    parts.same(source, out, _DATASET)
    out.put("properties", fields(source), source.place)
    source.keep(out)
    return out


def qualifier(source: DocumentSection) -> parts.Qualify:
    """How a column's name becomes `dataset.column`: by the dataset that has it, else by the first."""
    models = source.node.get("models")
    known = {
        name: [column for key in ("elements", "fields") for column in _columns(model.get(key))]
        for name, model in (models.items() if isinstance(models, Map) else ())
        if isinstance(model, Map)
    }

    def qualify(name: str) -> str:
        owner = next((model for model, columns in known.items() if name in columns), next(iter(known), None))
        return name if "." in name or owner is None else f"{owner}.{name}"

    return qualify


def _columns(value: Any) -> list[Any]:
    """The names of columns, whether they are keys or entries of a list."""
    return list(value) if isinstance(value, Map) else [column.get("name") for column in maps(value)]


def _levels(source: DocumentSection, out: Map, qualify: parts.Qualify) -> None:
    value = source.node.get("slaProperties")
    if isinstance(value, List):
        source.move("slaProperties", out)
    else:
        parts.levels(source.section("slaProperties"), out, qualify, "sla")


def _terms(source: DocumentSection, out: Map) -> None:
    parts.description(source, out, "usage", "usage")
    parts.description(source, out, "limitations", "limitations")
    text = source.node.get("retention")
    if isinstance(text, str):
        try:
            read = parse_quantity(text)
        except ValueError:
            source.keep(out, "terms")
            return
        source.take("retention")
        entry = made(
            source.place_of("retention"),
            id="retention",
            property="retention",
            value=read.value,
            unit=read.unit or None,
            description=text,
        )
        add(out, "slaProperties", entry)
    source.keep(out, "terms")


def _deprecation(source: DocumentSection, out: Map) -> None:
    section = source.section("deprecation")
    guide = section.node.get("migration_guide", section.node.get("migrationGuide"))
    if isinstance(guide, str):
        key = "migration_guide" if "migration_guide" in section.node else "migrationGuide"
        section.take(key)
        place = section.place_of(key)
        add(out, "authoritativeDefinitions", made(place, type="migrationGuide", url=guide))
    value = Map(section.place)
    for key in list(section.left):
        section.move(key, value, _DEPRECATION.get(key, key))
    if value:
        custom(out, "deprecation", value, section.place)


def _links(source: DocumentSection, out: Map) -> None:
    kept = List(source.place_of("links"))
    for link in source.sections("links"):
        entry = Map(link.place)
        parts.same(link, entry, ("type", "url", "description", "id"))
        if "type" not in entry:
            entry.put("type", "link", link.place)
        if link.left or "url" not in entry:
            kept.add(link.node, link.place)  # more or less than ODCS can say of a link
        else:
            add(out, "authoritativeDefinitions", entry)
    if kept:
        custom(out, "links", kept, kept.place)
