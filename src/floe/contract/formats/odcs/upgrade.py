"""A v3.1 document with the words that v3.2 added."""

import re
from typing import Any

from floe.contract.formats.odcs import known_keys, value_at
from floe.contract.formats.odcs.forms import ADDED, FLOE_NAMES, NEW_SERVERS, SEMANTIC, drop, map_of, walk
from floe.model import List, Map, Step
from floe.model.yaml_text import add, copy, made, maps, tree

_PATH = re.compile(r"([A-Za-z]+)(\[(\d+)\])?(\.|$)")
_ENUM_RULE = {"id", "type", "metric", "arguments", "mustBe", "dimension"}
_SCALARS = (str, int)


def raised(lower: Map) -> Map:
    """The document as v3.2 says it, with what v3.1 held in customProperties at its own place."""
    out: Map = copy(lower)
    out.put("apiVersion", "v3.2.0", out.value_places["apiVersion"])
    _put_back(out)
    _from_custom(out, ADDED["root"])
    for index, server in enumerate(maps(out.get("servers"))):
        _server(out, server, index)
    for dataset in maps(out.get("schema")):
        _dataset(dataset)
    walk(out, _vendors)
    return out


def _server(out: Map, server: Map, index: int) -> None:
    """A server that v3.1 had no kind for, or none with these values, with the keys that belong to it."""
    if server.get("type") != "custom":
        return
    kind = _custom_value(server, "serverType")
    if kind in (*NEW_SERVERS, "athena") or (isinstance(kind, str) and _text_port(server)):
        server.put("type", _take_custom(server, "serverType"), server.value_places["type"])
    elif not _text_port(server):
        return
    known = known_keys("v3.2.0", out, ("servers", index))
    for name in [str(entry.get("property")) for entry in maps(server.get("customProperties"))]:
        if name in known and name not in server:
            server.put(name, _take_custom(server, name), server.place)


def _text_port(server: Map) -> bool:
    return isinstance(_custom_value(server, "port"), str)


def _custom_value(node: Map, name: str) -> Any:
    return next((e.get("value") for e in maps(node.get("customProperties")) if e.get("property") == name), None)


def _take_custom(node: Map, name: str) -> Any:
    entries = node["customProperties"]
    index = next(i for i, e in enumerate(entries) if isinstance(e, Map) and e.get("property") == name)
    value = entries[index].get("value")
    del entries[index], entries.item_places[index]
    if not entries:
        drop(node, "customProperties")
    return value


def _from_custom(node: Map, names: tuple[str, ...]) -> None:
    for name in names:
        value = _custom_value(node, name)
        if value is not None and name not in node and _shaped(name, value):
            node.put(name, _take_custom(node, name), node.place)


def _shaped(name: str, value: Any) -> bool:
    """Whether a value is what v3.2 has under this name."""
    match name:
        case "deprecated":
            return isinstance(value, bool)
        case "synonyms":
            return isinstance(value, List) and all(isinstance(s, Map) and "synonym" in s for s in value)
        case "context":
            return isinstance(value, str | Map)
        case "id":
            return isinstance(value, str)
    return isinstance(value, List)


def _put_back(out: Map) -> None:
    """What stands at the root by its path, at that path."""
    for entry in list(maps(out.get("customProperties"))):
        name = str(entry.get("property"))
        path = _path(name)
        if path and name.startswith("slaProperties["):
            where = value_at(out, path[:-1])
            if isinstance(where, Map) and path[-1] not in where:
                where.put(str(path[-1]), _take_custom(out, name), entry.place)


def _path(text: str) -> tuple[Step, ...]:
    """The steps of a dotted path; empty where the text is none.

    >>> _path("slaProperties[0].customProperties")
    ('slaProperties', 0, 'customProperties')
    """
    steps: list[Step] = []
    end = 0
    while end < len(text):
        match = _PATH.match(text, end)
        if not match:
            return ()
        steps += [match[1], *([int(match[3])] if match[3] else [])]
        end = match.end()
    return tuple(steps)


def _dataset(node: Map) -> None:
    _from_custom(node, (*ADDED["object"], "id", "relationships"))
    for entry in maps(node.get("relationships")):
        _from_custom(entry, ("id",))
    for below in maps(node.get("properties")):
        _property(below)
    for kind, name in SEMANTIC.items():
        entries = _custom_value(node, name)
        if isinstance(entries, List) and entries and all(_is_measure(entry) for entry in entries):
            for entry in _take_custom(node, name):
                add(node, "properties", _measure(entry, kind))


def _is_measure(entry: Any) -> bool:
    return (
        isinstance(entry, Map)
        and set(entry)
        <= {"name", "expression", "description", "businessName", "logicalType", "physicalType", "synonyms", "id"}
        and all(isinstance(entry.get(key), str) for key in ("name", "expression"))
        and isinstance(entry.get("description", ""), str)
    )


def _measure(entry: Map, kind: str) -> Map:
    out = Map(entry.place)
    for key, value in entry.items():
        name = "transformLogic" if key == "expression" else key
        out.put(name, value, entry.value_places[key], entry.key_places[key])
    out.put("semanticType", kind, entry.place)
    return out


def _property(node: Map) -> None:
    _from_custom(node, (*ADDED["property"], "id", "relationships"))
    _enum(node)
    _map(node)
    _vector(node)
    for rule in maps(node.get("quality")):
        _from_custom(rule, ("id",))
    for entry in maps(node.get("relationships")):
        _from_custom(entry, ("id",))
    for below in maps(node.get("properties")):
        _property(below)
    if isinstance(node.get("items"), Map):
        _property(node["items"])


def _enum(node: Map) -> None:
    """The rule that lists values, where it says no more than a list."""
    rules = node.get("quality")
    index = next((i for i, rule in enumerate(maps(rules)) if _lists(rule, str(node.get("name")))), None)
    if index is None or not isinstance(rules, List) or "enum" in node:
        return
    values = rules[index]["arguments"]["validValues"]
    details = _custom_value(node, "enum")
    if isinstance(details, List) and [e.get("value") if isinstance(e, Map) else e for e in details] == values:
        _take_custom(node, "enum")
    else:
        details = tree([{"value": value} for value in values], rules.item_places[index])
    node.put("enum", details, rules.item_places[index])
    del rules[index], rules.item_places[index]
    if not rules:
        drop(node, "quality")


def _lists(rule: Map, name: str) -> bool:
    arguments = rule.get("arguments")
    values = arguments.get("validValues") if isinstance(arguments, Map) and len(arguments) == 1 else None
    return (
        rule.get("metric") == "invalidValues"
        and set(rule) <= _ENUM_RULE
        and type(rule.get("mustBe")) is int
        and rule["mustBe"] == 0
        and rule.get("id") in (None, f"{name}_values")
        and rule.get("dimension") in (None, "conformity")
        and isinstance(values, List)
        and bool(values)
        and all(isinstance(value, _SCALARS) for value in values)
        and len({(type(value), value) for value in values}) == len(values)
    )


def _map(node: Map) -> None:
    simple = map_of(node.get("physicalType")) if node.get("logicalType") == "object" else None
    detail = _custom_value(node, "map") if node.get("logicalType") == "object" else None
    if (simple is None and detail is None) or "properties" in node:
        return
    place = node.value_places["logicalType"]
    if isinstance(detail, Map) and {"key", "value"} <= set(detail):
        _take_custom(node, "map")
        for part in ("key", "value"):
            if isinstance(detail[part], Map):
                _property(detail[part])
        node.put("map", detail, detail.place)
    elif simple is not None:
        node.put("map", made(place, **simple), place)
    else:
        return
    node.put("logicalType", "map", place, node.key_places["logicalType"])


def _vector(node: Map) -> None:
    options = _custom_value(node, "vector")
    if node.get("logicalType") == "array" and isinstance(options, Map) and "logicalTypeOptions" not in node:
        place = node.value_places["logicalType"]
        node.put("logicalTypeOptions", _take_custom(node, "vector"), options.place)
        node.put("logicalType", "vector", place, node.key_places["logicalType"])
        drop(node, "items")


def _vendors(node: Map) -> None:
    """Say whose the custom properties are."""
    named = _custom_value(node, "customPropertyVendors")
    vendors = _take_custom(node, "customPropertyVendors") if isinstance(named, Map) else {}
    for entry in maps(node.get("customProperties")):
        name = str(entry.get("property"))
        vendor = vendors.get(name, "floe" if name in FLOE_NAMES else None)
        if vendor is not None and "vendor" not in entry:
            entry.put("vendor", vendor, entry.place)
