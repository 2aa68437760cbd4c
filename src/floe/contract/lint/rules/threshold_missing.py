"""E506 threshold-missing."""

from collections.abc import Iterator

from floe.contract.lint.metrics import METRICS
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf
from floe.model import Message, Severity


@rule("E506", "threshold-missing", Severity.WARNING, value=RuleOf)
def threshold_missing(part: RuleOf) -> Iterator[Message]:
    """A rule has no operator that its measured value is compared with.

    Why: without mustBe, mustBeLessThan or another operator the rule cannot fail.

    Fix: add an operator, e.g. `mustBe: 0`.
    """
    rule_ = part.noun
    judged = rule_.type == "sql" or (rule_.type == "library" and rule_.metric in METRICS)
    if judged and not rule_.operators:
        yield Message(
            f"Rule '{rule_.metric or rule_.type}' of '{part.subject}' has no operator",
            "It cannot fail",
            "Add an operator, e.g. 'mustBe: 0'",
        )
