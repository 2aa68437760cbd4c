"""E553 pattern-mismatch."""

from floe.data.plan.expectations.expectation import Bad, row_expectation
from floe.data.plan.sql import text
from floe.model import Field
from floe.model.pattern import parse_pattern


@row_expectation("E553", "pattern-mismatch")
def pattern_mismatch(value: str, field: Field) -> Bad | None:
    """A value does not match the contract's pattern.

    Why: readers cut, join and route by the form the contract promised.

    Fix: correct the row at its source, or widen the pattern in a new version.
    """
    pattern = field.options.get("pattern")
    if not isinstance(pattern, str):
        return None
    java = java_pattern(pattern)
    return Bad(f"NOT {value} RLIKE {text(java)}", pattern) if java is not None else None


def java_pattern(pattern: str) -> str | None:
    """A pattern of the standard as Java searches it; None where it cannot be said there."""
    try:
        return parse_pattern(pattern).java
    except ValueError:
        return None
