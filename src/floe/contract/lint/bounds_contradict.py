"""E508 bounds-contradict."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from floe.contract.lint.rule import rule
from floe.model import Field, Message, Severity

_PAIRS = (
    ("minimum", "maximum", False),
    ("minimum", "exclusiveMaximum", True),
    ("exclusiveMinimum", "maximum", True),
    ("exclusiveMinimum", "exclusiveMaximum", True),
    ("minLength", "maxLength", False),
    ("minItems", "maxItems", False),
    ("minProperties", "maxProperties", False),
)


@rule("E508", "bounds-contradict", Severity.ERROR, each=Field)
def bounds_contradict(field: Field) -> Iterator[Message]:
    """A lower bound lies above its upper bound, so that no value can keep the promise.

    Why: every row breaks the contract, and the one who reads the error blames the data.

    Fix: swap the two bounds, or correct the wrong one.
    """
    for low, high, strict in _PAIRS:
        least: Any = field.options.get(low)
        most: Any = field.options.get(high)
        if _comparable(least, most) and (least >= most if strict else least > most):
            yield Message(
                f"No value of '{field.path}' can satisfy both '{low}' and '{high}'",
                f"{low} is {least}, {high} is {most}",
                f"Give '{low}' a value {'below' if strict else 'of at most'} {most}, or raise '{high}'",
                at=("logicalTypeOptions", low),
            )


def _comparable(one: Any, other: Any) -> bool:
    numbers = all(isinstance(value, int | Decimal) and not isinstance(value, bool) for value in (one, other))
    return numbers or (isinstance(one, str) and isinstance(other, str))
