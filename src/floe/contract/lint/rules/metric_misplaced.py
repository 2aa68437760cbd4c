"""E506 metric-misplaced."""

from collections.abc import Iterator

from floe.contract.lint.metrics import ON_FIELDS
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf
from floe.model import Message, Severity


@rule("E506", "metric-misplaced", Severity.WARNING, value=RuleOf)
def metric_misplaced(part: RuleOf) -> Iterator[Message]:
    """A metric is used at a level where it has no meaning.

    Why: rowCount is for datasets, nullValues for columns. A rule at the wrong level is never evaluated, so no run
    passes.

    Fix: move the rule to the dataset (rowCount) or to the column (nullValues, missingValues, invalidValues).
    """
    metric = part.noun.metric
    if part.noun.type == "library" and (metric == "rowCount" if part.field else metric in ON_FIELDS):
        wrong, right = ("column", "dataset") if part.field else ("dataset", "column")
        yield Message(
            f"Metric '{metric}' is used on the {wrong} '{part.subject}'",
            f"'{metric}' is a metric of a {right}",
            f"Move the rule to the {right}",
            at=("metric",) if "metric" in part.noun.node else ("rule",),
        )
