"""E508 floe-rule-contradict."""

from collections.abc import Iterator, Mapping
from typing import Any

from floe.contract.lint.floe_rules import parts
from floe.contract.lint.rule import rule
from floe.contract.lint.rules.bounds_contradict import comparable
from floe.contract.lint.views import RuleOf
from floe.model import Message, Severity


@rule("E508", "floe-rule-contradict", Severity.ERROR, value=RuleOf)
def floe_rule_contradict(part: RuleOf) -> Iterator[Message]:
    """The lower bound of a range or volume rule is above its upper bound.

    Why: the rule fails on any data.

    Fix: swap the two numbers, or correct one of them.
    """
    for kind, arguments in parts(part):
        if not isinstance(arguments, Mapping):
            continue
        for low, high in (("minimum", "maximum"), ("minRowsPerDay", "maxRowsPerDay")):
            least: Any = arguments.get(low)
            most: Any = arguments.get(high)
            if comparable(least, most) and least > most:
                yield Message(
                    f"No data can satisfy the rule '{kind}' of '{part.subject}'",
                    f"{low} is {least}, {high} is {most}",
                    "Swap the two numbers",
                    at=("implementation", kind, low),
                )
