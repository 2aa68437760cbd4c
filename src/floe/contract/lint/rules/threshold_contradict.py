"""E508 threshold-contradict."""

from collections.abc import Iterator
from typing import Any

from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf, is_number
from floe.model import Message, Severity

_LOWER = ("mustBeGreaterThan", "mustBeGreaterOrEqualTo", "mustBeGreaterThanOrEqualTo")
_UPPER = ("mustBeLessThan", "mustBeLessOrEqualTo", "mustBeLessThanOrEqualTo")
_RANGES = ("mustBeBetween", "mustNotBeBetween")


@rule("E508", "threshold-contradict", Severity.ERROR, value=RuleOf)
def threshold_contradict(part: RuleOf) -> Iterator[Message]:
    """The operators of a rule exclude every value, or require a percentage outside 0 to 100.

    Why: the rule fails on any data.

    Fix: swap the two numbers, or correct one of them.
    """
    for low, least, high, most in _bounds(part.noun.operators):
        if least > most:
            both = f"{low} is {least}, {high} is {most}" if low != high else f"{low} is [{least}, {most}]"
            yield Message(
                f"No value can satisfy the operators of the rule on '{part.subject}'",
                both,
                "Write the smaller number first" if low == high else "Swap the two numbers",
                at=(low,),
            )
    if part.noun.unit in ("percent", "%"):
        for name, value in part.noun.operators.items():
            if is_number(value) and not 0 <= value <= 100:
                yield Message(
                    f"Operator '{name}' of '{part.subject}' requires a percentage outside 0 to 100",
                    f"{name} is {value}",
                    "Write a percentage from 0 to 100",
                    at=(name,),
                )


def _bounds(operators: Any) -> Iterator[tuple[str, Any, str, Any]]:
    for name in _RANGES:
        match operators.get(name):
            case [least, most] if is_number(least) and is_number(most):
                yield name, least, name, most
    lows = [(name, operators[name]) for name in _LOWER if is_number(operators.get(name))]
    highs = [(name, operators[name]) for name in _UPPER if is_number(operators.get(name))]
    yield from ((low, least, high, most) for low, least in lows for high, most in highs)
