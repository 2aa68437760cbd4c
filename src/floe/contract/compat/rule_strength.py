"""How much a quality rule matters: its severity, and whether it says the same as a schema fact."""

from typing import Any

from floe.contract.compat.pairs import RulePair
from floe.contract.compat.threshold import threshold
from floe.model import QualityRule, Severity

_WORDS = {"warn": Severity.WARNING, **{severity.name.lower(): severity for severity in Severity}}
# rules that a gate does not judge (docs/design/enforcement.md)
_NOT_AT_GATES = ("volume", "freshness")


def severity(rule: QualityRule) -> Severity | None:
    """The severity as the rule gives it, else error; None where the word is unknown."""
    if rule.severity is not None:
        return _WORDS.get(rule.severity.strip().lower())
    return Severity.CRITICAL if "pointInTime" in floe_parts(rule) else Severity.ERROR


def refuses(rule: QualityRule) -> bool:
    """Whether a gate would refuse rows for it, at the strictest level of enforcement."""
    found = severity(rule)
    return found is not None and found >= Severity.ERROR and _at_gates(rule)


def _at_gates(rule: QualityRule) -> bool:
    if rule.type in ("sql", "text") or rule.metric == "rowCount":
        return False
    return not any(part in _NOT_AT_GATES for part in floe_parts(rule))


def floe_parts(rule: QualityRule) -> dict[str, Any]:
    """What a custom rule of engine floe says, by kind; empty for every other rule."""
    own = rule.type == "custom" and str(rule.engine).lower() == "floe" and isinstance(rule.implementation, dict)
    return rule.implementation if own else {}


def new_fact(pair: RulePair) -> str:
    """The row of the schema fact that a rule newly amounts to, e.g. C7 for no nulls; empty where it is none."""
    row = _fact(pair.new)
    if not row or row == _fact(pair.old):
        return ""
    field = pair.field.old if pair.field else None
    held = field is not None and (field.required if row == "C7" else field.unique)
    return "" if held else row


def _fact(rule: QualityRule | None) -> str:
    if rule is None or not refuses(rule):
        return ""
    accepted = threshold(rule)
    if accepted is None or not accepted.zero:
        return ""
    return {"nullValues": "C7", "duplicateValues": "K10"}.get(rule.metric or "", "")
