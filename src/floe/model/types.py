"""One Spark-shaped type for every spelling of a type."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from floe.lang.sql.names import escaped

# Spark's names in its schema JSON, by the name Spark SQL prints
_JSON_NAMES = {"tinyint": "byte", "smallint": "short", "int": "integer", "bigint": "long"}

# what a timestamp or time keeps of a second where nothing else is written
SECOND_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Atomic:
    """A type without parameters, by the name Spark SQL prints: int, bigint, string, timestamp_ntz, …

    `size` is what another system keeps and Spark does not: the digits of a second, the bytes of a binary, which are as
    many as that (`fixed`) or at most. It is no part of the type; versions of a contract are compared by it.
    """

    name: str
    size: int | None = field(default=None, compare=False, repr=False)
    fixed: bool = field(default=False, compare=False, repr=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Decimal:
    """A decimal with its precision and scale."""

    precision: int
    scale: int

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})"


@dataclass(frozen=True, slots=True)
class Text:
    """A string of bounded (varchar) or fixed (char) length."""

    kind: str
    length: int

    def __str__(self) -> str:
        return f"{self.kind}({self.length})"


@dataclass(frozen=True, slots=True)
class Array:
    """A list of elements of one type."""

    element: "Type"
    nullable: bool = True

    def __str__(self) -> str:
        return f"array<{self.element}{'' if self.nullable else ' not null'}>"


@dataclass(frozen=True, slots=True)
class MapOf:
    """Keys of one type with values of another."""

    key: "Type"
    value: "Type"
    nullable: bool = True

    def __str__(self) -> str:
        return f"map<{self.key},{self.value}{'' if self.nullable else ' not null'}>"


@dataclass(frozen=True, slots=True)
class Member:
    """One named part of a struct."""

    name: str
    type: "Type"
    nullable: bool = True

    def __str__(self) -> str:
        return f"{quoted(self.name)}:{self.type}{'' if self.nullable else ' not null'}"


@dataclass(frozen=True, slots=True)
class Struct:
    """Named parts in order; also the schema of a whole table."""

    members: tuple[Member, ...]

    def __str__(self) -> str:
        return f"struct<{','.join(map(str, self.members))}>"

    def __getitem__(self, name: str) -> Member:
        return next(member for member in self.members if member.name == name)


@dataclass(frozen=True, slots=True)
class Family:
    """A logical type that leaves the physical one open: integer, number, decimal, date, array, map, object, any."""

    name: str

    def __str__(self) -> str:
        return self.name

    def has(self, other: "Type") -> bool:
        """Whether a type is a member of this family."""
        if self.name == "any":
            return True
        match other:
            case Atomic(name):
                return name in FAMILIES[self.name]
            case Family(name):
                return name == self.name or (self.name, name) == ("number", "decimal")
            case Decimal():
                return self.name in ("number", "decimal")
            case Array():
                return self.name == "array"
            case MapOf():
                return self.name == "map"
            case Struct():
                return self.name == "object"
        return False


Type = Atomic | Decimal | Text | Array | MapOf | Struct | Family

FAMILIES = {
    "integer": ("tinyint", "smallint", "int", "bigint"),
    "number": ("float", "double"),
    "decimal": (),
    "array": (),
    "map": (),
    "object": (),
    "date": ("date", "timestamp", "timestamp_ntz"),
}


def quoted(name: str) -> str:
    """A name as Spark SQL writes it: in backticks where it is not a plain word.

    >>> quoted("a"), quoted("a b")
    ('a', '`a b`')
    """
    plain = name.isascii() and name.isidentifier()
    return name if plain else escaped(name)


def accepts(promised: Type, actual: Type) -> bool:
    """Whether a leaf type accepts the values of another."""
    match promised, actual:
        case Family(), _:
            return promised.has(actual)
        case Text(), Atomic("string"):
            return True
    return promised == actual


def is_physical(type_: Type) -> bool:
    """Whether a table can be created with this type: no family is left open anywhere in it."""
    match type_:
        case Family():
            return False
        case Array(element=element):
            return is_physical(element)
        case MapOf(key, value):
            return is_physical(key) and is_physical(value)
        case Struct(members):
            return all(is_physical(member.type) for member in members)
    return True


def spark_json(type_: Type) -> Any:
    """The type as Spark's schema JSON holds it, without metadata."""
    match type_:
        case Atomic(name):
            return _JSON_NAMES.get(name, name)
        case Array(element, nullable):
            return {"type": "array", "elementType": spark_json(element), "containsNull": nullable}
        case MapOf(key, value, nullable):
            return {
                "type": "map",
                "keyType": spark_json(key),
                "valueType": spark_json(value),
                "valueContainsNull": nullable,
            }
        case Struct(members):
            fields = [{"name": m.name, "type": spark_json(m.type), "nullable": m.nullable} for m in members]
            return {"type": "struct", "fields": fields}
    return str(type_)


def schema_hash(schema: Struct) -> str:
    """`sha256:` over canonical JSON of a schema: order, names, types and nullability count, comments do not."""
    text = json.dumps(spark_json(schema), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
