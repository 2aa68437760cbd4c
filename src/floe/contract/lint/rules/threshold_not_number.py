"""E506 threshold-not-number."""

from collections.abc import Iterator

from floe.contract.lint.metrics import METRICS
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf, is_number, shown
from floe.model import Message, Severity


@rule("E506", "threshold-not-number", Severity.ERROR, value=RuleOf)
def threshold_not_number(part: RuleOf) -> Iterator[Message]:
    """The threshold of a count is not a number.

    Why: a count never equals a text, so the rule cannot be evaluated.

    Fix: write a number.
    """
    if part.noun.type == "library" and part.noun.metric in METRICS:
        for name, value in part.noun.operators.items():
            values = value if isinstance(value, list) else [value]
            if not all(is_number(value) or "${" in str(value) for value in values):
                yield Message(
                    f"Operator '{name}' of '{part.subject}' is not a number",
                    f"{name} is {shown(value)}",
                    "Write a number",
                    at=(name,),
                )
