"""E506 rule-unit-unknown."""

from collections.abc import Iterator

from floe.contract.lint.metrics import METRICS
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf
from floe.model import Message, Severity

_UNITS = ("rows", "row", "percent", "%")


@rule("E506", "rule-unit-unknown", Severity.WARNING, value=RuleOf)
def rule_unit_unknown(part: RuleOf) -> Iterator[Message]:
    """A metric has a unit other than rows or percent.

    Why: floe compares the threshold with a number of rows or a percentage of rows.

    Fix: write `unit: rows` or `unit: percent`.
    """
    unit = part.noun.unit
    if part.noun.type == "library" and part.noun.metric in METRICS and isinstance(unit, str) and unit not in _UNITS:
        yield Message(
            f"Unit '{unit}' of the rule on '{part.subject}' is neither rows nor percent",
            "floe reads the number as rows",
            "Write 'unit: rows' or 'unit: percent'",
            at=("unit",),
        )
