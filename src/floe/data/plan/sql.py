"""Names and literals as Spark SQL text; nothing else puts a value into SQL."""

import re
from decimal import Decimal as Number
from typing import Any

from floe.model.dates import parse_day
from floe.model.types import Atomic, Decimal, Family, Type

_TYPED = {"date": "DATE", "timestamp": "TIMESTAMP", "timestamp_ntz": "TIMESTAMP_NTZ"}
_LONGEST = 2**63
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")


def quote(name: str) -> str:
    """A name in backticks.

    >>> quote("a`b.c")
    '`a``b.c`'
    """
    return "`" + name.replace("`", "``") + "`"


def text(value: str) -> str:
    r"""A string literal; every character that could end or escape it is written by its number ($ begins a Spark variable).

    >>> print(text("it's"))
    'it\u0027s'
    """
    return "'" + "".join(c if c.isprintable() and c not in "'\\$" else _escaped(c) for c in value) + "'"


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def fits(value: Any, type_: Type) -> bool:
    """Whether a value from a contract can be a value of a type; Spark fails where it compares with one that cannot.

    >>> from floe.model.type_text import parse_type
    >>> fits("2026-02-30", parse_type("date")), fits("7", parse_type("int")), fits("many", parse_type("int"))
    (False, True, False)
    """
    match type_, value:
        case Atomic("date" | "timestamp" | "timestamp_ntz"), str():
            return parse_day(value) is not None
        case Atomic("tinyint" | "smallint" | "int" | "bigint" | "float" | "double") | Decimal(), str():
            return _NUMBER.fullmatch(value.strip()) is not None
        case Atomic("boolean"), str():
            return value.strip().lower() in ("true", "false")
    return True


def literal(value: Any, type_: Type) -> str:
    """A value from a contract as a literal that compares exactly with a column of a type.

    >>> from floe.model.type_text import parse_type
    >>> literal(5, parse_type("bigint")), literal(Number("0.10"), parse_type("decimal(4,2)")), literal(5, parse_type("string"))
    ('5', '0.10BD', "'5'")
    """
    match type_, value:
        case _, None:
            return "NULL"
        case Atomic("boolean"), bool():
            return "true" if value else "false"
        case (
            Atomic("tinyint" | "smallint" | "int" | "bigint" | "float" | "double") | Decimal() | Family(),
            int() | Number() | float(),
        ):
            return _number(value)
        case Atomic("date" | "timestamp" | "timestamp_ntz" as name), str():
            return f"{_TYPED[name]} {text(value)}"
        case _, bool():
            return text(str(value).lower())
    return text(str(value))


def _number(value: Any) -> str:
    if isinstance(value, int):
        return str(value) if -_LONGEST < value < _LONGEST else f"{value}BD"
    return f"{Number(str(value)):f}BD"
