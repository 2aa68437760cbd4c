"""Which of two expectations is stricter."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from floe.lang.quantity import LENGTHS, Quantity, parse_quantity
from floe.model.service_level import HIGHER, LATER, direction, level_name, measured

_ISO = {"y": "P{}Y", "mo": "P{}M", "w": "P{}W", "d": "P{}D", "h": "PT{}H", "min": "PT{}M", "s": "PT{}S"}


def weaker(
    name: str, demanded: tuple[Any, str | None], given: tuple[Any, str | None], way: str | None = None
) -> bool | None:
    """Whether a service level is weaker than required; None if the two cannot be compared.

    >>> weaker("freshness", ("PT6H", None), (12, "h")), weaker("availability", ("99%", None), ("99.9%", None))
    (True, False)
    >>> weaker("freshness", ("PT6H", None), ("99%", None)) is None
    True
    """
    name = level_name(name)
    wanted, offered = measured(name, *demanded), measured(name, *given)
    if wanted is None or offered is None:
        return False if demanded == given else None
    if wanted == offered:
        return False
    way = way or direction(name, wanted[0])
    if way is None or wanted[0] != offered[0]:
        return None
    less = offered[1] < wanted[1]
    return less if way in (HIGHER, LATER) else not less


def as_written(value: Any, unit: str | None) -> str:
    """An expectation for readers: texts unchanged, a number with its unit in the ISO form.

    >>> as_written("PT6H", None), as_written(6, "h"), as_written(Decimal("99.9"), "percent"), as_written(3, "rows")
    ('PT6H', 'PT6H', '99.9%', '3 rows')
    """
    if isinstance(value, str) and not unit:
        return value
    try:
        read = parse_quantity(value, unit)
    except ValueError:
        return f"{value} {unit}" if unit else str(value)
    if read.unit in LENGTHS:
        return _iso(read)
    return f"{value}%" if read.unit else str(value)


def _iso(read: Quantity) -> str:
    unit, amount = (read.unit, read.amount) if read.unit in _ISO else ("s", read.amount * LENGTHS[read.unit])
    return _ISO[unit].format(f"{amount.normalize():f}")


@dataclass(frozen=True, slots=True)
class Span:
    """The values that a threshold allows."""

    low: Decimal
    high: Decimal
    low_open: bool = False
    high_open: bool = False

    def within(self, other: "Span") -> bool:
        """Whether every value allowed here is allowed there."""
        low = self.low > other.low or (self.low == other.low and (self.low_open or not other.low_open))
        high = self.high < other.high or (self.high == other.high and (self.high_open or not other.high_open))
        return low and high


_LEAST, _MOST = Decimal("-Infinity"), Decimal("Infinity")


def span(operator: str, value: Any) -> Span | None:
    """The values that an operator allows; None where they are no one span.

    >>> span("mustBeLessThan", 5).within(span("mustBeLessOrEqualTo", 5))
    True
    """
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(value, int | Decimal) and not isinstance(value, bool) for value in values):
        return None
    numbers = [Decimal(value) for value in values]
    match operator, numbers:
        case "mustBe", [number]:
            return Span(number, number)
        case "mustBeGreaterThan", [number]:
            return Span(number, _MOST, low_open=True)
        case (("mustBeGreaterOrEqualTo" | "mustBeGreaterThanOrEqualTo"), [number]):
            return Span(number, _MOST)
        case "mustBeLessThan", [number]:
            return Span(_LEAST, number, high_open=True)
        case (("mustBeLessOrEqualTo" | "mustBeLessThanOrEqualTo"), [number]):
            return Span(_LEAST, number)
        case "mustBeBetween", [low, high]:
            return Span(low, high)
    return None
