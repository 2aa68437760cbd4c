"""A dataset's columns on their way between ODCS and the schema formats."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from floe.contract.formats.odcs import step
from floe.model import Dataset, Field, List, Map, Place
from floe.model.types import Array, Atomic, Decimal, Family, MapOf, Member, Struct, Type

_NOWHERE = Place("", 1, 1)
# What a family becomes where a format needs one type: the member that holds every value of the others
_WIDEST: dict[str, Type] = {
    "integer": Atomic("bigint"),
    "number": Atomic("double"),
    "decimal": Decimal(38, 18),
    "date": Atomic("date"),
    "array": Array(Atomic("string")),
    "map": MapOf(Atomic("string"), Atomic("string")),
    "object": Atomic("variant"),
    "any": Atomic("string"),
}
_LOGICAL = {
    "tinyint": "integer",
    "smallint": "integer",
    "int": "integer",
    "bigint": "integer",
    "float": "number",
    "double": "number",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp",
    "time": "time",
    "variant": "object",
}
_CONTAINERS: dict[type[Type], str] = {Struct: "object", Array: "array", MapOf: "map"}
_FAMILY_FACTS: dict[str, dict[str, str]] = {
    "decimal": {"logicalType": "number", "physicalType": "decimal"},
    "map": {"logicalType": "object", "physicalType": "map"},
    "any": {},
}
_NUMBER_OPTIONS = ("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_DATE_OPTIONS = ("format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_OPTIONS = {
    "string": ("minLength", "maxLength", "pattern", "format"),
    "integer": _NUMBER_OPTIONS,
    "number": _NUMBER_OPTIONS,
    "date": _DATE_OPTIONS,
    "timestamp": (*_DATE_OPTIONS, "timezone", "defaultTimezone"),
    "time": _DATE_OPTIONS,
    "object": ("minProperties", "maxProperties"),
    "array": ("minItems", "maxItems", "uniqueItems"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column or a part of one; `parts` are a struct's members, an array's element, a map's key and value."""

    name: str
    type: Type
    path: str = ""
    nullable: bool = True
    description: str | None = None
    values: tuple[Any, ...] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple["Column", ...] = ()
    place: Place = _NOWHERE

    def walk(self) -> Iterator["Column"]:
        """This column and every part of it."""
        yield self
        for part in self.parts:
            yield from part.walk()


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaTable:
    """A dataset as schema formats see it."""

    name: str
    columns: tuple[Column, ...]
    physical_name: str | None = None
    description: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    place: Place = _NOWHERE

    def walk(self) -> Iterator[Column]:
        """Every column and part."""
        for column in self.columns:
            yield from column.walk()


def struct_of(parts: Sequence[Column]) -> Struct:
    """The struct that some parts make."""
    return Struct(tuple(Member(part.name, part.type, part.nullable) for part in parts))


def table_of(dataset: Dataset) -> SchemaTable:
    """The columns of a dataset; every container has its parts, also where only a physical type names them."""
    return SchemaTable(
        name=dataset.name,
        physical_name=dataset.physical_name,
        description=dataset.node.get("description"),
        columns=tuple(_column(part, part.column) for part in dataset.fields),
        place=dataset.node.place,
    )


def _column(part: Field, name: str) -> Column:
    return Column(
        name=name,
        type=part.type,
        path=part.path,
        nullable=not part.required,
        description=part.node.get("description"),
        values=part.values,
        options=part.options,
        parts=_parts(part),
        place=part.node.place,
    )


def _parts(part: Field) -> tuple[Column, ...]:
    if not part.fields:
        return _implied(part.type, part.path)
    return tuple(_column(child, child.column) for child in part.fields)


def _implied(type_: Type, path: str) -> tuple[Column, ...]:
    """The parts of a type that was written as one text."""
    match type_:
        case Struct(members):
            return tuple(_bare(m.name, m.type, f"{path}.{step(m.name)}", m.nullable) for m in members)
        case Array(element, nullable):
            return (_bare("", element, f"{path}[]", nullable),)
        case MapOf(key, value, nullable):
            return _bare("", key, path + "{key}", False), _bare("", value, path + "{}", nullable)
    return ()


def _bare(name: str, type_: Type, path: str, nullable: bool) -> Column:
    return Column(name=name, type=type_, path=path, nullable=nullable, parts=_implied(type_, path))


def closed(type_: Type) -> Type:
    """A type with every family closed to its widest member.

    >>> str(closed(Array(Family("integer"))))
    'array<bigint>'
    """
    match type_:
        case Family(name):
            return _WIDEST[name]
        case Array(element, nullable):
            return Array(closed(element), nullable)
        case MapOf(key, value, nullable):
            return MapOf(closed(key), closed(value), nullable)
        case Struct(members):
            return Struct(tuple(Member(m.name, closed(m.type), m.nullable) for m in members))
    return type_


def sayable(type_: Type) -> Type:
    """A closed type as SQL can say it: without the promise that elements and map values are never null."""
    match closed(type_):
        case Array(element):
            return Array(sayable(element))
        case MapOf(key, value):
            return MapOf(sayable(key), sayable(value))
        case Struct(members):
            return Struct(tuple(Member(m.name, sayable(m.type), m.nullable) for m in members))
        case plain:
            return plain


def closed_table(table: SchemaTable) -> SchemaTable:
    """A table with every type closed."""
    return replace(table, columns=tuple(map(_closed_column, table.columns)))


def _closed_column(column: Column) -> Column:
    type_ = closed(column.type)
    parts = tuple(map(_closed_column, column.parts)) or _implied(type_, column.path)
    return replace(column, type=type_, parts=parts)


def document(name: str, tables: Sequence[SchemaTable], place: Place, facts: Mapping[str, Any] | None = None) -> Map:
    """An ODCS document around tables that came without a contract; it is a draft until someone owns it."""
    given = dict(facts or {})
    tree = Map(place)
    for key, value in {
        # only v3.2 has words for the keys and values of a map; writing v3.1 keeps them
        "apiVersion": "v3.2.0" if _has_maps(tables) else "v3.1.0",
        "kind": "DataContract",
        "id": given.pop("id", f"urn:datacontract:{name}"),
        "name": name,
        "version": given.pop("version", "1.0.0"),
        "status": given.pop("status", "draft"),
        **given,
    }.items():
        tree.put(key, planted(value, place))
    schema = List(place)
    for table in tables:
        schema.add(_table_node(table), table.place)
    tree.put("schema", schema)
    return tree


def _has_maps(tables: Sequence[SchemaTable]) -> bool:
    return any(_holds_map(column.type) for table in tables for column in table.columns)


def _holds_map(type_: Type) -> bool:
    match type_:
        case Array(element):
            return _holds_map(element)
        case Struct(members):
            return any(_holds_map(member.type) for member in members)
    return isinstance(type_, MapOf)


def planted(value: Any, place: Place) -> Any:
    """A plain value as a tree that stands at one place."""
    if isinstance(value, Map | List):
        return value
    if isinstance(value, Mapping):
        grown = Map(place)
        for key, entry in value.items():
            grown.put(str(key), planted(entry, place))
        return grown
    if isinstance(value, list | tuple):
        row = List(place)
        for entry in value:
            row.add(planted(entry, place))
        return row
    return value


def _table_node(table: SchemaTable) -> Map:
    node = Map(table.place)
    facts = {"logicalType": "object", "physicalType": "table", **table.facts}
    head = {"name": table.name, "physicalName": table.physical_name, "description": table.description}
    for key, value in {**head, **facts}.items():
        if value is not None:
            node.put(key, planted(value, table.place))
    node.put("properties", _nodes(table.columns, table.place))
    return node


def _nodes(columns: Sequence[Column], place: Place) -> List:
    nodes = List(place)
    for column in columns:
        nodes.add(_node(column), column.place)
    return nodes


def _node(column: Column, named: bool = True) -> Map:
    node = Map(column.place)
    head = {"name": column.name} if named else {}
    given = {key: value for key, value in column.options.items() if holds_option(column, key)}
    options = {"logicalTypeOptions": given} if given else {}
    required = {} if column.nullable else {"required": True}
    facts = {**head, **_type_facts(column.type), "description": column.description, **required, **options}
    for key, value in {**facts, **column.facts}.items():
        if value is not None:
            node.put(key, planted(value, column.place))
    if column.values is not None:
        _list_values(node, column)
    parts = column.parts or _implied(column.type, column.path)
    if isinstance(column.type, Struct):
        node.put("properties", _nodes(parts, column.place))
    elif isinstance(column.type, Array):
        node.put("items", _node(parts[0], named=False), parts[0].place)
    elif isinstance(column.type, MapOf):
        entries = Map(column.place)
        for word, part in zip(("key", "value"), parts, strict=True):
            entries.put(word, _node(part, named=False), part.place)
        node.put("map", entries, column.place)
    return node


def holds_option(column: Column, key: str) -> bool:
    """Whether ODCS has a place for an option on a column of this type."""
    logical = _type_facts(column.type).get("logicalType", "")
    is_text = isinstance(column.options[key], str)
    text_wanted = key in ("pattern", "format") or logical in ("date", "timestamp", "time")
    return key in _OPTIONS.get(logical, ()) and is_text is text_wanted


def _list_values(node: Map, column: Column) -> None:
    rules = node.get("quality") or List(column.place)
    rule = {"metric": "invalidValues", "arguments": {"validValues": list(column.values or ())}, "mustBe": 0}
    rules.add(planted(rule, column.place))
    node.put("quality", rules)


def _type_facts(type_: Type) -> dict[str, str]:
    match type_:
        case Struct() | Array() | MapOf():
            return {"logicalType": _CONTAINERS[type(type_)]}
        case Family(name):
            return _FAMILY_FACTS.get(name, {"logicalType": name})
        case Atomic(name):
            return {"logicalType": _LOGICAL.get(name, "string"), "physicalType": name}
    return {"logicalType": "number" if isinstance(type_, Decimal) else "string", "physicalType": str(type_)}
