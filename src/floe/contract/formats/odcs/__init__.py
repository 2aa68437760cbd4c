"""The Open Data Contract Standard, v3.0.0 to v3.2.0: its documents as contracts.

What the JSON Schema of a version knows at a place of a document is found through references and conditions.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal as Number
from functools import lru_cache
from pathlib import Path
from typing import Any

from floe.lang.type_text import parse_type
from floe.model import (
    Contract,
    Dataset,
    Field,
    Finding,
    Map,
    QualityRule,
    Relationship,
    Server,
    Sla,
    Step,
    dotted,
)
from floe.model.types import Array, Atomic, Decimal, Family, MapOf, Member, Struct, Type

VERSIONS = ("v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0", "v3.2.0")
_SCHEMAS = Path(__file__).parent / "schemas"
_FORKS = ("allOf", "anyOf", "oneOf")


@lru_cache(maxsize=len(VERSIONS))
def schema(version: str) -> dict[str, Any]:
    """The JSON Schema of a version of the standard."""
    loaded: dict[str, Any] = json.loads((_SCHEMAS / f"odcs-{version}.json").read_bytes())
    return loaded


@lru_cache(maxsize=len(VERSIONS))
def validator(version: str) -> Any:
    """The compiled JSON Schema of a version."""
    import jsonschema_rs  # noqa: PLC0415  (40 ms that --version and runs do not need)

    return jsonschema_rs.validator_for(schema(version))


def known_keys(version: str, tree: Any, path: Sequence[Step], *, every: bool = False) -> list[str]:
    """The keys the schema knows in the mapping at a path; with `every`, those of unmet conditions too."""
    names = (name for sub in schemas_at(version, tree, path, every=every) for name in sub.get("properties", ()))
    return list(dict.fromkeys(names))


def schemas_at(version: str, tree: Any, path: Sequence[Step], *, every: bool = False) -> list[dict[str, Any]]:
    """The subschemas that speak about the value at a path."""
    root = schema(version)
    return _walk(list(_expand(root, root, tree, every)), root, tree, path, every)


def _walk(
    found: list[dict[str, Any]], root: dict[str, Any], value: Any, path: Sequence[Step], every: bool
) -> list[dict[str, Any]]:
    for step in path:
        value = value_at(value, (step,))
        found = [sub for row in found for child in _subschemas(row, step) for sub in _expand(child, root, value, every)]
    return found


def schema_along(version: str, evaluated: Sequence[Step]) -> Any:
    """The piece of schema that an evaluation path ends at, references followed."""
    root = schema(version)
    piece: Any = root
    for step in evaluated:
        piece = _resolve(piece["$ref"], root) if step == "$ref" else piece[step]
    return piece


def condition_values(version: str, tree: Any, path: Sequence[Step], key: str) -> list[str]:
    """The conditions (`type: postgres`) under which the schema knows a key of the mapping at a path."""
    root = schema(version)
    found: list[str] = []
    for back in range(min(2, len(path) + 1)):
        outer, inner = path[: len(path) - back], path[len(path) - back :]
        value = value_at(tree, outer)
        for fork in [fork for row in schemas_at(version, tree, outer) for fork in row.get("allOf", ())]:
            then = _walk(list(_expand(fork.get("then", {}), root, value, False)), root, value, inner, False)
            if any(key in sub.get("properties", ()) for sub in then):
                found += _constants(fork.get("if", {}))
    return list(dict.fromkeys(found))


def _constants(condition: dict[str, Any]) -> list[str]:
    own = [
        f"{name}: {value}"
        for name, sub in condition.get("properties", {}).items()
        for value in (sub.get("enum") or [sub.get("const")])
        if value is not None
    ]
    return own + [text for sub in condition.get("anyOf", ()) for text in _constants(sub)]


def value_at(tree: Any, path: Sequence[Step]) -> Any:
    """The value at a path; None where the path ends early."""
    for step in path:
        inside = (isinstance(tree, dict) and step in tree) or (
            isinstance(tree, list) and isinstance(step, int) and step < len(tree)
        )
        tree = tree[step] if inside else None
    return tree


def _subschemas(sub: dict[str, Any], step: Step) -> Iterator[dict[str, Any]]:
    keys = ("items",) if isinstance(step, int) else ("additionalProperties", "unevaluatedProperties")
    named = sub.get("properties", {}).get(step) if isinstance(step, str) else None
    for child in [named] if named is not None else [sub.get(key) for key in keys]:
        if isinstance(child, dict):
            yield child


def _expand(sub: dict[str, Any], root: dict[str, Any], value: Any, every: bool) -> Iterator[dict[str, Any]]:
    """A subschema and all that it refers to, for a value."""
    yield sub
    if "$ref" in sub:
        yield from _expand(_resolve(sub["$ref"], root), root, value, every)
    for fork in _FORKS:
        for branch in sub.get(fork, ()):
            yield from _expand(branch, root, value, every)
    if "if" in sub:
        met = every or _condition(id(sub["if"]), json.dumps(sub["if"])).is_valid(value)
        if "then" in sub and met:
            yield from _expand(sub["then"], root, value, every)
        if "else" in sub and (every or not met):
            yield from _expand(sub["else"], root, value, every)


@lru_cache(maxsize=1024)
def _condition(_identity: int, text: str) -> Any:
    import jsonschema_rs  # noqa: PLC0415  (as above)

    return jsonschema_rs.validator_for(json.loads(text))


def _resolve(reference: str, root: dict[str, Any]) -> dict[str, Any]:
    piece: Any = root
    for step in reference.removeprefix("#/").split("/"):
        piece = piece[step]
    resolved: dict[str, Any] = piece
    return resolved


__all__ = ["VERSIONS", "refusal", "schema_findings"]


def schema_findings(tree: Map) -> list[Finding]:
    """The deepest causes only, each once, at its place and in the order of the file."""
    if validator(tree["apiVersion"]).is_valid(tree):
        return []
    from floe.contract.formats.odcs.findings import broken  # noqa: PLC0415  (10 ms that a sound contract does not need)

    return broken(tree)


def refusal(tree: Any, source: str) -> Finding:
    """Why a document is no contract in a version that floe reads."""
    from floe.contract.formats.odcs.findings import not_a_contract, unsupported  # noqa: PLC0415  (as above)

    return unsupported(tree) if isinstance(tree, Map) else not_a_contract(tree, source)


# the standard's short names of quality dimensions
DIMENSIONS = {
    "ac": "accuracy",
    "cp": "completeness",
    "cf": "conformity",
    "cs": "consistency",
    "cv": "coverage",
    "tm": "timeliness",
    "uq": "uniqueness",
}
OPERATORS = (
    "mustBe",
    "mustNotBe",
    "mustBeGreaterThan",
    "mustBeGreaterOrEqualTo",
    "mustBeGreaterThanOrEqualTo",
    "mustBeLessThan",
    "mustBeLessOrEqualTo",
    "mustBeLessThanOrEqualTo",
    "mustBeBetween",
    "mustNotBeBetween",
)
_VARIABLE = "${"
# the format of a number, by the type it names
NUMBER_FORMATS: dict[str, Type] = {
    "i8": Atomic("tinyint"),
    "i16": Atomic("smallint"),
    "i32": Atomic("int"),
    "i64": Atomic("bigint"),
    "i128": Decimal(38, 0),
    "u8": Atomic("smallint"),
    "u16": Atomic("int"),
    "u32": Atomic("bigint"),
    "u64": Decimal(20, 0),
    "u128": Decimal(38, 0),
    "f32": Atomic("float"),
    "f64": Atomic("double"),
}
_ELEMENTS = {"float64": "double", "int8": "tinyint", "uint8": "smallint", "binary": "boolean"}
_LOGICAL: dict[str, Type] = {
    "string": Atomic("string"),
    "boolean": Atomic("boolean"),
    "timestamp": Atomic("timestamp"),
    "time": Atomic("time"),
    "integer": Family("integer"),
    "number": Family("number"),
    "date": Atomic("date"),
    "array": Family("array"),
    "map": Family("map"),
    "object": Family("object"),
}
_CALCULATED = ("measure", "dimension")
# what is said only of a column that holds values
_OF_COLUMNS = ("physicalName", "required", "unique", "primaryKey", "partitioned", "quality", "relationships")


def is_column(node: Map) -> bool:
    """Whether a property is a column of the table, and not only a calculation over its columns.

    v3.2 marks measures and dimensions. A dimension may well be a column; only one that says how it is calculated, and
    promises nothing about values, is none. When in doubt it is a column, because a promise about it must not go unchecked.
    """
    if node.get("semanticType") not in _CALCULATED or node.get("transformLogic") is None:
        return True
    return any(node.get(key) not in (None, False) for key in _OF_COLUMNS)


def read(tree: Any, source: str) -> tuple[Contract | None, list[Finding]]:
    """The contract in a tree and what the standard's JSON Schema says of it.

    Where a finding is critical the contract holds what could be read, so that rules can be asked about the rest;
    nothing may be done with it but judging it.
    """
    if not isinstance(tree, Map) or tree.get("apiVersion") not in VERSIONS:
        return None, [refusal(tree, source)]
    return contract_in(tree, source), schema_findings(tree)


def _text(node: Mapping[str, Any], key: str) -> str | None:
    """A text, or a number where text was meant; nothing else."""
    value = node.get(key)
    if value is None or isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | Number) and not isinstance(value, bool) else None


def _maps(node: Map, key: str) -> list[tuple[int, Map]]:
    """The mappings in a list, with their positions; what is none was found by the schema."""
    entries = node.get(key)
    return (
        [(i, entry) for i, entry in enumerate(entries) if isinstance(entry, Map)] if isinstance(entries, list) else []
    )


def _map(node: Map, key: str) -> Mapping[str, Any]:
    value = node.get(key)
    return value if isinstance(value, Mapping) else {}


def contract_in(tree: Map, source: str) -> Contract:
    """The contract that a tree of a known version says, without judging it."""
    version: str = tree["apiVersion"]
    return Contract(
        node=tree,
        api_version=version,
        id=_text(tree, "id") or "",
        version=_text(tree, "version") or "",
        name=_text(tree, "name"),
        status=_text(tree, "status"),
        domain=_text(tree, "domain"),
        product=_text(tree, "dataProduct"),
        datasets=tuple(_dataset(node, ("schema", i), version) for i, node in _maps(tree, "schema")),
        servers=tuple(_server(node, ("servers", i)) for i, node in _maps(tree, "servers")),
        sla=tuple(_sla(node, ("slaProperties", i)) for i, node in _maps(tree, "slaProperties")),
        custom=_custom(tree),
        source=source,
    )


def _custom(node: Map) -> dict[str, Any]:
    entries = [entry for _, entry in _maps(node, "customProperties")]
    return {name: entry.get("value") for entry in entries if (name := _text(entry, "property"))}


def _server(node: Map, at: tuple[Step, ...]) -> Server:
    return Server(
        node=node,
        at=at,
        server=_text(node, "server") or "",
        type=_text(node, "type") or "",
        environment=_text(node, "environment"),
        values=node,
    )


def _sla(node: Map, at: tuple[Step, ...]) -> Sla:
    return Sla(
        node=node,
        at=at,
        property=_text(node, "property") or "",
        value=node.get("value"),
        unit=_text(node, "unit"),
        element=_text(node, "element"),
        driver=_text(node, "driver"),
    )


def _relationships(node: Map, at: tuple[Step, ...]) -> tuple[Relationship, ...]:
    return tuple(
        Relationship(
            node=entry,
            at=(*at, "relationships", i),
            type=_text(entry, "type") or "foreignKey",
            source=_names(entry.get("from")),
            target=_names(entry.get("to")),
        )
        for i, entry in _maps(node, "relationships")
    )


def _names(value: Any) -> tuple[str, ...]:
    return tuple(name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str))


def _dataset(node: Map, at: tuple[Step, ...], version: str) -> Dataset:
    return Dataset(
        node=node,
        at=at,
        name=_text(node, "name") or _text(node, "physicalName") or dotted(at),
        physical_name=_text(node, "physicalName"),
        fields=_fields(node, (*at, "properties"), "", version),
        rules=_rules(node, at),
        relationships=_relationships(node, at),
        custom=_custom(node),
    )


def _fields(parent: Map, at: tuple[Step, ...], prefix: str, version: str) -> tuple[Field, ...]:
    filled = _map(parent, "logicalTypeOptions").get("required")
    fields = [
        _filled(_field(node, (*at, i), prefix, version), filled)
        for i, node in _maps(parent, "properties")
        if is_column(node)
    ]
    keys = [f for f in fields if f.node.get("primaryKey") is True]
    positions = {f.path: _position(f.node, "primaryKeyPosition", i) for i, f in enumerate(keys, 1)}
    if not positions:
        return tuple(fields)
    return tuple(_with_key(f, positions.get(f.path)) for f in fields)


def _filled(field: Field, names: Any) -> Field:
    """A member that must be filled where the options of its object say so."""
    return replace(field, required=True) if isinstance(names, list) and field.name in names else field


def _with_key(field: Field, position: int | None) -> Field:
    return replace(field, key_position=position) if position else field


def _position(node: Map, key: str, order: int) -> int:
    declared = node.get(key)
    if isinstance(declared, int) and not isinstance(declared, bool) and declared > 0:
        return declared
    return order


def _field(node: Map, at: tuple[Step, ...], prefix: str, version: str, name: str | None = None) -> Field:
    name = (_text(node, "name") or "") if name is None else name
    column = _text(node, "physicalName") or name
    path = f"{prefix}{step(column)}"
    children = _children(node, at, path, version)
    type_, problem = _type(node, children, version)
    rules = _rules(node, at)
    return Field(
        node=node,
        at=at,
        name=name,
        path=path,
        type=type_,
        column=column,
        required=node.get("required") is True or node.get("primaryKey") is True,
        unique=node.get("unique") is True,
        partition_position=_position(node, "partitionKeyPosition", 1) if node.get("partitioned") is True else None,
        classification=_text(node, "classification"),
        logical_type=_text(node, "logicalType"),
        physical_type=_text(node, "physicalType"),
        options=_map(node, "logicalTypeOptions"),
        values=_enum(node, rules),
        rules=rules,
        relationships=_relationships(node, at),
        fields=children,
        type_error=problem,
    )


def property_type(node: Map, version: str) -> Type:
    """The one Spark-shaped type of a property that stands on its own."""
    return _field(node, (), "", version).type


def logical_type(name: str, version: str) -> Type:
    """The type or family that a logical type names by itself."""
    return Family("date") if name == "date" and version.startswith("v3.0") else _LOGICAL.get(name, Family("any"))


def step(name: str) -> str:
    """A name as a step of a path; one that holds a dot or bracket stands in backticks."""
    return f"`{name}`" if any(mark in name for mark in ".[]{}`") else name


def _children(node: Map, at: tuple[Step, ...], path: str, version: str) -> tuple[Field, ...]:
    if isinstance(items := node.get("items"), Map):
        return (_field(items, (*at, "items"), f"{path}[]", version, name=""),)
    if isinstance(entries := node.get("map"), Map):
        key, value = entries.get("key"), entries.get("value")
        if isinstance(key, Map) and isinstance(value, Map):
            return (
                _field(key, (*at, "map", "key"), path + "{key}", version, name=""),
                _field(value, (*at, "map", "value"), path + "{}", version, name=""),
            )
    return _fields(node, (*at, "properties"), f"{path}.", version)


def _type(node: Map, children: tuple[Field, ...], version: str) -> tuple[Type, str | None]:
    """The one Spark-shaped type of a property, and what kept the physical type from being read."""
    logical = _container(children) or _logical(node, version)
    physical = _text(node, "physicalType")
    if not physical or children or _VARIABLE in physical:
        return logical, None
    try:
        parsed = parse_type(physical)
    except ValueError as error:
        return logical, str(error)
    return (logical if parsed == Family("array") and isinstance(logical, Array) else parsed), None


def _container(children: tuple[Field, ...]) -> Type | None:
    """The type that nested properties make."""
    match [child.at[-1] for child in children]:
        case []:
            return None
        case ["items"]:
            return Array(children[0].type, not children[0].required)
        case ["key", "value"]:
            return MapOf(children[0].type, children[1].type, not children[1].required)
    return Struct(tuple(Member(child.column, child.type, not child.required) for child in children))


def _logical(node: Map, version: str) -> Type:
    """The type or family that a logical type and its options name; any where none is named."""
    kind, options = _text(node, "logicalType"), _map(node, "logicalTypeOptions")
    form = _text(options, "format")
    match kind:
        case "integer" | "number" if form in NUMBER_FORMATS:
            return NUMBER_FORMATS[form]
        case "timestamp" if options.get("timezone") is False:
            return Atomic("timestamp_ntz")
        case "date" if version.startswith("v3.0"):
            return Family("date")
        case "vector":
            return Array(Atomic(_ELEMENTS.get(_text(options, "elementType") or "", "float")), False)
    return _LOGICAL.get(kind or "", Family("any"))


def _rules(node: Map, at: tuple[Step, ...]) -> tuple[QualityRule, ...]:
    return tuple(_rule(rule, (*at, "quality", i)) for i, rule in _maps(node, "quality"))


def _rule(node: Map, at: tuple[Step, ...]) -> QualityRule:
    kind = _text(node, "type") or "library"
    return QualityRule(
        node=node,
        at=at,
        type=kind,
        metric=_text(node, "metric") or (_text(node, "rule") if kind == "library" else None),
        id=_text(node, "id"),
        name=_text(node, "name"),
        severity=_text(node, "severity"),
        dimension=DIMENSIONS.get(_text(node, "dimension") or "", _text(node, "dimension")),
        arguments=_map(node, "arguments"),
        operators={key: node[key] for key in OPERATORS if key in node},
        unit=_text(node, "unit"),
        engine=_text(node, "engine"),
        implementation=node.get("implementation"),
        query=_text(node, "query"),
    )


def _enum(node: Map, rules: tuple[QualityRule, ...]) -> tuple[Any, ...] | None:
    if isinstance(listed := node.get("enum"), list):
        return tuple(entry.get("value") if isinstance(entry, Map) else entry for entry in listed)
    return next((rule.valid_values for rule in rules if rule.valid_values is not None), None)
