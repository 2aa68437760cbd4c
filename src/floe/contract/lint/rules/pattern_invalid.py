"""E506 pattern-invalid."""

from collections.abc import Iterator

from floe.contract.lint.patterns import patterns, subject
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf, shown
from floe.lang import regex
from floe.model import Field, Message, Severity


@rule("E506", "pattern-invalid", Severity.ERROR, value=(Field, RuleOf))
def pattern_invalid(part: Field | RuleOf) -> Iterator[Message]:
    """A pattern is not valid ECMA-262, the regular expression syntax of the standard.

    Why: engines refuse it, or each reads it differently.

    Fix: correct the pattern at the character that the message names.
    """
    for at, pattern in patterns(part):
        try:
            regex.pattern.parse_pattern(pattern)
        except ValueError as error:
            yield Message(
                f"The pattern of '{subject(part)}' is not valid",
                f"{error}: {shown(pattern)}",
                "Write the pattern in the syntax of ECMA-262 (JavaScript)",
                at=at,
            )
