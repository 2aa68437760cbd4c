"""Literals as Spark SQL text; with `quote` nothing else puts a name or value into SQL."""

import re
from datetime import UTC, datetime, tzinfo
from decimal import ROUND_CEILING, ROUND_FLOOR, Context as Precision, Decimal as Number
from typing import Any

from floe.lang.dates import parse_day
from floe.lang.sql.names import quote as quote  # noqa: PLC0414  (those who write SQL take it from here)
from floe.model.types import Atomic, Decimal, Family, Type

_WHOLE = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")
_MOST_DIGITS = 38
_EXACT_DOUBLE = 2**53
_LARGEST_FLOAT = Number("3.4028234e38")
_CONTEXT = Precision(prec=400)


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

    >>> from floe.lang.type_text import parse_type
    >>> fits("2026-02-30", parse_type("date")), fits("7", parse_type("int")), fits("many", parse_type("int"))
    (False, True, False)
    """
    match type_:
        case Atomic("date" | "timestamp" | "timestamp_ntz"):
            return isinstance(value, str) and parse_day(value) is not None and moment(value, UTC) is not None
        case Atomic("tinyint" | "smallint" | "int" | "bigint" | "float" | "double") | Decimal():
            number = _read(value)
            floating = type_ in (Atomic("float"), Atomic("double"))
            return number is not None and (floating or _digits(number) <= _MOST_DIGITS)
        case Atomic("boolean"):
            return isinstance(value, bool) or str(value).strip().lower() in ("true", "false")
        case Family("integer" | "number" | "decimal"):
            return _read(value) is not None
    return True


def _read(value: Any) -> Number | None:
    """The number of a value."""
    if isinstance(value, str):
        return Number(value.strip()) if _NUMBER.fullmatch(value.strip()) else None
    if isinstance(value, bool) or not isinstance(value, int | float | Number):
        return None
    number = Number(str(value))
    return number if number.is_finite() else None


def _digits(number: Number) -> int:
    """How many digits a decimal that holds the number has."""
    _, digits, exponent = number.as_tuple()
    places = int(exponent)
    return len(digits) + places if places >= 0 else max(len(digits), -places)


def literal(value: Any, type_: Type, zone: tzinfo = UTC) -> str:
    """A value from a contract as a literal that compares exactly with a column of a type; `zone` is that of times without one.

    >>> from floe.lang.type_text import parse_type
    >>> literal(5, parse_type("bigint")), literal(Number("0.10"), parse_type("decimal(4,2)")), literal(5, parse_type("string"))
    ('5', '0.10BD', "'5'")
    """
    match type_:
        case _ if value is None:
            return "NULL"
        case Atomic("boolean") if fits(value, type_):
            return str(value).strip().lower()
        case Atomic("date") if fits(value, type_):
            return f"DATE {text(str(parse_day(value)))}"
        case Atomic("timestamp" | "timestamp_ntz" as name) if fits(value, type_):
            return _moment_literal(value, name, zone)
        case Atomic("float" | "double" as name) if (number := _read(value)) is not None:
            return _floating(number, name)
        case Atomic("tinyint" | "smallint" | "int" | "bigint") | Decimal() | Family("integer" | "number" | "decimal"):
            if (number := _read(value)) is not None:
                return _exact(number) if _digits(number) <= _MOST_DIGITS else _floating(number, "double")
    return text(str(value).lower() if isinstance(value, bool) else str(value))


def moment(value: str, zone: tzinfo) -> datetime | None:
    """The point in time of a text, in UTC; None if it has none, or one out of the calendar."""
    try:
        found = datetime.fromisoformat(value.upper())
        return (found if found.tzinfo else found.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _moment_literal(value: str, name: str, zone: tzinfo) -> str:
    found = moment(value, zone) or datetime.min.replace(tzinfo=UTC)
    if name == "timestamp":
        return f"TIMESTAMP {text(found.replace(tzinfo=None).isoformat(' ') + 'Z')}"
    wall = datetime.fromisoformat(value.upper())
    wall = found.astimezone(zone) if wall.tzinfo else wall
    return f"TIMESTAMP_NTZ {text(wall.replace(tzinfo=None).isoformat(' '))}"


def _exact(number: Number) -> str:
    if number == number.to_integral_value() and abs(number) < 2**63 and int(number.as_tuple().exponent) >= 0:
        return str(int(number))
    return f"{number:f}BD"


def _floating(number: Number, name: str) -> str:
    if name == "float" and abs(number) <= _LARGEST_FLOAT:
        return f"{float(number)!r}F"
    return (
        f"{float(number)!r}D"
        if abs(number) < Number("1.7976931348623158e308")
        else f"double('{'-' * (number < 0)}Infinity')"
    )


def compared(value: str, operator: str, bound: Any, type_: Type, zone: tzinfo = UTC) -> str:
    """The SQL of a comparison (`<`, `<=`, `>`, `>=`) that is exact whatever digits the bound has.

    >>> from floe.lang.type_text import parse_type
    >>> compared("x", "<", Number("0.5"), parse_type("decimal(38,0)")), compared("x", ">", 2**70, parse_type("bigint"))
    ('x < 1', 'false')
    """
    number = _read(bound)
    match type_:
        case Atomic("tinyint" | "smallint" | "int" | "bigint" as name) if number is not None:
            return _within(value, operator, number, (0, Number(2 ** (_WHOLE[name] - 1))))
        case Decimal(precision, scale) if number is not None:
            return _within(value, operator, number, (scale, Number(10) ** (precision - scale)))
        case Atomic("double") if isinstance(bound, int) and abs(bound) > _EXACT_DOUBLE:
            return _beside(value, operator, bound)
    return f"{value} {operator} {literal(bound, type_, zone)}"


def _within(value: str, operator: str, number: Number, type_: tuple[int, Number]) -> str:
    """A bound between two values of the type is moved to the one that does not change the comparison."""
    scale, limit = type_
    if abs(number) > limit:
        always = operator.startswith("<") == (number > 0)
        return f"{value} IS NOT NULL" if always else "false"
    up = operator in ("<", ">=")
    moved = number.quantize(Number(1).scaleb(-scale), ROUND_CEILING if up else ROUND_FLOOR, _CONTEXT)
    return f"{value} {operator} {_exact(number if moved == number else moved)}"


def _beside(value: str, operator: str, bound: int) -> str:
    """A whole number that no double can hold: the next double takes its place."""
    near = float(bound)
    if int(near) > bound:
        operator = {"<=": "<", ">": ">="}.get(operator, operator)
    elif int(near) < bound:
        operator = {"<": "<=", ">=": ">"}.get(operator, operator)
    return f"{value} {operator} {near!r}D"
