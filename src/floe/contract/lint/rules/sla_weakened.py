"""E510 sla-weakened."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.tiers import TieredSla
from floe.contract.lint.views import is_open
from floe.model import Message, Severity
from floe.model.strictness import as_written, weaker


@rule("E510", "sla-weakened", Severity.ERROR, value=TieredSla)
def sla_weakened(level: TieredSla) -> Iterator[Message]:
    """A child has a weaker service level than its parent.

    Why: consumers expect the service levels of the domain and the enterprise for all their data.

    Fix: use at least the parent's value, or waive the finding with floe approve.
    """
    mine, theirs = level.noun, level.parent
    if mine.value is None or is_open(mine.value) or is_open(theirs.value):
        return
    less = weaker(mine.property, (theirs.value, theirs.unit), (mine.value, mine.unit), level.way)
    wanted, given = as_written(theirs.value, theirs.unit), as_written(mine.value, mine.unit)
    if less:
        yield Message(
            f"Child contract weakens '{mine.property}' SLA",
            f"Parent requires {wanted}, child specifies {given}",
            f"Strengthen '{mine.property}' to at least match parent: {wanted}",
            at=("value",),
        )
    elif less is None:
        yield Message(
            f"Service level '{mine.property}' cannot be compared with the parent's",
            f"Parent requires {wanted}, child specifies {given}",
            "It is not checked; write both in one unit to compare them",
            at=("value",),
            severity=Severity.INFO,
        )
