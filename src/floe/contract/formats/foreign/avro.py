"""Avro schemas (.avsc)."""

import re
from typing import Any

from floe.contract.formats.foreign.loss import LostParts
from floe.contract.formats.foreign.table import Column, SchemaTable, closed_table
from floe.contract.formats.text import json_text
from floe.model import Contract
from floe.model.types import Array, Atomic, Decimal, MapOf, Struct, Text

HOLDS = frozenset({"descriptions", "dataset description", "listed values"})
# Attributes Avro passes on unread; Spark itself reads the first
CATALYST = "spark.sql.catalyst.type"
ORIGINAL = "floe.name"
ATOMIC: dict[str, Any] = {
    "string": "string",
    "boolean": "boolean",
    "int": "int",
    "bigint": "long",
    "float": "float",
    "double": "double",
    "binary": "bytes",
    "void": "null",
    "date": {"type": "int", "logicalType": "date"},
    "time": {"type": "long", "logicalType": "time-micros"},
    "timestamp": {"type": "long", "logicalType": "timestamp-micros"},
    "timestamp_ntz": {"type": "long", "logicalType": "local-timestamp-micros"},
    "tinyint": {"type": "int", CATALYST: "tinyint"},
    "smallint": {"type": "int", CATALYST: "smallint"},
    "interval": {"type": "string", CATALYST: "interval"},
    "variant": {"type": "string", CATALYST: "variant"},
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def write(table: SchemaTable, contract: Contract) -> tuple[str, tuple[LostParts, ...]]:
    """A record for one row, and what Avro bends: names, and lists of values that are no symbols."""
    writing = _AvroWriter(table.name)
    table = closed_table(table)
    space = ".".join(valid_name(word) for word in (contract.domain, contract.product) if word)
    record = writing.record(valid_name(table.name), table.columns, table.description, space)
    if record["name"] != table.name:
        record[ORIGINAL] = table.name
        writing.renamed.insert(0, f"'{table.name}' as {record['name']}")
    return json_text.write(record) + "\n", writing.notes()


def valid_name(text: str) -> str:
    """A name that Avro allows.

    >>> valid_name("order-id"), valid_name("2nd"), valid_name("id")
    ('order_id', '_2nd', 'id')
    """
    word = re.sub(r"[^A-Za-z0-9_]", "_", text) or "_"
    return f"_{word}" if word[0].isdigit() else word


class _AvroWriter:
    """Writes one record; remembers the names it gave."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.taken: set[str] = set()
        self.renamed: list[str] = []
        self.unlisted: list[str] = []

    def notes(self) -> tuple[LostParts, ...]:
        notes = (
            LostParts("names Avro does not allow (kept as floe.name)", tuple(self.renamed)),
            LostParts("listed values that are no Avro symbols", tuple(self.unlisted)),
        )
        return tuple(note for note in notes if note.where)

    def record(
        self, name: str, columns: tuple[Column, ...], doc: str | None = None, namespace: str = ""
    ) -> dict[str, Any]:
        head: dict[str, Any] = {"type": "record", "name": self._type_name(name)}
        if namespace:
            head["namespace"] = namespace
        if doc:
            head["doc"] = doc
        given: set[str] = set()
        return {**head, "fields": [self._field(column, head["name"], given) for column in columns]}

    def _type_name(self, wanted: str) -> str:
        name = _free(wanted, self.taken)
        self.taken.add(name)
        return name

    def _field(self, column: Column, record: str, given: set[str]) -> dict[str, Any]:
        name = _free(valid_name(column.name), given)
        given.add(name)
        field: dict[str, Any] = {"name": name, "type": self._nullable(column, f"{record}_{name}")}
        if column.nullable:
            field["default"] = None
        if column.description:
            field["doc"] = column.description
        if name != column.name:
            self.renamed.append(f"'{column.path}' as {name}")
            field[ORIGINAL] = column.name
        return field

    def _nullable(self, column: Column, name: str) -> Any:
        type_ = self._type(column, name)
        return type_ if not column.nullable or type_ == "null" else ["null", type_]

    def _type(self, column: Column, name: str) -> Any:
        match column.type:
            case Struct():
                return self.record(name, column.parts)
            case Array():
                return {"type": "array", "items": self._nullable(column.parts[0], f"{name}_item")}
            case MapOf(key=Atomic("string")):
                return {"type": "map", "values": self._nullable(column.parts[1], f"{name}_value")}
            case MapOf():
                return self._pairs(column, name)
        return self._leaf(column, name)

    def _pairs(self, column: Column, name: str) -> dict[str, Any]:
        """A map whose keys are no strings, in the way Iceberg writes it."""
        key, value = column.parts
        fields = [
            {"name": "key", "type": self._type(key, f"{name}_key")},
            {"name": "value", "type": self._nullable(value, f"{name}_value")},
        ]
        pair = {"type": "record", "name": self._type_name(f"{name}_entry"), "fields": fields}
        return {"type": "array", "logicalType": "map", "items": pair}

    def _leaf(self, column: Column, name: str) -> Any:
        match column.type:
            case Atomic("string") if column.values is not None:
                return self._listed(column, name)
            case Decimal(precision, scale):
                return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}
            case Text(kind, length):
                return {"type": "string", "logicalType": kind, "maxLength": length, **self._unlisted(column)}
            case Atomic(word):
                self._unlisted(column)
                return ATOMIC[word]
        raise AssertionError(column.type)

    def _listed(self, column: Column, name: str) -> Any:
        symbols = column.values or ()
        fit = all(isinstance(symbol, str) and _NAME.fullmatch(symbol) for symbol in symbols) and len(
            set(symbols)
        ) == len(symbols)
        if fit and symbols:
            return {"type": "enum", "name": self._type_name(name), "symbols": list(symbols)}
        self._unlisted(column)
        return "string"

    def _unlisted(self, column: Column) -> dict[str, Any]:
        if column.values is not None:
            self.unlisted.append(f"{self.table}.{column.path}")
        return {}


def _free(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name
