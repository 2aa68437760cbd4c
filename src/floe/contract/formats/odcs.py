"""The Open Data Contract Standard, v3.0.0 to v3.2.0."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from floe.contract.formats.odcs_schema import VERSIONS, schema_findings
from floe.model import (
    Contract,
    Dataset,
    Field,
    Finding,
    Map,
    Place,
    QualityRule,
    Relationship,
    Server,
    Severity,
    Sla,
    Step,
    locate,
)
from floe.model.type_text import parse_type
from floe.model.types import Array, Atomic, Family, MapOf, Member, Struct, Type

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
_NOT_COLUMNS = ("measure", "dimension")
_FORMATS = {"i8": "tinyint", "i16": "smallint", "i32": "int", "i64": "bigint", "f32": "float", "f64": "double"}
_LOGICAL: dict[str, Type] = {
    "string": Atomic("string"),
    "boolean": Atomic("boolean"),
    "timestamp": Atomic("timestamp"),
    "time": Atomic("time"),
    "integer": Family("integer"),
    "number": Family("number"),
    "date": Atomic("date"),
}


def read(tree: Any, source: str) -> tuple[Contract | None, list[Finding]]:
    """The contract in a tree, where it is whole enough to be one, and what the standard's JSON Schema says of it."""
    if not isinstance(tree, Map):
        return None, [_not_a_contract(tree, source)]
    if tree.get("apiVersion") not in VERSIONS:
        return None, [_unsupported(tree)]
    findings = schema_findings(tree)
    if any(finding.severity is Severity.CRITICAL for finding in findings):
        return None, findings
    return _contract(tree, source), findings


def _not_a_contract(tree: Any, source: str) -> Finding:
    kind = "empty" if tree is None else "a list" if isinstance(tree, list) else "plain text"
    return Finding(
        "E501",
        "not-a-contract",
        Severity.CRITICAL,
        f"The document is {kind}, not a contract",
        suggestion="A contract begins with apiVersion and kind; see https://bitol.io for the standard",
        place=locate(tree) or Place(source, 1, 1),
    )


def _unsupported(tree: Map) -> Finding:
    declared = tree.get("apiVersion")
    text = (
        f"ODCS version '{declared}' is not supported" if "apiVersion" in tree else "The document declares no apiVersion"
    )
    return Finding(
        "E502",
        "unsupported-version",
        Severity.CRITICAL,
        text,
        f"floe reads {', '.join(VERSIONS)}",
        f"Set apiVersion to one of them, e.g. {VERSIONS[-2]}",
        locate(tree, "apiVersion"),
        ("apiVersion",),
    )


def _contract(tree: Map, source: str) -> Contract:
    return Contract(
        node=tree,
        api_version=tree["apiVersion"],
        id=tree["id"],
        version=tree["version"],
        name=tree.get("name"),
        status=tree.get("status"),
        domain=tree.get("domain"),
        product=tree.get("dataProduct"),
        datasets=tuple(
            _dataset(node, ("schema", i), tree["apiVersion"]) for i, node in enumerate(tree.get("schema") or ())
        ),
        servers=tuple(_server(node, ("servers", i)) for i, node in enumerate(tree.get("servers") or ())),
        sla=tuple(_sla(node, ("slaProperties", i)) for i, node in enumerate(tree.get("slaProperties") or ())),
        custom=_custom(tree),
        source=source,
    )


def _custom(node: Map) -> dict[str, Any]:
    return {entry["property"]: entry.get("value") for entry in node.get("customProperties") or ()}


def _server(node: Map, at: tuple[Step, ...]) -> Server:
    return Server(
        node=node, at=at, server=node["server"], type=node["type"], environment=node.get("environment"), values=node
    )


def _sla(node: Map, at: tuple[Step, ...]) -> Sla:
    return Sla(
        node=node,
        at=at,
        property=node["property"],
        value=node.get("value"),
        unit=node.get("unit"),
        element=node.get("element"),
        driver=node.get("driver"),
    )


def _relationships(node: Map, at: tuple[Step, ...]) -> tuple[Relationship, ...]:
    return tuple(
        Relationship(
            node=entry,
            at=(*at, "relationships", i),
            type=entry.get("type") or "foreignKey",
            source=_names(entry.get("from")),
            target=_names(entry.get("to")),
        )
        for i, entry in enumerate(node.get("relationships") or ())
    )


def _names(value: Any) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, list) else (value,) if isinstance(value, str) else ()


def _dataset(node: Map, at: tuple[Step, ...], version: str) -> Dataset:
    return Dataset(
        node=node,
        at=at,
        name=node["name"],
        physical_name=node.get("physicalName"),
        fields=_fields(node.get("properties"), (*at, "properties"), "", version),
        rules=_rules(node, at),
        relationships=_relationships(node, at),
        custom=_custom(node),
    )


def _fields(nodes: list[Map] | None, at: tuple[Step, ...], prefix: str, version: str) -> tuple[Field, ...]:
    columns = ((i, node) for i, node in enumerate(nodes or ()) if node.get("semanticType") not in _NOT_COLUMNS)
    fields = [_field(node, (*at, i), prefix, version) for i, node in columns]
    keys = [f for f in fields if f.node.get("primaryKey") is True]
    positions = {f.path: _position(f.node, "primaryKeyPosition", i) for i, f in enumerate(keys, 1)}
    if not positions:
        return tuple(fields)
    return tuple(_with_key(f, positions.get(f.path)) for f in fields)


def _with_key(field: Field, position: int | None) -> Field:
    return replace(field, key_position=position) if position else field


def _position(node: Map, key: str, order: int) -> int:
    declared = node.get(key)
    return declared if isinstance(declared, int) and declared > 0 else order


def _field(node: Map, at: tuple[Step, ...], prefix: str, version: str, name: str | None = None) -> Field:
    name = node.get("name", "") if name is None else name
    column = node.get("physicalName") or name
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
        classification=node.get("classification"),
        logical_type=node.get("logicalType"),
        physical_type=node.get("physicalType"),
        options=node.get("logicalTypeOptions") or {},
        values=_enum(node, rules),
        rules=rules,
        relationships=_relationships(node, at),
        fields=children,
        type_error=problem,
    )


def property_type(node: Map, version: str) -> Type:
    """The one Spark-shaped type of a property that stands on its own."""
    return _field(node, (), "", version).type


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
    return _fields(node.get("properties"), (*at, "properties"), f"{path}.", version)


def _type(node: Map, children: tuple[Field, ...], version: str) -> tuple[Type, str | None]:
    """The one Spark-shaped type of a property, and what kept the physical type from being read."""
    logical = _logical(node, children, version)
    physical = node.get("physicalType")
    if not physical or (isinstance(logical, Array | Struct) and children):
        return logical, None
    try:
        parsed = parse_type(physical)
    except ValueError as error:
        return logical, str(error)
    return (logical, None) if isinstance(logical, MapOf) and children else (parsed, None)


def _logical(node: Map, children: tuple[Field, ...], version: str) -> Type:
    kind, form = node.get("logicalType"), (node.get("logicalTypeOptions") or {}).get("format")
    match kind:
        case "array":
            return Array(children[0].type, not children[0].required) if children else Array(Atomic("string"))
        case "map":
            return (
                MapOf(children[0].type, children[1].type, not children[1].required)
                if children
                else MapOf(Atomic("string"), Atomic("string"))
            )
        case "object":
            return Struct(tuple(Member(child.column, child.type, not child.required) for child in children))
        case "integer" | "number" if form in _FORMATS:
            return Atomic(_FORMATS[form])
        case "date" if version.startswith("v3.0"):
            return Family("date")
    if children:
        return Struct(tuple(Member(child.column, child.type, not child.required) for child in children))
    return _LOGICAL.get(kind or "string", Atomic("string"))


def _rules(node: Map, at: tuple[Step, ...]) -> tuple[QualityRule, ...]:
    return tuple(_rule(rule, (*at, "quality", i)) for i, rule in enumerate(node.get("quality") or ()))


def _rule(node: Map, at: tuple[Step, ...]) -> QualityRule:
    metric = node.get("metric") or (node.get("rule") if node.get("type", "library") == "library" else None)
    arguments = node.get("arguments")
    return QualityRule(
        node=node,
        at=at,
        type=node.get("type") or "library",
        metric=metric,
        id=node.get("id"),
        name=node.get("name"),
        severity=node.get("severity"),
        arguments=arguments if isinstance(arguments, Mapping) else {},
        operators={key: node[key] for key in OPERATORS if key in node},
        unit=node.get("unit"),
        engine=node.get("engine"),
        implementation=node.get("implementation"),
        query=node.get("query"),
    )


def _enum(node: Map, rules: tuple[QualityRule, ...]) -> tuple[Any, ...] | None:
    if isinstance(listed := node.get("enum"), list):
        return tuple(entry["value"] if isinstance(entry, Map) else entry for entry in listed)
    return next((rule.valid_values for rule in rules if rule.valid_values is not None), None)
