"""E553 pattern-mismatch."""

import re

from floe.engine.plan.expectations.expectation import Bad, row_expectation
from floe.lang.regex.cost import backtracking_risk
from floe.lang.regex.pattern import parse_pattern
from floe.lang.sql.literals import text
from floe.model import Field

# a pattern that only excludes characters: half the cost with the same result, because none of them ends a line
_WITHOUT = re.compile(r'\^\[\^([@#;,:!~"/<>=_0-9]{1,4})\]\*\\z')


@row_expectation("E553", "pattern-mismatch")
def pattern_mismatch(value: str, field: Field) -> Bad | None:
    """A value does not match the contract's pattern.

    Why: readers parse, join and route by the pattern.

    Fix: correct the row at its source, or widen the pattern in a new version.
    """
    pattern = field.options.get("pattern")
    if not isinstance(pattern, str):
        return None
    java, cause = java_pattern(pattern)
    return Bad(unmatched(value, java), pattern) if java is not None else Bad("", pattern, cause=cause)


def unmatched(value: str, java: str) -> str:
    r"""That a value does not match a pattern.

    >>> print(unmatched("`a`", r"^[^,;]*\z"), "|", unmatched("`a`", "^[a-z]"))
    (contains(`a`, ',') OR contains(`a`, ';')) | NOT `a` RLIKE '^[a-z]'
    """
    without = _WITHOUT.fullmatch(java)
    if without:
        return f"({' OR '.join(f'contains({value}, {text(sign)})' for sign in without[1])})"
    return f"NOT {value} RLIKE {text(java)}"


def java_pattern(pattern: str) -> tuple[str | None, str | None]:
    """A pattern of the standard as Java searches it, or why it is not searched there."""
    try:
        found = parse_pattern(pattern)
    except ValueError as error:
        return None, f"the pattern '{pattern}' is not valid: {error}"
    if (slow := backtracking_risk(found)) and slow[1]:
        return None, f"the pattern '{pattern}' can hang: {slow[0]}"
    return found.java, None if found.java is not None else f"the pattern '{pattern}' cannot be translated to Java"
