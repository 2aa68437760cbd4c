"""E506 rule-severity-unknown."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf, fold
from floe.model import Message, Severity

_SEVERITIES = ("info", "warning", "error", "critical")
_READ = (*_SEVERITIES, "warn")


@rule("E506", "rule-severity-unknown", Severity.WARNING, value=RuleOf)
def rule_severity_unknown(part: RuleOf) -> Iterator[Message]:
    """The severity of a rule is not info, warning, error or critical.

    Why: the severity decides whether a failure refuses a batch; an unknown word counts as error.

    Fix: use info, warning, error or critical.
    """
    severity = part.noun.severity
    if isinstance(severity, str) and severity.strip().lower() not in _READ and "${" not in severity:
        yield Message(
            f"Severity '{severity}' of the rule on '{part.subject}' is unknown",
            "floe treats it as error",
            f"Use {', '.join(_SEVERITIES)}",
            at=("severity",),
            alike=fold(severity),
        )
