"""The older Data Contract Specification, 0.9.x and 1.x."""

from typing import Any

from floe.contract.formats.dialects import parts
from floe.contract.formats.dialects.a import dataset, qualifier
from floe.contract.formats.odcs import OPERATORS
from floe.contract.formats.text.section import DocumentSection
from floe.model import List, Map, Place
from floe.model.yaml_text import add, custom, made, maps

_REFERENCE = "#/definitions/"
_MEMBERS = ("fields", "items", "keys", "values")
_INTERVALS = {"hourly": "1h", "daily": "1d", "weekly": "1w", "monthly": "1mo", "yearly": "1y", "annually": "1y"}
_LEVELS = {
    "availability": ("percentage",),
    "retention": ("period",),
    "latency": ("threshold",),
    "freshness": ("threshold",),
}
_ELEMENTS = ("timestampField", "processedTimestampField")


def recognises(tree: Map) -> bool:
    """Whether a document is written in this specification."""
    return "dataContractSpecification" in tree


def convert(source: DocumentSection) -> Map:
    """The document as an ODCS tree."""
    source.take("dataContractSpecification")
    out = parts.head(source)
    _models(source, out)
    source.move("id", out)
    _info(source.section("info"), out)
    _servers(source, out)
    _terms(source.section("terms"), out)
    _service_levels(source, out)
    _links(source, out)
    parts.same(source, out)
    source.keep(out)
    return out


def _info(source: DocumentSection, out: Map) -> None:
    source.move("title", out, "name")
    parts.status(source, out)
    parts.owner(source, out)
    parts.description(source, out)
    contact = source.section("contact")
    if contact.node:
        _contact(contact, out)
    parts.same(source, out)
    source.keep(out)


def _contact(source: DocumentSection, out: Map) -> None:
    name, url, email = (source.text(key) for key in ("name", "url", "email"))
    entry = made(
        source.place,
        channel=name or email or url,
        tool="email" if email and not url else None,
        scope="interactive",
        url=url or (f"mailto:{email}" if email else None),
        description=email if email and (url or name) else None,
    )
    source.keep(entry)
    add(out, "support", entry)


def _models(source: DocumentSection, out: Map) -> None:
    used: set[str] = set()
    definitions = source.node.get("definitions")
    known = definitions if isinstance(definitions, Map) else Map(source.place)
    for name, place, model in source.entries("models"):
        resolved = DocumentSection(_resolved(model.node, known, used, ()), model.at, source.findings)
        resolved.move("title", resolved.node, "businessName")
        dataset_node = dataset(resolved, name, place)
        _key_list(dataset_node, model.node)
        add(out, "schema", dataset_node)
    if set(known) - used:
        rest = DocumentSection(known, ("definitions",), source.findings)
        for name in used:
            rest.take(name)
        custom(out, "definitions", rest.rest(), known.place)
    if isinstance(definitions, Map):
        source.take("definitions")


def _key_list(out: Map, model: Map) -> None:
    """`primaryKey: [a, b]` on a model, as the keys of its columns."""
    listed = model.get("primaryKey")
    if not isinstance(listed, List):
        return
    place = model.value_places["primaryKey"]
    by_name = {column.get("name"): column for column in out["properties"]}
    if all(isinstance(name, str) and name in by_name for name in listed):
        for position, name in enumerate(listed, 1):
            by_name[name].put("primaryKey", True, place)
            by_name[name].put("primaryKeyPosition", position, place)
        custom_entries = out.get("customProperties")
        if isinstance(custom_entries, List):
            _without(custom_entries, "primaryKey")
            if not custom_entries:
                _drop(out, "customProperties")


def _without(entries: List, name: str) -> None:
    for index in reversed(range(len(entries))):
        if isinstance(entries[index], Map) and entries[index].get("property") == name:
            del entries[index], entries.item_places[index]


def _resolved(node: Map, definitions: Map, used: set[str], seen: tuple[str, ...]) -> Map:
    """A model or field with its references replaced by what they refer to, and said as ODCS says it."""
    out = Map(node.place)
    for key, value in node.items():
        out.put(key, _below(key, value, definitions, used, seen), node.value_places[key], node.key_places[key])
    _definition(out, definitions, used, seen)
    _said(out)
    return out


def _below(key: str, value: Any, definitions: Map, used: set[str], seen: tuple[str, ...]) -> Any:
    if key == "fields" and isinstance(value, Map):
        fields = Map(value.place)
        for name, field in value.items():
            below = _resolved(field, definitions, used, seen) if isinstance(field, Map) else field
            fields.put(name, below, value.value_places[name], value.key_places[name])
        return fields
    return _resolved(value, definitions, used, seen) if key in _MEMBERS and isinstance(value, Map) else value


def _definition(out: Map, definitions: Map, used: set[str], seen: tuple[str, ...]) -> None:
    reference = out.get("$ref")
    name = reference.removeprefix(_REFERENCE) if isinstance(reference, str) else ""
    definition = definitions.get(name)
    if not isinstance(definition, Map) or name in seen:
        return  # kept as it is: a reference elsewhere, or to itself
    used.add(name)
    found = _resolved(definition, definitions, used, (*seen, name))
    for key, value in found.items():
        kept = {"name": "definitionName", "domain": "definitionDomain"}.get(key, key)
        if kept not in out:
            out.put(kept, value, found.value_places[key], found.key_places[key])


def _said(out: Map) -> None:
    """Titles, keys, references to other models and personal data, as ODCS has them."""
    if isinstance(out.get("primary"), bool) and "primaryKey" not in out:
        _rename(out, "primary", "primaryKey")
    if "title" in out and "businessName" not in out and "info" not in out:
        _rename(out, "title", "businessName")
    target = out.get("references")
    if isinstance(target, str) and target.count(".") == 1 and "relationships" not in out:
        place = _rename(out, "references", "relationships")
        out["relationships"] = _one(made(place, type="foreignKey", to=target))
    if out.get("pii") is True and not isinstance(out.get("tags"), str):
        place = _rename(out, "pii", "pii")
        _drop(out, "pii")
        tags = List(place)
        for tag in (*(out.get("tags") or ()), "pii"):
            tags.add(tag, place)
        out.put("tags", tags, place)
    rules = out.get("quality")
    if isinstance(rules, List):
        out["quality"] = _rules(rules)


def _rules(rules: List) -> List:
    out = List(rules.place)
    for rule, place in zip(rules, rules.item_places, strict=True):
        out.add(_rule(rule) if isinstance(rule, Map) else rule, place)
    return out


def _rule(rule: Map) -> Map:
    """A rule as ODCS has it; a query without a comparison is documentation there."""
    if rule.get("type") != "sql" or any(key in rule for key in OPERATORS):
        return rule
    source = DocumentSection(rule, (), [])
    out = Map(rule.place)
    source.take("type")
    out.put("type", "text", rule.value_places["type"])
    parts.same(source, out, ("description", "name", "severity", "dimension", "tags"))
    source.keep(out)
    return out


def _rename(out: Map, old: str, new: str) -> Place:
    place = out.value_places[old]
    out.put(new, out[old], place, out.key_places[old])
    if old != new:
        _drop(out, old)
    return place


def _drop(out: Map, key: str) -> None:
    del out[key], out.value_places[key], out.key_places[key]


def _one(entry: Map) -> List:
    out = List(entry.place)
    out.add(entry, entry.place)
    return out


def _servers(source: DocumentSection, out: Map) -> None:
    if isinstance(source.node.get("servers"), List):
        source.move("servers", out)
        return
    for name, place, server in source.entries("servers"):
        entry = Map(server.place)
        entry.put("server", name, place)
        for key in list(server.node):
            server.move(key, entry)
        _roles(entry)
        add(out, "servers", entry)


def _roles(server: Map) -> None:
    """Roles, which have a name there and a role here."""
    for role in maps(server.get("roles")):
        if "name" in role and "role" not in role:
            _rename(role, "name", "role")


def _terms(source: DocumentSection, out: Map) -> None:
    parts.description(source, out, "usage", "usage")
    parts.description(source, out, "limitations", "limitations")
    source.keep(out, "terms")


def _service_levels(source: DocumentSection, out: Map) -> None:
    key = next((key for key in ("servicelevels", "serviceLevels") if key in source.node), "servicelevels")
    levels = source.section(key)
    qualify = qualifier(source)
    for name in list(levels.node):
        if name in _LEVELS and isinstance(levels.node[name], Map):
            _level(levels.section(name), name, out, qualify)
        elif name == "frequency" and isinstance(levels.node[name], Map):
            _frequency(levels.section(name), out)
    levels.keep(out, "servicelevels")


def _level(source: DocumentSection, name: str, out: Map, qualify: parts.Qualify) -> None:
    key = next((key for key in _LEVELS[name] if key in source.node), None)
    if key is not None:
        value = source.take(key)
        entry = parts.quantity(name, value, None, source.place_of(key))
        source.move("description", entry)
        element = next((key for key in _ELEMENTS if key in source.node), None)
        if element:
            parts.element(source, element, entry, qualify)
        add(out, "slaProperties", entry)
    if rest := source.rest():
        custom(out, f"servicelevels{name.capitalize()}", rest, source.place)


def _frequency(source: DocumentSection, out: Map) -> None:
    interval = source.node.get("interval")
    if isinstance(interval, str):
        source.take("interval")
        text = _INTERVALS.get(interval.lower(), interval)
        entry = parts.quantity("frequency", text, None, source.place_of("interval"))
        source.move("description", entry)
        if isinstance(source.node.get("cron"), str):
            source.move("cron", entry, "schedule")
            entry.put("scheduler", "cron", source.place_of("cron"))
        add(out, "slaProperties", entry)
    if rest := source.rest():
        custom(out, "servicelevelsFrequency", rest, source.place)


def _links(source: DocumentSection, out: Map) -> None:
    links = source.node.get("links")
    if isinstance(links, Map) and all(isinstance(url, str) for url in links.values()):
        source.take("links")
        for name, url in links.items():
            add(out, "authoritativeDefinitions", made(links.value_places[name], type=name, url=url))
    elif isinstance(links, List) and all("url" in link for link in maps(links)):
        kept = [link for link in maps(links) if set(link) <= {"url", "description", "type"}]
        if len(kept) == len(links):
            source.take("links")
            for link in kept:
                entry = DocumentSection(link, ("links",), source.findings)
                definition = made(link.place, type=str(link.get("type") or "link"))
                parts.same(entry, definition, ("url", "description"))
                add(out, "authoritativeDefinitions", definition)
