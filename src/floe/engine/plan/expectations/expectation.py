"""What an expectation on rows is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from floe.model import Field, Severity
from floe.model.claim import Claim


class Bad(NamedTuple):
    """SQL that is true for a bad value (null counts as good), what was expected, what proves it, why nobody can judge it."""

    sql: str
    expected: Any
    claims: tuple[Claim, ...] = ()
    cause: str | None = None


Ask = Callable[[str, Field], Bad | None]


@dataclass(frozen=True, slots=True)
class RowExpectation:
    """A promise a field may make about each of its values."""

    code: str
    name: str
    severity: Severity
    bad: Ask
    doc: str
    structural: bool = False


def row_expectation(
    code: str, name: str, severity: Severity = Severity.ERROR, *, structural: bool = False
) -> Callable[[Ask], RowExpectation]:
    """Make an expectation of a function from a value's SQL and its field to the SQL of a bad value, or None.

    What is structural is part of the schema: a gate refuses it whatever the level of enforcement.
    """
    return lambda ask: RowExpectation(code, name, severity, ask, ask.__doc__ or "", structural)
