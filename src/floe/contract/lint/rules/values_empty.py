"""E508 values-empty."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf
from floe.model import Message, Severity


@rule("E508", "values-empty", Severity.ERROR, value=RuleOf)
def values_empty(part: RuleOf) -> Iterator[Message]:
    """The list of valid values is empty, so no value is valid.

    Why: every row that has a value breaks the rule.

    Fix: list the values, or remove the rule.
    """
    if part.noun.metric == "invalidValues" and part.noun.arguments.get("validValues") == []:
        yield Message(
            f"The list of valid values for '{part.subject}' is empty",
            "No value can be valid",
            "List the values, or remove the rule",
            at=("arguments", "validValues"),
        )
