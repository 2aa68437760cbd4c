"""E507 pattern-can-hang."""

from collections.abc import Iterator

from floe.contract.lint.patterns import patterns, subject
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf, shown
from floe.lang import regex
from floe.model import Field, Message, Severity


@rule("E507", "pattern-can-hang", Severity.ERROR, value=(Field, RuleOf))
def pattern_can_hang(part: Field | RuleOf) -> Iterator[Message]:
    """A pattern can match a text in so many ways that the engine may search for hours.

    Why: one long value blocks a whole Spark job, and Spark cannot interrupt a pattern.

    Fix: do not nest or chain repetitions over the same characters, and do not use back-references.
    """
    for at, pattern in patterns(part):
        try:
            slow = regex.cost.backtracking_risk(regex.pattern.parse_pattern(pattern))
        except ValueError:
            continue
        if slow:
            reason, certain = slow
            yield Message(
                f"The pattern of '{subject(part)}' {'can hang' if certain else 'is slow on long values'}",
                f"{reason}: {shown(pattern)}",
                "Give each repetition characters of its own, e.g. [^,]*, instead of .*,",
                at=at,
                severity=None if certain else Severity.WARNING,
            )
