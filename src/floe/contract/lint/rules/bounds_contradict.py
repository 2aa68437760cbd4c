"""E508 bounds-contradict."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from floe.contract.lint.rule import rule
from floe.model import Field, Message, Severity
from floe.model.types import Text

_PAIRS = (
    ("minimum", "maximum", False),
    ("minimum", "exclusiveMaximum", True),
    ("exclusiveMinimum", "maximum", True),
    ("exclusiveMinimum", "exclusiveMaximum", True),
    ("minLength", "maxLength", False),
    ("minItems", "maxItems", False),
    ("minProperties", "maxProperties", False),
)


@rule("E508", "bounds-contradict", Severity.ERROR, value=Field)
def bounds_contradict(field: Field) -> Iterator[Message]:
    """A lower bound is above its upper bound, so no value is valid.

    Why: every row breaks the contract, although the data may be correct.

    Fix: swap the two bounds, or correct the wrong one.
    """
    if not field.options:
        return
    for low, high, strict in _PAIRS:
        least: Any = field.options.get(low)
        most: Any = field.options.get(high)
        if comparable(least, most) and (least >= most if strict else least > most):
            yield Message(
                f"'{low}' and '{high}' of '{field.path}' contradict each other",
                f"{low} is {least}, {high} is {most}",
                f"Give '{low}' a value {'below' if strict else 'of at most'} {most}, or raise '{high}'",
                at=("logicalTypeOptions", low),
            )
    yield from _too_long(field)


def _too_long(field: Field) -> Iterator[Message]:
    least = field.options.get("minLength")
    if isinstance(field.type, Text) and isinstance(least, int) and least > field.type.length:
        yield Message(
            f"'minLength' of '{field.path}' is longer than its type allows",
            f"minLength is {least}, the type {field.type} allows {field.type.length} characters",
            "Lower minLength, or widen the type",
            at=("logicalTypeOptions", "minLength"),
        )


def comparable(value: Any, other: Any) -> bool:
    """Whether two bounds can be compared: both numbers, or both text (dates in ISO form compare as text)."""
    numbers = all(isinstance(value, int | Decimal) and not isinstance(value, bool) for value in (value, other))
    return numbers or (isinstance(value, str) and isinstance(other, str))
