"""What the options of a type say, whatever words they are written in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

# the inclusive key, the exclusive one, and which way is stricter
BOUNDS = (
    ("minimum", "exclusiveMinimum", 1),
    ("maximum", "exclusiveMaximum", -1),
    ("minLength", None, 1),
    ("maxLength", None, -1),
    ("minItems", None, 1),
    ("maxItems", None, -1),
    ("minProperties", None, 1),
    ("maxProperties", None, -1),
)
_KEYS = frozenset(key for inclusive, exclusive, _ in BOUNDS for key in (inclusive, exclusive))
# a lower bound of nothing is none
_NATURAL = ("minLength", "minItems", "minProperties")
UTC_NAMES = ("UTC", "Etc/UTC")
# what holds where nothing is said
_DEFAULTS: dict[str, tuple[Any, ...]] = {"uniqueItems": (False,), "timezone": (True,), "defaultTimezone": UTC_NAMES}


@dataclass(frozen=True, slots=True)
class Bound:
    """One bound as written and as it compares: which way is stricter, and whether the value itself is beyond it."""

    key: str
    written: Any
    value: Any
    way: int
    exclusive: bool

    def __str__(self) -> str:
        return f"{self.key} {self.written}"

    def differs(self, other: "Bound") -> bool:
        """Whether another bound lets other values through."""
        return (self.value, self.exclusive) != (other.value, other.exclusive)

    def looser(self, new: "Bound") -> bool:
        """Whether a new bound certainly lets more through; of two texts nobody knows."""
        if self.value == new.value:
            return self.exclusive and not new.exclusive
        if isinstance(self.value, str):
            return False
        try:
            return bool(new.value > self.value) if self.way < 0 else bool(new.value < self.value)
        except TypeError:
            return False


def bounds(options: Mapping[str, Any]) -> Iterator[Bound | None]:
    """The bounds that count, one for each entry of BOUNDS; None where there is none."""
    for inclusive, exclusive, way in BOUNDS:
        yield _bound(options, inclusive, exclusive, way)


def said(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options in their one form: the bounds that count, and nothing that holds anyway.

    >>> said({"minimum": 5, "exclusiveMinimum": 3, "uniqueItems": False, "format": "email"})
    {'format': 'email', 'minimum': 5}
    """
    out = {key: value for key, value in options.items() if key not in _KEYS and not _holds_anyway(key, value)}
    for bound in bounds(options):
        if bound:
            out[bound.key] = bound.value if isinstance(bound.value, Decimal | str) else bound.value.isoformat()
    return {key: _number(value) for key, value in out.items()}


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else value


def _holds_anyway(key: str, value: Any) -> bool:
    # 0 is no false, and 1 no true
    return any(
        value is each_one or (isinstance(each_one, str) and value == each_one) for each_one in _DEFAULTS.get(key, ())
    )


def _bound(options: Mapping[str, Any], inclusive: str, exclusive: str | None, way: int) -> Bound | None:
    """The stricter of the inclusive and the exclusive bound."""
    least, beyond = options.get(inclusive), options.get(exclusive) if exclusive else None
    if isinstance(beyond, bool):  # v3.0: a flag beside the bound
        if least is None:
            return None
        return _read(exclusive if beyond and exclusive else inclusive, least, way, beyond)
    bound = None if least is None or (inclusive in _NATURAL and least == 0) else _read(inclusive, least, way, False)
    other = None if beyond is None or exclusive is None else _read(exclusive, beyond, way, True)
    if bound and other:
        return bound if bound.looser(other) else other
    return bound or other


def _read(key: str, written: Any, way: int, exclusive: bool) -> Bound:
    return Bound(key, written, _value(written), way, exclusive)


def _value(written: Any) -> Any:
    """A bound as it compares: a number exactly, a date or time as such, else as text."""
    if isinstance(written, int | float | Decimal) and not isinstance(written, bool):
        return Decimal(str(written))
    text = str(written).strip()
    for read in (_finite, _moment, time.fromisoformat):
        try:
            return read(text)
        except (ValueError, ArithmeticError):
            continue
    return text


def _finite(text: str) -> Decimal:
    value = Decimal(text)
    if not value.is_finite():
        raise ValueError(text)
    return value


def _moment(text: str) -> datetime:
    """A date is its first moment, and a time without a zone is UTC, so that every two of them compare."""
    day_only = len(text) <= len("2026-01-01")
    read = datetime.combine(date.fromisoformat(text), time()) if day_only else datetime.fromisoformat(text)
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
