"""Types as people write them: Spark, SQL, Snowflake, BigQuery, Postgres, Databricks, MySQL, SQL Server and Oracle.

sqlglot parses types too, but costs `floe lint` more than it saves: 65 ms of CPU to import beside 3 ms, 150 µs a type beside
18 µs, and Spark's VOID is an error to it. Its types would still have to become floe's, spelling by spelling.
"""

import json
import re
from functools import lru_cache
from typing import Any

from floe.model.types import Array, Atomic, Decimal, Family, MapOf, Member, Struct, Text, Type

_SPELLINGS = {
    "tinyint": "byte|int1|byteint|i8",
    "smallint": "short|int2|smallserial|serial2|int16|year|i16|uint8|u8|utinyint",
    "int": "integer|int4|serial|serial4|mediumint|int32|signed|i32|uint16|u16|usmallint",
    "bigint": "long|int8|bigserial|serial8|int64|largeint|oid|i64|uint32|u32|uinteger",
    "float": "real|float4|float32|binary_float|f32|halffloat|float16|half_float",
    "double": "double precision|float8|float64|binary_double|f64",
    "string": "text|clob|nclob|ntext|tinytext|mediumtext|longtext|varchar2|nvarchar2|uuid|uniqueidentifier|guid|json|jsonb|xml"
    "|citext|name|inet|cidr|macaddr|macaddr8|enum|set|geography|geometry|hyperunique|character varying|nvarchar|varchar"
    "|keyword|bpchar|char|nchar|character|national character varying|national varchar|national character|national char"
    "|char varying|nchar varying|character large object|char large object|xmltype|rowid|urowid|sysname|hierarchyid|str"
    "|tsvector|tsquery|fixedstring|varstring|decfloat|point|line|lseg|box|path|polygon|circle|int4range|int8range|numrange"
    "|tsrange|tstzrange|daterange|bit varying|varbit|ipv4|ipv6|wildcard|ip|pg_lsn|utf8|large_string|large_utf8|objectid|ltree|user-defined",
    "binary": "bytes|varbinary|bytea|blob|longblob|mediumblob|tinyblob|raw|long raw|image|fixed|varbyte|binary varying"
    "|rowversion|bfile|hllsketch|binary large object|long varbinary|fixed_len_byte_array|byte_array",
    "boolean": "bool|bit|logical",
    "date": "date32|date64",
    "timestamp": "int96|timestamptz|timestamp_ltz|timestamp_tz|timestamp with time zone|timestamp with local time zone"
    "|timestampltz|datetimeoffset|timestamp with timezone|timestamptz_ns",
    "timestamp_ntz": "timestampntz|timestamp without time zone|datetime|datetime2|datetime64|smalldatetime"
    "|timestamp without timezone|timestamp_without_timezone|timestamp_ns|timestamp_ms|timestamp_s",
    "time": "timetz|time without time zone|time with time zone|time without timezone|time with timezone",
    "variant": "super|sql_variant",
    "void": "null|unknown|nulltype",
    "interval": "",
}
_ATOMIC = {word: name for name, words in _SPELLINGS.items() for word in [name, *words.split("|")] if word}
_VARCHARS = (
    *("varchar", "varchar2", "nvarchar", "nvarchar2", "string", "text", "character varying", "char varying"),
    *("nchar varying", "national varchar", "national character varying"),
)
_CHARS = ("char", "character", "nchar", "bpchar", "fixedstring", "national char", "national character")
_DECIMALS = ("decimal", "dec", "numeric", "number", "bignumeric", "bigdecimal", "decimal128")
_FIXED: dict[str, Type] = {
    "money": Decimal(19, 4),
    "smallmoney": Decimal(10, 4),
    "uint64": Decimal(20, 0),
    "u64": Decimal(20, 0),
    "ubigint": Decimal(20, 0),
    "hugeint": Decimal(38, 0),
    "int128": Decimal(38, 0),
    "i128": Decimal(38, 0),
    "u128": Decimal(38, 0),
    "hstore": MapOf(Atomic("string"), Atomic("string")),
}
_UNSIGNED: dict[str, Type] = {
    "tinyint": Atomic("smallint"),
    "smallint": Atomic("int"),
    "int": Atomic("bigint"),
    "bigint": Decimal(20, 0),
}
_CONTAINERS = {
    "array": "array list",
    "map": "map dict",
    "object": "object struct record row tuple nested",
}
_CONTAINER = {word: kind for kind, words in _CONTAINERS.items() for word in words.split()}
# numbers besides Spark's type: digits of a second, bytes of a binary
_TIMES = ("timestamp", "timestamp_ntz", "time")
_DIGITS = {
    "datetime2": 7,
    "datetimeoffset": 7,
    "timestamp_ns": 9,
    "timestamptz_ns": 9,
    "timestamp_ms": 3,
    "timestamp_s": 0,
}
_FIXED_BINARY = ("binary", "fixed", "fixed_len_byte_array")
_WRAPPERS = ("nullable", "lowcardinality")
_TOKEN = re.compile(
    r"\s*(`(?:[^`]|``)*`|\"[^\"]*\"|'(?:[^'\\]|\\.|'')*'|\[\s*\d*\s*\]|\[[A-Za-z_]\w*\]|[\w$.\-/]+|.)", re.DOTALL
)
_ARROW_UNITS = ("s", "ms", "us", "ns")
_STRING = Atomic("string")
_WIDEST = 38
_LONGEST = 2_147_483_647
_DEEPEST = 100
_MOST = 20_000


@lru_cache(maxsize=4096)
def parse_type(text: str) -> Type:
    """The type of a text; ValueError names what could not be read.

    >>> str(parse_type("ARRAY<STRUCT<id: BIGINT NOT NULL, price: NUMERIC(12, 2)>>"))
    'array<struct<id:bigint not null,price:decimal(12,2)>>'
    >>> str(parse_type("character varying(20)")), str(parse_type("int[]")), str(parse_type("varchar[15]"))
    ('varchar(20)', 'array<int>', 'varchar(15)')
    """
    if len(text) > _MOST:
        raise ValueError(f"a type of {len(text):,} characters")
    reader = _TypeReader([token for token in _TOKEN.findall(text.strip()) if token.strip()])
    parsed = reader.type()
    reader.nullable()
    if reader.tokens:
        raise ValueError(f"'{' '.join(reversed(reader.tokens))}' is unexpected in type '{text}'")
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
    # Spark keeps char and varchar as strings with this note
    return from_spark_json((field.get("metadata") or {}).get("__CHAR_VARCHAR_TYPE_STRING", field["type"]))


class _TypeReader:
    """Takes tokens from the front until a type is whole."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens[::-1]
        self.depth = 0

    def peek(self) -> str:
        return self.tokens[-1].lower() if self.tokens else ""

    def take(self, expected: str = "") -> str:
        if not self.tokens:
            raise ValueError(f"the type ends where '{expected or 'a name'}' was expected")
        token = self.tokens.pop()
        if expected and token.lower() != expected:
            raise ValueError(f"'{token}' was found where '{expected}' was expected")
        return token

    def type(self) -> Type:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError(f"nested deeper than {_DEEPEST} levels")
        parsed = self._unsuffixed()
        while self.peek().startswith("["):
            parsed = _sized(parsed, self.take())
        self.depth -= 1
        return parsed

    def nullable(self) -> bool:
        if self.peek() == "null":
            self.take()
        if self.peek() == "not":
            self.take()
            self.take("null")
            return False
        return True

    def _unsuffixed(self) -> Type:
        word = self._first()
        if word in _CONTAINER and (self.peek() in ("<", "(") or word not in _ATOMIC):
            return self._container(_CONTAINER[word]) if self.peek() in ("<", "(") else Family(_CONTAINER[word])
        if word in _WRAPPERS and self.peek() == "(":
            return self._wrapped()
        if word == "vector":
            return self._vector()
        if word == "interval":
            return self._interval()
        if word == "fixed" and self.peek()[1:-1].strip().isdigit():
            return Atomic("binary", int(self.take()[1:-1]), True)  # Iceberg's fixed[16]
        return self._scalar(word)

    def _first(self) -> str:
        word = self.take().lower()
        quoted = word[0] in '`"[' and len(word) > 2
        return word[1:-1] if quoted else word.removeprefix("pg_catalog.").removeprefix("sys.")

    def _scalar(self, word: str) -> Type:
        if word.startswith("_") and word[1:] in _ATOMIC:
            return Array(Atomic(_ATOMIC[word[1:]]))
        word = self._words(word)
        arguments = self._arguments()
        word = self._words(word)  # timestamp(6) with time zone
        unsigned = self._attributes()
        parsed = _scalar(word, arguments)
        return _UNSIGNED.get(parsed.name, parsed) if unsigned and isinstance(parsed, Atomic) else parsed

    def _attributes(self) -> bool:
        """Skip additions of a warehouse to a type; returns whether it is unsigned."""
        unsigned = False
        while (word := self.peek()) in ("unsigned", "signed", "zerofill", "collate", "character", "charset"):
            self.take()
            unsigned = unsigned or word == "unsigned"
            if word == "character":
                self.take("set")
            if word in ("collate", "character", "charset"):
                self.take()
        return unsigned

    def _wrapped(self) -> Type:
        self.take("(")
        parsed = self.type()
        self.take(")")
        return parsed

    def _vector(self) -> Type:
        """`VECTOR(FLOAT, 256)` and `vector(256)`."""
        element: Type = Atomic("float")
        if self.peek() in ("(", "<"):
            close = ">" if self.take() == "<" else ")"
            if not self.peek().isdigit():
                element = self.type()
                self.take(",")
            self.take()
            self.take(close)
        return Array(element, False)

    def _interval(self) -> Type:
        while self.peek() in ("year", "month", "day", "hour", "minute", "second", "to", "("):
            if self.peek() == "(":
                self._arguments()
            else:
                self.take()
        return Atomic("interval")

    def _words(self, word: str) -> str:
        """Join the following words while they make a longer known spelling."""
        for count in (4, 3, 2, 1):
            following = [token.lower() for token in reversed(self.tokens[-count:])]
            longer = " ".join([word, *following])
            if len(following) == count and longer in _ATOMIC:
                del self.tokens[-count:]
                return longer
        return word

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

    def _container(self, kind: str) -> Type:
        close = ">" if self.take() == "<" else ")"
        parsed: Type
        if kind == "array":
            element = self.type()
            parsed = Array(element, self.nullable())
        elif kind == "map":
            key = self.type()
            self.take(",")
            value = self.type()
            parsed = MapOf(key, value, self.nullable())
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
            nullable = self.nullable()
            self._remark()
            members.append(Member(name, type_, nullable))
        return members

    def _remark(self) -> None:
        """Skip `COMMENT 'text'` and `OPTIONS(…)`."""
        if self.peek() == "comment":
            self.take()
            self.take()
        elif self.peek() == "options":
            self.take()
            self._arguments()


def _sized(parsed: Type, brackets: str) -> Type:
    """`varchar[15]` is a length, `int[3]` an array, `timestamp[us]` a timestamp of Arrow's."""
    size = brackets[1:-1].strip()
    if size in _ARROW_UNITS:
        return Atomic("timestamp_ntz") if parsed == Atomic("timestamp") else parsed
    if size.isdigit() and parsed in (_STRING, Text("char", 1)):
        return _bounded("varchar", size)
    return Array(parsed)


def _unquote(name: str) -> str:
    return name[1:-1].replace("``", "`") if name[0] in "`\"'[" and len(name) > 1 else name


def _scalar(word: str, arguments: list[str]) -> Type:
    first = arguments[0] if arguments else ""
    if word in _DECIMALS:
        return _decimal(word, arguments)
    if word in _FIXED:
        return _FIXED[word]
    if first.isdigit() and word in _VARCHARS:
        return _bounded("varchar", first)
    if first.isdigit() and word in _CHARS:
        return _bounded("char", first)
    if word not in _ATOMIC:
        raise ValueError(f"'{word}' is not a known type")
    name = _by_argument(word, first) or _ATOMIC[word]
    return Atomic(name, *_size(word, name, first))


def _size(word: str, name: str, first: str) -> tuple[int | None, bool]:
    """The digits or bytes that a type is written with, and whether a binary always has them."""
    if name not in (*_TIMES, "binary") or word == "bit":
        return None, False
    size = int(first) if first.isdigit() and len(first) < 11 else _DIGITS.get(word)
    return size, size is not None and word in _FIXED_BINARY


def _by_argument(word: str, first: str) -> str | None:
    """`float(53)`, MySQL's `tinyint(1)` and `bit(8)` are other types than their names."""
    if not first.isdigit():
        return None
    match word:
        case "float":
            return "double" if int(first) > 24 else "float"
        case "tinyint" if first == "1":
            return "boolean"
        case "bit" if first != "1":
            return "binary"
    return None


def _bounded(kind: str, size: str) -> Type:
    length = int(size) if len(size) < 11 else _LONGEST + 1
    if length < 1:
        raise ValueError(f"{kind}({size}) has no room for a character")
    return Text(kind, length) if length <= _LONGEST else _STRING


def _decimal(word: str, arguments: list[str]) -> Type:
    if not arguments or arguments == ["*"]:
        return Family("decimal")
    precision, scale = [str(_WIDEST) if a == "*" else a for a in (*arguments, "0")][:2]
    if not (precision.isdigit() and scale.lstrip("-").isdigit()) or len(precision + scale) > 10:
        raise ValueError(f"'{word}({','.join(arguments)})' needs numbers for precision and scale")
    # Oracle's negative scale rounds before the point, which needs that many more digits
    digits, places = int(precision) - min(int(scale), 0), max(int(scale), 0)
    if not 1 <= digits <= _WIDEST or not 0 <= places <= digits:
        raise ValueError(
            f"{word}({precision},{scale}) is outside the range of Spark: precision 1 to 38, scale 0 to precision"
        )
    return Decimal(digits, places)
