"""E504 max-delay-invalid."""

from collections.abc import Iterator, Mapping
from typing import Any

from floe.contract.lint.floe_rules import parts
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf
from floe.lang.quantity import parse_quantity
from floe.model import Message, Severity


@rule("E504", "max-delay-invalid", Severity.ERROR, value=RuleOf)
def max_delay_invalid(part: RuleOf) -> Iterator[Message]:
    """The maxDelay of a freshness rule is not a duration.

    Why: floe cannot decide when the data is late.

    Fix: write a duration, e.g. 4h, PT4H or 2 days.
    """
    for kind, arguments in parts(part):
        if kind == "freshness" and isinstance(arguments, Mapping):
            value = arguments.get("maxDelay")
            problem = _duration_problem(value)
            if problem:
                yield Message(
                    f"The maxDelay of the freshness rule of '{part.subject}' is not a duration",
                    problem,
                    "Write a duration, e.g. 4h, PT4H or 2 days",
                    at=("implementation", kind, "maxDelay"),
                )


def _duration_problem(value: Any) -> str:
    if isinstance(value, str) and "${" in value:
        return ""
    try:
        return "" if parse_quantity(value).seconds is not None else f"maxDelay is {value}, which has no unit of time"
    except ValueError as error:
        return str(error)
