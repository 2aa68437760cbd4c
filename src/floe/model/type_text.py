"""Types as people write them: Spark, SQL, Snowflake, BigQuery, Postgres and Databricks spellings."""

import json
import re
from functools import lru_cache
from typing import Any

from floe.model.types import Array, Atomic, Decimal, Family, MapOf, Member, Struct, Text, Type

_SPELLINGS = {
    "tinyint": "byte int1 byteint",
    "smallint": "short int2 smallserial int16",
    "int": "integer int4 serial mediumint int32 signed",
    "bigint": "long int8 bigserial int64 largeint",
    "float": "real float4 float32",
    "double": "double precision|float8|float64|binary_double|f64",
    "string": "text|clob|nclob|ntext|tinytext|mediumtext|longtext|varchar2|nvarchar2|uuid|uniqueidentifier|guid|json|jsonb|xml"
    "|citext|name|inet|cidr|macaddr|enum|set|geography|geometry|hyperunique|character varying|nvarchar|varchar|keyword|bpchar|char|nchar|character",
    "binary": "bytes varbinary bytea blob longblob mediumblob tinyblob raw image fixed",
    "boolean": "bool bit logical",
    "date": "date32",
    "timestamp": "timestamptz|timestamp_ltz|timestamp_tz|timestamp with time zone|timestamp with local time zone"
    "|timestampltz|datetimeoffset|timestamp with timezone",
    "timestamp_ntz": "timestampntz|timestamp without time zone|datetime|datetime2|smalldatetime|timestamp without timezone|timestamp_without_timezone",
    "time": "timetz|time without time zone|time with time zone",
    "variant": "super",
    "void": "null|unknown|nulltype",
    "interval": "",
}
_ATOMIC = {
    word: name
    for name, words in _SPELLINGS.items()
    for word in [name, *(words.split("|") if "|" in words else words.split())]
}
_VARCHARS = ("varchar", "varchar2", "nvarchar", "nvarchar2", "character varying", "string", "text", "nvarchar2")
_CHARS = ("char", "character", "nchar", "bpchar")
_DECIMALS = ("decimal", "dec", "numeric", "number", "bignumeric", "bigdecimal")
_MONEY = {"money": Decimal(19, 4), "smallmoney": Decimal(10, 4)}
_TOKEN = re.compile(r"\s*(`(?:[^`]|``)*`|\"[^\"]*\"|'(?:[^'\\]|\\.|'')*'|[\w$.\-/]+|\[\]|.)", re.DOTALL)
_WIDEST = 38
_DEEPEST = 100


@lru_cache(maxsize=4096)
def parse_type(text: str) -> Type:
    """The type a text names; ValueError says what could not be read.

    >>> str(parse_type("ARRAY<STRUCT<id: BIGINT NOT NULL, price: NUMERIC(12, 2)>>"))
    'array<struct<id:bigint not null,price:decimal(12,2)>>'
    >>> str(parse_type("character varying(20)")), str(parse_type("int[]"))
    ('varchar(20)', 'array<int>')
    """
    reader = _Reader([token for token in _TOKEN.findall(text.strip()) if token.strip()])
    parsed = reader.type()
    if reader.tokens:
        raise ValueError(f"'{' '.join(reader.tokens)}' is left over in type '{text}'")
    return parsed


def from_spark_json(data: Any) -> Type:
    """The type that a piece of Spark's schema JSON describes."""
    match data:
        case str():
            return parse_type(data)
        case {"type": "array", "elementType": element, "containsNull": nullable}:
            return Array(from_spark_json(element), nullable)
        case {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": nullable}:
            return MapOf(from_spark_json(key), from_spark_json(value), nullable)
        case {"type": "struct", "fields": fields}:
            return Struct(tuple(Member(f["name"], _member_type(f), f["nullable"]) for f in fields))
    raise ValueError(f"not a Spark type: {json.dumps(data)}")


def _member_type(field: dict[str, Any]) -> Type:
    # Spark keeps char and varchar as strings with this note beside them
    return from_spark_json((field.get("metadata") or {}).get("__CHAR_VARCHAR_TYPE_STRING", field["type"]))


class _Reader:
    """Takes tokens from the front until a type is whole."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.depth = 0

    def peek(self) -> str:
        return self.tokens[0].lower() if self.tokens else ""

    def take(self, expected: str = "") -> str:
        if not self.tokens:
            raise ValueError(f"the type ends where '{expected or 'a name'}' was expected")
        token = self.tokens.pop(0)
        if expected and token.lower() != expected:
            raise ValueError(f"'{token}' stands where '{expected}' was expected")
        return token

    def type(self) -> Type:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError(f"nested deeper than {_DEEPEST} levels")
        parsed = self._unsuffixed()
        while self.peek() == "[]":
            self.take()
            parsed = Array(parsed)
        self.depth -= 1
        return parsed

    def _unsuffixed(self) -> Type:
        word = self.take().lower().removeprefix("pg_catalog.")
        if word in ("array", "map", "struct", "record", "row", "object") and self.peek() in ("<", "("):
            return self._container(word)
        if word == "interval":
            self.tokens.clear()
            return Atomic("interval")
        word = self._words(word)
        arguments = self._arguments()
        while self.peek() in ("unsigned", "signed", "zerofill"):
            self.take()
        if self.peek() in ("with", "without"):  # timestamp(6) with time zone
            word = self._words(word)
        return _scalar(word, arguments)

    def _words(self, word: str) -> str:
        """Join the following words while they make a longer known spelling."""
        taken = word
        for count in (3, 2, 1):
            longer = " ".join([word, *(token.lower() for token in self.tokens[:count])])
            if len(self.tokens) >= count and longer in _ATOMIC:
                del self.tokens[:count]
                taken = longer
                break
        return taken

    def _arguments(self) -> list[str]:
        if self.peek() != "(":
            return []
        self.take("(")
        arguments = []
        while self.peek() != ")":
            token = self.take(")" if not self.tokens else "")
            if token != ",":
                arguments.append(token)
        self.take(")")
        return [argument for argument in arguments if argument.lower() not in ("char", "byte")]

    def _container(self, word: str) -> Type:
        close = ">" if self.take() == "<" else ")"
        parsed: Type
        if word == "array":
            element = self.type()
            parsed = Array(element, self._nullable())
        elif word == "map":
            key = self.type()
            self.take(",")
            value = self.type()
            parsed = MapOf(key, value, self._nullable())
        else:
            parsed = Struct(tuple(self._members(close)))
        self.take(close)
        return parsed

    def _members(self, close: str) -> list[Member]:
        members: list[Member] = []
        while self.peek() != close:
            if members:
                self.take(",")
            name = _unquote(self.take())
            if self.peek() == ":":
                self.take()
            type_ = self.type()
            nullable = self._nullable()
            if self.peek() in ("comment", "options"):
                self.take()
                self.take()
            members.append(Member(name, type_, nullable))
        return members

    def _nullable(self) -> bool:
        if self.peek() == "not":
            self.take()
            self.take("null")
            return False
        return True


def _unquote(name: str) -> str:
    return name[1:-1].replace("``", "`") if name[0] in "`\"'" else name


def _scalar(word: str, arguments: list[str]) -> Type:
    if word in _DECIMALS:
        return _decimal(word, arguments)
    if word in _MONEY:
        return _MONEY[word]
    if word in _VARCHARS and arguments and arguments[0].isdigit():
        return Text("varchar", int(arguments[0]))
    if word in _CHARS and arguments and arguments[0].isdigit():
        return Text("char", int(arguments[0]))
    if word == "float" and arguments and arguments[0].isdigit():
        return Atomic("double" if int(arguments[0]) > 24 else "float")
    if word in _ATOMIC:
        return Atomic(_ATOMIC[word])
    raise ValueError(f"'{word}' is no type floe knows")


def _decimal(word: str, arguments: list[str]) -> Type:
    if not arguments or arguments[0] == "*":
        return Family("decimal")
    if not all(argument.lstrip("-").isdigit() for argument in arguments):
        raise ValueError(f"'{word}({','.join(arguments)})' needs numbers for precision and scale")
    precision, scale = int(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 0
    if not 1 <= precision <= _WIDEST or not 0 <= scale <= precision:
        raise ValueError(
            f"{word}({precision},{scale}) is outside what Spark holds: precision 1 to 38, scale 0 to precision"
        )
    return Decimal(precision, scale)
