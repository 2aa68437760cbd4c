"""K1 bound-tightened and K2 bound-loosened."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from floe.contract.compat.change import Delta, change
from floe.contract.compat.pairs import FieldPair
from floe.model.change import Bump, Impact

# the inclusive key, the exclusive one, and which way is stricter
_BOUNDS = (
    ("minimum", "exclusiveMinimum", 1),
    ("maximum", "exclusiveMaximum", -1),
    ("minLength", None, 1),
    ("maxLength", None, -1),
    ("minItems", None, 1),
    ("maxItems", None, -1),
    ("minProperties", None, 1),
    ("maxProperties", None, -1),
)
# a lower bound of nothing is none
_NATURAL = ("minLength", "minItems", "minProperties")


@change("bound-tightened", "K1", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, each=FieldPair)
def bound_tightened(field: FieldPair) -> Iterator[Delta]:
    """A bound is new or stricter: values that were good are bad now.

    Why: writers of such values are refused from then on.

    Fix: keep the old bound, or publish a MAJOR with a migration text.
    """
    for old, new in _moved(field):
        if new and (old is None or not _looser(old, new)):
            yield Delta(old=str(old) if old else None, new=str(new), about=field.new)


@change("bound-loosened", "K2", bump=Bump.MINOR, reader=Impact.BREAK, writer=Impact.OK, each=FieldPair)
def bound_loosened(field: FieldPair) -> Iterator[Delta]:
    """A bound is gone or less strict: values come that could not come before.

    Why: readers that relied on the bound, in a column's width or a branch, meet values beyond it.

    Fix: tell the readers before the first such value is written.
    """
    for old, new in _moved(field):
        if old and (new is None or _looser(old, new)):
            yield Delta(old=str(old), new=str(new) if new else None, dangerous=True, about=field.new)


@dataclass(frozen=True, slots=True)
class _Bound:
    """One bound as written and as it compares: which way is stricter, and whether the value itself is beyond it."""

    key: str
    written: Any
    value: Any
    way: int
    exclusive: bool

    def __str__(self) -> str:
        return f"{self.key} {self.written}"


def _moved(field: FieldPair) -> Iterator[tuple[_Bound | None, _Bound | None]]:
    """Bounds that are not what they were, old and new."""
    if not (both := field.both) or not (both[0].options or both[1].options):
        return
    for inclusive, exclusive, way in _BOUNDS:
        old, new = (_bound(one.options, inclusive, exclusive, way) for one in both)
        if (old is None) != (new is None) or (old and new and _differ(old, new)):
            yield old, new


def _bound(options: Mapping[str, Any], inclusive: str, exclusive: str | None, way: int) -> _Bound | None:
    """The stricter of the inclusive and the exclusive bound."""
    least, beyond = options.get(inclusive), options.get(exclusive) if exclusive else None
    if isinstance(beyond, bool):  # v3.0: a flag beside the bound
        return None if least is None else _read(exclusive if beyond and exclusive else inclusive, least, way, beyond)
    one = None if least is None or (inclusive in _NATURAL and least == 0) else _read(inclusive, least, way, False)
    other = None if beyond is None or exclusive is None else _read(exclusive, beyond, way, True)
    if one and other:
        return one if _looser(one, other) else other
    return one or other


def _read(key: str, written: Any, way: int, exclusive: bool) -> _Bound:
    return _Bound(key, written, _value(written), way, exclusive)


def _value(written: Any) -> Any:
    """A bound as it compares: a number exactly, a date or time as such, else as text."""
    if isinstance(written, int | float | Decimal) and not isinstance(written, bool):
        return Decimal(str(written))
    text = str(written).strip()
    for read in (_number, _moment, time.fromisoformat):
        try:
            return read(text)
        except (ValueError, ArithmeticError):
            continue
    return text


def _number(text: str) -> Decimal:
    value = Decimal(text)
    if not value.is_finite():
        raise ValueError(text)
    return value


def _moment(text: str) -> datetime:
    """A date is its first moment, so that it compares with a timestamp."""
    return datetime.fromisoformat(text) if len(text) > len("2026-01-01") else _midnight(date.fromisoformat(text))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time())


def _differ(old: _Bound, new: _Bound) -> bool:
    return (old.value, old.exclusive) != (new.value, new.exclusive)


def _looser(old: _Bound, new: _Bound) -> bool:
    """Whether the new bound certainly lets more through."""
    if old.value == new.value:
        return old.exclusive and not new.exclusive
    try:
        return bool(new.value > old.value) if old.way < 0 else bool(new.value < old.value)
    except TypeError:
        return False
