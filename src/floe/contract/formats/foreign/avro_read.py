"""Avro schemas as columns."""

from collections.abc import Mapping
from typing import Any

from floe.contract.formats.foreign.avro import CATALYST, ORIGINAL
from floe.contract.formats.foreign.loss import LostParts
from floe.contract.formats.foreign.table import Column, SchemaTable, struct_of
from floe.contract.formats.foreign.unreadable import unknown_type, unreadable
from floe.contract.formats.odcs import step
from floe.contract.formats.text import json_text
from floe.lang.type_text import parse_type
from floe.model import Map, Place
from floe.model.types import Array, Atomic, Decimal, MapOf, Text, Type

_PRIMITIVE = {
    "null": "void",
    "boolean": "boolean",
    "int": "int",
    "long": "bigint",
    "float": "float",
    "double": "double",
    "bytes": "binary",
    "string": "string",
}
_LOGICAL: dict[str, Type] = {
    "date": Atomic("date"),
    "time-millis": Atomic("time"),
    "time-micros": Atomic("time"),
    "timestamp-millis": Atomic("timestamp"),
    "timestamp-micros": Atomic("timestamp"),
    "timestamp-nanos": Atomic("timestamp"),
    "local-timestamp-millis": Atomic("timestamp_ntz"),
    "local-timestamp-micros": Atomic("timestamp_ntz"),
    "local-timestamp-nanos": Atomic("timestamp_ntz"),
    "uuid": Atomic("string"),
    "duration": Atomic("interval"),
}
_WIDER = ((frozenset({"int", "long"}), Atomic("bigint")), (frozenset({"float", "double"}), Atomic("double")))
_UNREAD = ("aliases", "order")
_MOST = 100_000


def recognises(tree: Any) -> bool:
    """Whether a tree is an Avro schema with a record in it."""
    if isinstance(tree, list):
        return any(recognises(value) for value in tree)
    return isinstance(tree, Map) and tree.get("type") in ("record", "error") and isinstance(tree.get("fields"), list)


def read(tree: Any) -> tuple[tuple[SchemaTable, ...], tuple[LostParts, ...]]:
    """The records that stand at the top of a document; in a list, those that no other one uses."""
    reading = _AvroReader(tree.place)
    records = tree if isinstance(tree, list) else [tree]
    try:
        for record in records:
            reading.declare(record, "")
        tables = [reading.table(record) for record in records if recognises(record)]
    except RecursionError:
        raise unreadable("The Avro schema is nested too deep to be read", tree.place) from None
    top = [table for table, name in tables if name not in reading.used]
    lost = tuple(LostParts(what, tuple(where)) for what, where in reading.lost.items())
    return tuple(top or [tables[-1][0]]), lost


class _AvroReader:
    """Reads one document; knows the types it has named."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.named: dict[str, tuple[Mapping[str, Any], str]] = {}
        self.used: set[str] = set()
        self.open: list[str] = []
        self.lost: dict[str, list[str]] = {}
        self.count = 0

    def declare(self, node: Any, space: str) -> None:
        """Remember every named type below a node."""
        if isinstance(node, list):
            for value in node:
                self.declare(value, space)
        elif isinstance(node, Mapping):
            if node.get("type") in ("record", "error", "enum", "fixed") and isinstance(node.get("name"), str):
                full, space = _full(node, space)
                self.named.setdefault(full, (node, space))
            for key in ("fields", "type", "items", "values"):
                self.declare(node.get(key), space)

    def table(self, record: Map) -> tuple[SchemaTable, str]:
        full, space = _full(record, "")
        self.open = [full]
        table = SchemaTable(
            name=str(record.get(ORIGINAL) or full.split(".")[-1]),
            description=record.get("doc"),
            columns=self._members(record, "", space),
            place=record.place,
        )
        return table, full

    def _members(self, record: Any, prefix: str, space: str) -> tuple[Column, ...]:
        return tuple(self._member(field, prefix, space, record) for field in record["fields"])

    def _member(self, field: Any, prefix: str, space: str, record: Any) -> Column:
        if not isinstance(field, Mapping) or not isinstance(field.get("name"), str) or "type" not in field:
            raise unreadable("A field of the Avro record has no name or no type", self._place(field, record))
        name = str(field.get(ORIGINAL) or field["name"])
        path = f"{prefix}{step(name)}"
        for key in _UNREAD:
            if key in field:
                self.lost.setdefault(f"field {key}", []).append(path)
        return self._column(name, field["type"], path, space, field)

    def _column(self, name: str, given: Any, path: str, space: str, holder: Any) -> Column:
        self.count += 1
        if self.count > _MOST:
            raise unreadable(f"More than {_MOST:,} columns after resolving names", self.place)
        nullable, kind = self._unwrapped(given)
        type_, parts, values = self._type(kind, path, space, holder)
        form = {"format": "uuid"} if isinstance(kind, Mapping) and kind.get("logicalType") == "uuid" else {}
        return Column(
            name=name,
            type=type_,
            path=path,
            nullable=nullable or type_ == Atomic("void"),
            description=holder.get("doc") if name else None,
            values=values,
            options=form,
            facts=_default(holder) if name else {},
            parts=parts,
            place=self._place(holder, None),
        )

    def _place(self, node: Any, other: Any) -> Place:
        for value in (node, other):
            if isinstance(place := getattr(value, "place", None), Place):
                return place
        return self.place

    def _unwrapped(self, given: Any) -> tuple[bool, Any]:
        """Whether a union has null in it, and what it holds besides."""
        if not isinstance(given, list):
            return False, given
        kinds = [kind for kind in given if kind != "null"]
        return len(kinds) < len(given), kinds[0] if len(kinds) == 1 else kinds or "null"

    def _type(self, kind: Any, path: str, space: str, holder: Any) -> tuple[Type, tuple[Column, ...], Any]:
        if isinstance(kind, list):
            return self._union(kind, path, space, holder)
        if isinstance(kind, str):
            return self._by_name(kind, path, space, holder)
        if not isinstance(kind, Mapping) or "type" not in kind:
            raise unknown_type(path, f"{json_text.write(kind)} is not an Avro type", self._place(holder, None))
        if isinstance(kind["type"], Mapping | list):
            return self._type(kind["type"], path, space, holder)
        return self._complex(kind, path, space, holder)

    def _complex(
        self, kind: Mapping[str, Any], path: str, space: str, holder: Any
    ) -> tuple[Type, tuple[Column, ...], Any]:
        match kind["type"]:
            case "record" | "error":
                return self._record(kind, path, space)
            case "enum":
                return Atomic("string"), (), tuple(kind.get("symbols") or ())
            case "array" if kind.get("logicalType") == "map":
                return self._pairs(kind, path, space, holder)
            case "array":
                part = self._column("", kind.get("items"), f"{path}[]", space, holder)
                return Array(part.type, part.nullable), (part,), None
            case "map":
                key = Column(name="", type=Atomic("string"), path=path + "{key}", nullable=False)
                value = self._column("", kind.get("values"), path + "{}", space, holder)
                return MapOf(key.type, value.type, value.nullable), (key, value), None
            case str() as word:
                if word not in (*_PRIMITIVE, "fixed"):
                    return self._by_name(word, path, space, holder)
        return self._annotated(kind, path, holder), (), None

    def _record(self, kind: Mapping[str, Any], path: str, space: str) -> tuple[Type, tuple[Column, ...], Any]:
        full, inner = _full(kind, space)
        if full in self.open:
            raise unreadable(
                f"Avro record '{full}' contains itself in '{path}'",
                self._place(kind, None),
                suggestion="ODCS has no recursive types: write the levels out",
            )
        self.open.append(full)
        parts = self._members(kind, f"{path}.", inner)
        self.open.pop()
        return struct_of(parts), parts, None

    def _pairs(
        self, kind: Mapping[str, Any], path: str, space: str, holder: Any
    ) -> tuple[Type, tuple[Column, ...], Any]:
        fields = {field["name"]: field for field in kind["items"]["fields"]}
        key = self._column("", fields["key"]["type"], path + "{key}", space, holder)
        value = self._column("", fields["value"]["type"], path + "{}", space, holder)
        return MapOf(key.type, value.type, value.nullable), (key, value), None

    def _by_name(self, word: str, path: str, space: str, holder: Any) -> tuple[Type, tuple[Column, ...], Any]:
        if word in _PRIMITIVE:
            return Atomic(_PRIMITIVE[word]), (), None
        full = next((name for name in (word, f"{space}.{word}") if name in self.named), None)
        if full is None:
            raise unknown_type(
                path, f"'{word}' is not an Avro type and names none in this document", self._place(holder, None)
            )
        self.used.add(full)
        node, inner = self.named[full]
        return self._type(node, path, inner, holder)

    def _annotated(self, kind: Mapping[str, Any], path: str, holder: Any) -> Type:
        logical = kind.get("logicalType")
        if isinstance(text := kind.get(CATALYST), str):
            try:
                return parse_type(text)
            except ValueError as error:
                raise unknown_type(path, str(error), self._place(holder, None)) from None
        if logical == "decimal" and isinstance(kind.get("precision"), int):
            return Decimal(kind["precision"], kind.get("scale") or 0)
        if logical in ("varchar", "char") and isinstance(kind.get("maxLength"), int):
            return Text(str(logical), kind["maxLength"])
        if isinstance(logical, str) and logical.endswith("-nanos"):
            self.lost.setdefault("nanoseconds, read as microseconds", []).append(path)
        return _LOGICAL.get(str(logical)) or Atomic(_PRIMITIVE.get(kind["type"], "binary"))

    def _union(self, kinds: list[Any], path: str, space: str, holder: Any) -> tuple[Type, tuple[Column, ...], Any]:
        """Alternatives, as Spark reads them: the wider number, else a struct with one member filled."""
        names = frozenset(kind for kind in kinds if isinstance(kind, str))
        for pair, wider in _WIDER:
            if names == pair and len(kinds) == 2:
                return wider, (), None
        self.lost.setdefault("unions, read as structs with one member filled", []).append(path)
        parts = tuple(
            self._alternative(kind, f"member{number}", path, space, holder) for number, kind in enumerate(kinds)
        )
        return struct_of(parts), parts, None

    def _alternative(self, kind: Any, name: str, path: str, space: str, holder: Any) -> Column:
        type_, parts, values = self._type(kind, f"{path}.{name}", space, holder)
        place = self._place(holder, None)
        return Column(name=name, type=type_, path=f"{path}.{name}", values=values, parts=parts, place=place)


def _full(node: Mapping[str, Any], space: str) -> tuple[str, str]:
    """A named type's full name and the namespace inside it."""
    name = str(node.get("name"))
    if "." in name:
        return name, name.rsplit(".", 1)[0]
    inner = str(node.get("namespace") or space)
    return (f"{inner}.{name}" if inner else name), inner


def _default(field: Any) -> dict[str, Any]:
    value = field.get("default")
    return {} if value is None else {"customProperties": [{"property": "default", "value": value}]}
