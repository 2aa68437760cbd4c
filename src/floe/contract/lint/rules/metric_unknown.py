"""E506 metric-unknown."""

from collections.abc import Iterator

from floe.contract.lint.metrics import METRICS
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf
from floe.model import Message, Severity


@rule("E506", "metric-unknown", Severity.WARNING, value=RuleOf)
def metric_unknown(part: RuleOf) -> Iterator[Message]:
    """A library rule uses a metric that the standard does not define.

    Why: ODCS 3.0 does not define the names, so floe cannot evaluate the rule; it is documentation only.

    Fix: use nullValues, missingValues, invalidValues, duplicateValues or rowCount, or write a sql rule.
    """
    metric = part.noun.metric
    if part.noun.type == "library" and metric is not None and metric not in METRICS:
        yield Message(
            f"Metric '{metric}' of '{part.subject}' is not defined by the standard",
            "The rule cannot be evaluated",
            f"Use {', '.join(METRICS)}, or a sql rule",
            at=("metric",) if "metric" in part.noun.node else ("rule",),
            alike="metric",
        )
