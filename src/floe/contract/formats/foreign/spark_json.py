"""Spark's schema JSON, as `df.schema.json()` writes it."""

from typing import Any

from floe.contract.formats.foreign.table import Column, SchemaTable, closed_table, struct_of
from floe.contract.formats.foreign.unreadable import unknown_type, unreadable
from floe.contract.formats.odcs import step
from floe.contract.formats.text import json_text
from floe.lang.type_text import parse_type
from floe.model import Map, locate
from floe.model.types import Array, Atomic, MapOf, Struct, Type, spark_json

HOLDS = frozenset({"descriptions"})
_BOUNDED = "__CHAR_VARCHAR_TYPE_STRING"


def recognises(tree: Any) -> bool:
    """Whether a tree is a Spark schema."""
    return isinstance(tree, Map) and tree.get("type") == "struct" and isinstance(tree.get("fields"), list)


def read(tree: Map, name: str) -> SchemaTable:
    """The columns of a Spark schema; ContractError where it is not whole."""
    return SchemaTable(name=name, columns=_members(tree, ""), place=tree.place)


def _members(struct: Map, prefix: str) -> tuple[Column, ...]:
    return tuple(_member(struct, index, prefix) for index in range(len(struct["fields"])))


def _member(struct: Map, index: int, prefix: str) -> Column:
    node = struct["fields"][index]
    place = locate(struct, "fields", index) or struct.place
    if not isinstance(node, Map) or not isinstance(node.get("name"), str) or "type" not in node:
        raise unreadable("A field of the Spark schema has no name or no type", place)
    path = f"{prefix}{step(node['name'])}"
    metadata = node.get("metadata") or {}
    type_, parts = _type(metadata.get(_BOUNDED) or node["type"], path, node)
    return Column(
        name=node["name"],
        type=type_,
        path=path,
        nullable=node.get("nullable") is not False,
        description=metadata.get("comment"),
        parts=parts,
        place=place,
    )


def _type(data: Any, path: str, holder: Map) -> tuple[Type, tuple[Column, ...]]:
    match data:
        case str():
            return _atomic(data, path, holder), ()
        case {"type": "struct", "fields": list()}:
            parts = _members(data, f"{path}.")
            return struct_of(parts), parts
        case {"type": "array", "elementType": element}:
            part = _part(element, f"{path}[]", data, data.get("containsNull") is not False)
            return Array(part.type, part.nullable), (part,)
        case {"type": "map", "keyType": key, "valueType": value}:
            first = _part(key, path + "{key}", data, False)
            second = _part(value, path + "{}", data, data.get("valueContainsNull") is not False)
            return MapOf(first.type, second.type, second.nullable), (first, second)
    raise unknown_type(path, f"{json_text.write(data)} is not a type of a Spark schema", holder.place)


def _part(data: Any, path: str, holder: Map, nullable: bool) -> Column:
    type_, parts = _type(data, path, holder)
    return Column(name="", type=type_, path=path, nullable=nullable, parts=parts, place=holder.place)


def _atomic(text: str, path: str, holder: Map) -> Type:
    try:
        return parse_type(text)
    except ValueError as error:
        raise unknown_type(path, str(error), locate(holder, "type") or holder.place) from None


def write(table: SchemaTable) -> str:
    """The schema of a table, with descriptions as comments; `StructType.fromJson` reads it."""
    return json_text.write(_struct(closed_table(table).columns)) + "\n"


def _struct(columns: tuple[Column, ...]) -> dict[str, Any]:
    return {"type": "struct", "fields": [_field(column) for column in columns]}


def _field(column: Column) -> dict[str, Any]:
    metadata = {"comment": column.description} if column.description else {}
    return {"name": column.name, "type": _data(column), "nullable": column.nullable, "metadata": metadata}


def _data(column: Column) -> Any:
    match column.type:
        case Struct():
            return _struct(column.parts)
        case Array(nullable=nullable):
            return {"type": "array", "elementType": _data(column.parts[0]), "containsNull": nullable}
        case MapOf(nullable=nullable):
            key, value = map(_data, column.parts)
            return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": nullable}
        case Atomic("time"):
            return "time(6)"
    return spark_json(column.type)
