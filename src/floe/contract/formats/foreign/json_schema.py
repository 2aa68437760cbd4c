"""JSON Schema, draft 2020-12."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from floe.contract.formats.foreign.loss import LostParts
from floe.contract.formats.foreign.table import Column, SchemaTable
from floe.contract.formats.text import json_text
from floe.model.types import Array, Atomic, Decimal as DecimalType, Family, MapOf, Struct, Text, Type

HOLDS = frozenset(
    {"descriptions", "descriptions of elements", "dataset description", "listed values", "bounds", "lengths"}
    | {"patterns", "formats", "item counts", "multipleOf"}
)
DRAFT = "https://json-schema.org/draft/2020-12/schema"
# Keywords of our own, which validators pass over: JSON has fewer types than Spark
SPARK_TYPE = "x-spark-type"
KEY_TYPE = "x-key-type"
ATOMIC: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "boolean": {"type": "boolean"},
    "tinyint": {"type": "integer", "format": "int8"},
    "smallint": {"type": "integer", "format": "int16"},
    "int": {"type": "integer", "format": "int32"},
    "bigint": {"type": "integer", "format": "int64"},
    "float": {"type": "number", "format": "float"},
    "double": {"type": "number", "format": "double"},
    "date": {"type": "string", "format": "date"},
    "timestamp": {"type": "string", "format": "date-time"},
    "timestamp_ntz": {"type": "string", "format": "date-time-local"},
    "time": {"type": "string", "format": "time-local"},
    "interval": {"type": "string", "format": "duration"},
    "binary": {"type": "string", "contentEncoding": "base64"},
    "variant": {"type": ["object", "array", "string", "number", "boolean"], SPARK_TYPE: "variant"},
    "void": {"type": "null"},
}
FAMILIES: dict[str, dict[str, Any]] = {
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "decimal": {"type": "number", "format": "decimal"},
    "date": {"type": "string", "format": "date"},
    "array": {"type": "array"},
    "map": {"type": "object", SPARK_TYPE: "map"},
    "object": {"type": "object"},
    "any": {},
}
# formats that make a date or time of a text when they are read
_RETYPING = {facts["format"] for facts in ATOMIC.values() if facts["type"] == "string" and "format" in facts} | {"time"}
_NUMERIC = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_PLAIN = ("minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties")


def write(table: SchemaTable) -> tuple[str, tuple[LostParts, ...]]:
    """A schema for one row as a JSON object, and what of the columns it cannot say."""
    head = {"$schema": DRAFT, "title": table.name}
    described = {"description": table.description} if table.description else {}
    schema = {**head, **described, **_object(table.columns)}
    return json_text.write(schema) + "\n", _notes(table)


def _notes(table: SchemaTable) -> tuple[LostParts, ...]:
    places = [(f"{table.name}.{part.path}", part) for part in table.walk()]
    bounds = [
        f"{where} {key}" for where, part in places for key in _NUMERIC if not _is_number(part.options.get(key, 0))
    ]
    formats = [f"{where} '{part.options['format']}'" for where, part in places if _odd_format(part)]
    dates = [where for where, part in places if part.type == Family("date")]
    notes = (
        LostParts("bounds that are not numbers", tuple(bounds)),
        LostParts("date formats", tuple(formats)),
        LostParts("date that may be a timestamp, written as date", tuple(dates)),
    )
    return tuple(note for note in notes if note.where)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal)


def _odd_format(part: Column) -> bool:
    """Whether a format says how dates are written as text, which a JSON Schema has fixed."""
    written = part.type in (
        Atomic("date"),
        Atomic("timestamp"),
        Atomic("timestamp_ntz"),
        Atomic("time"),
        Family("date"),
    )
    return "format" in part.options and written


def _object(columns: tuple[Column, ...]) -> dict[str, Any]:
    required = [column.name for column in columns if not column.nullable]
    return {
        "type": "object",
        "properties": {column.name: _schema(column) for column in columns},
        **({"required": required} if required else {}),
    }


def _schema(column: Column) -> dict[str, Any]:
    schema = _type(column)
    if column.nullable and schema.get("type") not in (None, "null"):
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        schema["type"] = [*kinds, "null"]
    if column.description:
        schema["description"] = column.description
    if column.values is not None:
        listed = list(column.values)
        schema["enum"] = [*listed, None] if column.nullable and None not in listed else listed
    return {**schema, **_limits(column.options, schema)}


def _limits(options: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    limits = {key: options[key] for key in _PLAIN if key in options}
    for key in _NUMERIC:
        if _is_number(options.get(key)) and not isinstance(options[key], bool):
            limits[key] = options[key]
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if options.get(exclusive) is True and bound in limits:  # ODCS v3.0 says it with a flag
            limits[exclusive] = limits.pop(bound)
    if "format" in options and "format" not in schema and "string" in schema.get("type", ()):
        limits["format"] = options["format"]
        if (
            options["format"] in _RETYPING and SPARK_TYPE not in schema
        ):  # text that looks like a date is text all the same
            limits[SPARK_TYPE] = "string"
    return limits


def _type(column: Column) -> dict[str, Any]:
    match column.type:
        case Struct():
            return _object(column.parts)
        case Array():
            return {"type": "array", "items": _schema(column.parts[0])}
        case MapOf(key=key):
            other = {} if key == Atomic("string") else {KEY_TYPE: str(key)}
            return {"type": "object", "additionalProperties": _schema(column.parts[1]), **other}
    return _leaf(column.type)


def _leaf(type_: Type) -> dict[str, Any]:
    match type_:
        case Family(name):
            return dict(FAMILIES[name])
        case DecimalType():
            return {"type": "number", SPARK_TYPE: str(type_)}
        case Text(length=length):
            return {"type": "string", "maxLength": length, SPARK_TYPE: str(type_)}
        case Atomic(name):
            return dict(ATOMIC[name])
    raise AssertionError(type_)
