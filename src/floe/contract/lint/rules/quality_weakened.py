"""E514 quality-weakened."""

from collections.abc import Iterator
from typing import Any

from floe.contract.lint.rule import rule
from floe.contract.lint.tiers import TieredRules
from floe.model import Message, QualityRule, Severity
from floe.model.strictness import span

_WORDS = tuple(str(severity) for severity in Severity)
_DEFAULT = "warning"


@rule("E514", "quality-weakened", Severity.ERROR, value=TieredRules)
def quality_weakened(part: TieredRules) -> Iterator[Message]:
    """A child drops a quality rule of its parent, loosens its threshold or lowers its severity.

    Why: this table would accept data that the domain refuses everywhere else.

    Fix: use the parent's rule or a stricter one. A rule that the child does not mention is inherited.
    """
    for theirs in part.parent:
        mine = next((value for value in part.child if _same(value, theirs)), None)
        if mine:
            yield from _compared(part.subject, mine, theirs)
        elif part.said and not part.child:
            yield Message(
                f"Quality rule {_name(theirs)} is dropped for '{part.subject}'",
                "Parent has it, child has an empty list of rules",
                "Remove the empty list to inherit it",
                at=("quality",),
            )


def _compared(subject: str, mine: QualityRule, theirs: QualityRule) -> Iterator[Message]:
    wanted, given = _threshold(theirs), _threshold(mine)
    if wanted != given:
        looser = _looser(mine, theirs)
        if looser is not False:
            yield Message(
                f"Quality rule {_name(theirs)} is weakened for '{subject}'"
                if looser
                else f"Quality rule {_name(theirs)} cannot be compared with the parent's for '{subject}'",
                f"Parent requires {wanted}, child specifies {given}",
                f"Use {wanted} or a stricter threshold",
                severity=None if looser else Severity.INFO,
                about=mine,
            )
    wanted, given = (their.severity or _DEFAULT for their in (theirs, mine))
    if wanted in _WORDS and given in _WORDS and _WORDS.index(given) < _WORDS.index(wanted):
        yield Message(
            f"Quality rule {_name(theirs)} has a lower severity for '{subject}'",
            f"Parent requires '{wanted}', child specifies '{given}'",
            f"Use severity '{wanted}' or higher",
            at=("severity",),
            about=mine,
        )


def _same(value: QualityRule, other: QualityRule) -> bool:
    """Whether two rules are one: by id or name, else by what they measure."""
    if (value.id and value.id == other.id) or (value.name and value.name == other.name):
        return True
    measured: list[list[Any]] = [[r.metric, dict(r.arguments), r.query, r.implementation] for r in (value, other)]
    return measured[0] == measured[1]


def _looser(mine: QualityRule, theirs: QualityRule) -> bool | None:
    """Whether a threshold lets more pass; None where the two cannot be compared."""
    if not mine.operators:
        return True
    if len(mine.operators) != 1 or len(theirs.operators) != 1 or (mine.unit or "rows") != (theirs.unit or "rows"):
        return None
    allowed = [span(*next(iter(value.operators.items()))) for value in (mine, theirs)]
    return None if allowed[0] is None or allowed[1] is None else not allowed[0].within(allowed[1])


def _threshold(value: QualityRule) -> str:
    said = ", ".join(f"{operator} {value}" for operator, value in value.operators.items()) or "no threshold"
    return f"{said} {value.unit}" if value.unit else said


def _name(value: QualityRule) -> str:
    return f"'{value.id or value.name or value.metric or value.type}'"
