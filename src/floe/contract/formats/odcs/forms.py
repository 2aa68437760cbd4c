"""One ODCS document in the form of another version: v3.1 is the form that contracts are compared in."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from floe.contract.formats.dialects.column import STABLE_ID, logical
from floe.contract.formats.odcs import DIMENSIONS, OPERATORS, is_column, property_type
from floe.lang.type_text import parse_type
from floe.model import List, Map
from floe.model.types import Array, Family, MapOf, Member, Struct, Type
from floe.model.yaml_text import add, copy, custom, made, maps

METRICS = ("nullValues", "missingValues", "invalidValues", "duplicateValues", "rowCount")
NEW_SERVERS = (
    *("btrieve", "exasol", "fastobjects", "hana", "iceberg"),
    *("ingres", "poet", "teradata", "vectorwise", "versant"),
)
_LONGER = {
    "mustBeGreaterThanOrEqualTo": "mustBeGreaterOrEqualTo",
    "mustBeLessThanOrEqualTo": "mustBeLessOrEqualTo",
}
_SHORTHAND = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*")
_QUALIFIED = re.compile(
    r"(?:(?:https?://)?[A-Za-z0-9._\-/]+\.yaml#)?/?[A-Za-z_]\w*/[A-Za-z0-9_-]+(?:/[A-Za-z_]\w*/[A-Za-z0-9_-]+)*",
    re.ASCII,
)
# What v3.2 added as keys and v3.1 holds as custom properties of the same name
ADDED = {"root": ("context",), "object": ("deprecated", "synonyms", "context"), "property": ("deprecated", "synonyms")}
SEMANTIC = {"measure": "measures", "dimension": "dimensions"}
_MEMBER_KEYS = (
    *("id", "username", "name", "description", "role", "dateIn", "dateOut", "replacedByUsername"),
    *("tags", "customProperties", "authoritativeDefinitions"),
)
_MEMBER = {"integer": "bigint", "number": "double", "date": "date"}


def lowered(tree: Map) -> Map:
    """The document as v3.1 says it; what v3.1 has no word for stands in customProperties."""
    out: Map = copy(tree)
    version = str(tree.get("apiVersion"))
    out.put("apiVersion", "v3.1.0", out.value_places.get("apiVersion"))
    if isinstance(number := out.get("version"), int | Decimal) and not isinstance(number, bool):
        out["version"] = str(number)
    if out.get("status") is None:
        out.put("status", "active", out.place)
    _to_custom(out, ADDED["root"])
    _team(out)
    _levels(out)
    for server in maps(out.get("servers")):
        _server(server)
    for dataset in maps(out.get("schema")):
        _dataset(dataset, version)
    _vendors(out)
    return out


def drop(node: Map, key: str) -> Any:
    """Take a key out of a mapping."""
    node.value_places.pop(key, None)
    node.key_places.pop(key, None)
    return node.pop(key, None)


def _to_custom(node: Map, keys: tuple[str, ...]) -> None:
    for key in keys:
        if key in node:
            at, key_at = node.value_places[key], node.key_places[key]
            custom(node, key, drop(node, key), at, key_at)


def _team(out: Map) -> None:
    team = out.get("team")
    if isinstance(team, List):
        team = made(team.place, members=team)
        out.put("team", team, team.place, out.key_places["team"])
    if isinstance(team, Map) and isinstance(members := team.get("members"), List):
        for member in maps(members):
            # the two forms of team hide an unknown key from the schema's own words
            _to_custom(member, tuple(key for key in member if key not in _MEMBER_KEYS))
        nameless = [member for member in maps(members) if "username" not in member]
        if nameless:
            _replace(team, "members", [member for member in members if member not in nameless])
            custom(team, "members", made(team.place, m=nameless)["m"], team.place)


def _replace(node: Map, key: str, items: list[Any]) -> None:
    """Give a key another list of items, each of which knows its place or stands where the list stood."""
    old = node[key]
    new = List(old.place)
    for value in items:
        new.add(value, getattr(value, "place", old.place))
    if new:
        node[key] = new
    else:
        drop(node, key)


def _levels(out: Map) -> None:
    """v3.1 has no custom properties on service levels: they stand at the root, by their path."""
    for index, level in enumerate(maps(out.get("slaProperties"))):
        for key in ("customProperties", "authoritativeDefinitions"):
            if key in level:
                place = level.value_places[key]
                custom(out, f"slaProperties[{index}].{key}", drop(level, key), place)
        if isinstance(level.get("id"), str) and not STABLE_ID.fullmatch(level["id"]):
            custom(out, f"slaProperties[{index}].id", drop(level, "id"), level.place)


def _server(node: Map) -> None:
    """A server that v3.1 has no kind for, or none with these values, is a custom one that keeps its kind beside it."""
    if "staging_dir" in node and "stagingDir" not in node:
        at, key_at = node.value_places["staging_dir"], node.key_places["staging_dir"]
        node.put("stagingDir", drop(node, "staging_dir"), at, key_at)
    if isinstance(node.get("schema"), int) and not isinstance(node["schema"], bool):
        node["schema"] = str(node["schema"])
    newer = node.get("type") == "athena" and "stagingDir" not in node
    if node.get("type") in NEW_SERVERS or newer or (isinstance(node.get("port"), str) and node.get("type") != "custom"):
        custom(node, "serverType", node["type"], node.value_places["type"])
        node.put("type", "custom", node.value_places["type"], node.key_places["type"])
    if isinstance(node.get("port"), str):
        _to_custom(node, ("port",))


def _dataset(node: Map, version: str) -> None:
    _to_custom(node, ADDED["object"])
    _stable(node)
    _semantics(node)
    _quality(node)
    _relationships(node)
    for below in maps(node.get("properties")):
        _property(below, version)


def _stable(node: Map) -> None:
    if isinstance(node.get("id"), str) and not STABLE_ID.fullmatch(node["id"]):
        _to_custom(node, ("id",))


def _semantics(node: Map) -> None:
    """Measures and dimensions that are no columns: v3.1 lists them beside the properties."""
    for kind, name in SEMANTIC.items():
        found = [p for p in maps(node.get("properties")) if p.get("semanticType") == kind and not is_column(p)]
        if found:
            rest = [p for p in node["properties"] if not any(p is entry for entry in found)]
            _replace(node, "properties", rest)
            place = found[0].place
            custom(node, name, made(place, m=[_measure(p) for p in found])["m"], place)


def _measure(node: Map) -> Map:
    out = Map(node.place)
    for key, value in node.items():
        if key != "semanticType":
            name = "expression" if key == "transformLogic" else key
            out.put(name, value, node.value_places[key], node.key_places[key])
    return out


def _property(node: Map, version: str) -> None:
    if node.get("semanticType") == "column":
        drop(node, "semanticType")
    _to_custom(node, (*ADDED["property"], "semanticType"))
    _stable(node)
    _enum(node)
    for below in _parts(node):
        _property(below, version)
    if node.get("logicalType") == "map":
        _map(node, version)
    elif node.get("logicalType") == "vector":
        _vector(node)
    if version.startswith("v3.0"):
        _older(node)
    _quality(node)
    _relationships(node)


def _parts(node: Map) -> list[Map]:
    """The properties below a property: members, items, keys and values."""
    members, entries = node.get("properties"), node.get("map")
    inside = (entries.get("key"), entries.get("value")) if isinstance(entries, Map) else ()
    below = (*(members if isinstance(members, List) else ()), node.get("items"), *inside)
    return [part for part in below if isinstance(part, Map)]


def _enum(node: Map) -> None:
    listed = node.get("enum")
    if not isinstance(listed, List):
        return
    place = node.value_places["enum"]
    values = [entry.get("value") if isinstance(entry, Map) else entry for entry in listed]
    if any(isinstance(entry, Map) and len(entry) > 1 for entry in listed):
        custom(node, "enum", listed, place)
    drop(node, "enum")
    add(node, "quality", made(place, metric="invalidValues", arguments={"validValues": values}, mustBe=0))


def _map(node: Map, version: str) -> None:
    entries = node.get("map")
    place = node.value_places["logicalType"]
    if not node.get("physicalType"):
        node.put("physicalType", str(_decided(property_type(node, version))), place)
    node.put("logicalType", "object", place, node.key_places["logicalType"])
    if entries is not None:
        if entries != map_of(node["physicalType"]):
            custom(node, "map", entries, node.value_places["map"])
        drop(node, "map")


def map_of(physical: Any) -> dict[str, Any] | None:
    """The keys and values that a physical type alone says of a map."""
    try:
        parsed = parse_type(physical)
    except (ValueError, AttributeError, TypeError):
        return None
    return {"key": _said(parsed.key), "value": _said(parsed.value)} if isinstance(parsed, MapOf) else None


def _said(type_: Type) -> dict[str, Any]:
    kind, form = logical(type_)
    if kind in ("array", "object", None) or isinstance(type_, Family) or (kind == "number" and form is None):
        return {**({"logicalType": kind} if kind else {}), "physicalType": str(type_)}
    return {"logicalType": kind, **({"logicalTypeOptions": {"format": form}} if form else {})}


def _decided(type_: Type) -> Type:
    """The type with one member for each family, for where a physical type must be written."""
    match type_:
        case Family(name) if name in _MEMBER:
            return parse_type(_MEMBER[name])
        case Array(element, nullable):
            return Array(_decided(element), nullable)
        case MapOf(key, value, nullable):
            return MapOf(_decided(key), _decided(value), nullable)
        case Struct(members):
            return Struct(tuple(Member(m.name, _decided(m.type), m.nullable) for m in members))
    return type_


def _vector(node: Map) -> None:
    place = node.value_places["logicalType"]
    options = drop(node, "logicalTypeOptions") or Map(place)
    form = {"float32": "f32", "float64": "f64"}.get(str(options.get("elementType")))
    node.put("logicalType", "array", place, node.key_places["logicalType"])
    items = made(place, logicalType="number", logicalTypeOptions={"format": form} if form else None)
    node.put("items", items, place)
    custom(node, "vector", options, options.place)


def _older(node: Map) -> None:
    """Bounds and dates as v3.1 has them: an exclusive bound is a value, a date has no time."""
    options = node.get("logicalTypeOptions")
    if isinstance(options, Map):
        for bound in ("minimum", "maximum"):
            key = "exclusive" + bound.capitalize()
            if isinstance(options.get(key), bool) and drop(options, key) and bound in options:
                options.put(key, options[bound], options.value_places[bound])
                drop(options, bound)
    if node.get("logicalType") == "date" and _has_time(node):
        node.put("logicalType", "timestamp", node.value_places["logicalType"])


def _has_time(node: Map) -> bool:
    try:
        return str(parse_type(str(node.get("physicalType")))).startswith("timestamp")
    except ValueError:
        form = (node.get("logicalTypeOptions") or {}).get("format")
        return isinstance(form, str) and ("H" in form or "h" in form)


def _quality(node: Map) -> None:
    if isinstance(node.get("quality"), List):
        _replace(node, "quality", [value for rule in node["quality"] for value in _rules(rule)])


def _rules(rule: Any) -> list[Any]:
    """A rule as v3.1 has it; one with two operators becomes two."""
    if not isinstance(rule, Map):
        return [rule]
    for longer, shorter in _LONGER.items():
        if longer in rule and shorter not in rule:
            rule.put(shorter, rule[longer], rule.value_places[longer], rule.key_places[longer])
            drop(rule, longer)
    if isinstance(short := rule.get("dimension"), str):
        rule["dimension"] = DIMENSIONS.get(short, short)
    _stable(rule)
    rule = _library(rule)
    operators = [key for key in OPERATORS if key in rule]
    if len(operators) < 2 or rule.get("type") == "custom":
        return [rule]
    return [_with_operator(rule, operators, index) for index in range(len(operators))]


def _with_operator(rule: Map, operators: list[str], index: int) -> Map:
    out: Map = copy(rule)
    for other in operators:
        if other != operators[index]:
            drop(out, other)
    if index and "id" in out:
        out["id"] = f"{out['id']}_{index + 1}"
    return out


def _library(rule: Map) -> Map:
    """The rules of v3.0 that v3.1 has other words for, or none."""
    kind = rule.get("type", "library")
    if "metric" in rule and rule["metric"] not in METRICS:
        _to_custom(rule, ("metric",))
    if kind == "library" and "metric" not in rule and "rule" in rule:
        if rule["rule"] in METRICS:
            rule.put("metric", rule["rule"], rule.value_places["rule"], rule.key_places["rule"])
            drop(rule, "rule")
        else:
            return _kept_rule(rule, "custom", ("rule", "arguments", *OPERATORS))
    if kind in ("sql", "library") and not any(_compares(rule, key) for key in OPERATORS):
        return _kept_rule(rule, "custom", ("rule", "metric", "query", "arguments", *OPERATORS))
    if kind in ("sql", "library"):
        _to_custom(rule, tuple(key for key in OPERATORS if not _compares(rule, key)))
    return rule


def _compares(rule: Map, operator: str) -> bool:
    """Whether a rule has an operator with a value that v3.1 takes."""
    value = rule.get(operator)
    if operator in ("mustBe", "mustNotBe"):
        return operator in rule
    numbers = value if isinstance(value, list) else [value]
    return operator in rule and all(isinstance(n, int | Decimal) and not isinstance(n, bool) for n in numbers)


def _kept_rule(rule: Map, kind: str, keys: tuple[str, ...]) -> Map:
    """A rule that cannot be measured as it is, kept for the engine it was written for."""
    out: Map = copy(rule)
    implementation = Map(rule.place)
    for key in keys:
        if key in out:
            at, key_at = out.value_places[key], out.key_places[key]
            implementation.put(key, drop(out, key), at, key_at)
    engine = str(rule.get("type", "library"))
    out.put("type", kind, rule.value_places.get("type"))
    out.put("engine", engine, rule.place)
    out.put("implementation", implementation, rule.place)
    return out


def _relationships(node: Map) -> None:
    if not isinstance(node.get("relationships"), List):
        return
    for entry in maps(node["relationships"]):
        _to_custom(entry, ("id", "description"))
    unfit = [entry for entry in maps(node["relationships"]) if not _fits(entry)]
    if unfit:
        place = node.value_places["relationships"]
        _replace(node, "relationships", [e for e in node["relationships"] if not any(e is entry for entry in unfit)])
        custom(node, "relationships", made(place, m=unfit)["m"], place)


def _fits(entry: Map) -> bool:
    ends = [end for key in ("from", "to") if key in entry for end in _names(entry[key])]
    return all(isinstance(end, str) and (_SHORTHAND.fullmatch(end) or _QUALIFIED.fullmatch(end)) for end in ends)


def _names(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _vendors(node: Any) -> None:
    """v3.1 has no vendor on a custom property: the vendors of a list stand in one entry of it."""
    walk(node, _without_vendors)


def walk(node: Any, act: Callable[[Map], None]) -> None:
    """Do something to every mapping of a document, except inside what users fill freely."""
    if isinstance(node, Map):
        act(node)
        for key, below in node.items():
            if key not in FREE:
                walk(below, act)
    elif isinstance(node, List):
        for below in node:
            walk(below, act)


FREE = ("implementation", "arguments", "examples", "customProperties", "enum", "context")


def _without_vendors(node: Map) -> None:
    if "customProperties" not in node:
        return
    entries = maps(node["customProperties"])
    for entry in entries:
        # v3.0 asks for neither
        for key, value in (("property", "unnamed"), ("value", None)):
            if key not in entry:
                entry.put(key, value, entry.place)
    vendors = {str(e.get("property")): drop(e, "vendor") for e in entries if "vendor" in e}
    foreign = {name: vendor for name, vendor in vendors.items() if (name, vendor) not in FLOE_VENDOR}
    if foreign:
        custom(node, "customPropertyVendors", made(node.place, **foreign), node.place)


# floe's names for what ODCS cannot say; in v3.2 they carry vendor: floe
FLOE_NAMES = (
    *("lifecycleState", "deprecation", "extends", "previousVersion", "layer", "schemaVersion", "schemaEvolution"),
    *("qualityLevel", "qualityThreshold", "measures", "dimensions", "featureSet", "joinKeys", "snapshotKeys"),
    *("default", "renamedFrom", "migration", "effectiveFrom", "onViolation", "costBudget", "masking"),
)
FLOE_VENDOR = tuple((name, "floe") for name in FLOE_NAMES)
