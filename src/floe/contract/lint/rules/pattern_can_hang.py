"""E507 pattern-can-hang."""

from collections.abc import Iterator

from floe.contract.lint.patterns import patterns, subject
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf, shown
from floe.lang.regex.cost import backtracking_risk
from floe.lang.regex.pattern import parse_pattern
from floe.model import Field, Message, Severity


@rule("E507", "pattern-can-hang", Severity.ERROR, value=(Field, RuleOf))
def pattern_can_hang(part: Field | RuleOf) -> Iterator[Message]:
    """A pattern has so many ways to match one text that the engine can try for hours.

    Why: one long value stops a whole Spark job, which cannot be interrupted inside a pattern.

    Fix: let no repetition stand inside or directly beside another one over the same characters, and refer back to no group.
    """
    for at, pattern in patterns(part):
        try:
            slow = backtracking_risk(parse_pattern(pattern))
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
