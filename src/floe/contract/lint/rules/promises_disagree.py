"""E508 promises-disagree."""

from collections.abc import Iterator
from typing import Any

from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf, is_number
from floe.model import Message, Severity

_ALLOWING = ("mustBeLessThan", "mustBeLessOrEqualTo", "mustBeLessThanOrEqualTo", "mustBe")
_ASKING = ("mustBeGreaterThan", "mustBeGreaterOrEqualTo", "mustBeGreaterThanOrEqualTo")


@rule("E508", "promises-disagree", Severity.WARNING, value=RuleOf)
def promises_disagree(part: RuleOf) -> Iterator[Message]:
    """A column is required or unique, and a rule on it allows some nulls or duplicates.

    Why: consumers read the weaker rule, and the gate enforces the stronger one.

    Fix: remove the rule, or remove `required`, `unique` or the key from the column.
    """
    field, metric = part.field, part.noun.metric
    if not field or part.noun.type != "library":
        return
    promise = ""
    if metric in ("nullValues", "missingValues") and field.required:
        promise = "required"
    elif metric == "duplicateValues" and (field.unique or _whole_key(part)):
        promise = "unique"
    for name, value in part.noun.operators.items() if promise else ():
        if _allows(name, value, part.noun.unit in ("percent", "%")):
            yield Message(
                f"'{field.path}' is {promise}, and a rule on it allows {'nulls' if promise == 'required' else 'duplicates'}",
                f"{metric} {name} {value}",
                f"Remove the rule, or remove '{promise}' from the column",
                at=(name,),
            )


def _whole_key(part: RuleOf) -> bool:
    keys = part.dataset.primary_key
    return len(keys) == 1 and keys[0] is part.field


def _allows(operator: str, value: Any, share: bool) -> bool:
    """Whether a count above zero keeps the rule."""
    match value:
        case [least, most] if operator == "mustBeBetween" and is_number(least) and is_number(most):
            return bool(most > 0)
    if not is_number(value):
        return False
    if operator == "mustBeLessThan":
        return bool(value > (0 if share else 1))
    return bool(value > 0) if operator in _ALLOWING else operator in _ASKING
