"""An expectation whose number is known, and one whose number nobody knows."""

from fractions import Fraction
from typing import Any

from floe.model.plan import Expectation
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome


def judged(expectation: Expectation, kept: bool, actual: Any, message: str) -> Outcome:
    """What came of an expectation about a whole table; what counts duplicates counts rows."""
    return Outcome(
        id=expectation.id,
        code=expectation.code,
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=PASS if kept else FAIL,
        message="" if kept else message,
        violations=actual if expectation.code == "E551" else None,
        actual=actual,
        expected=expectation.expected,
        how="scan",
    )


def not_judged(expectation: Expectation, cause: str) -> Outcome:
    """What nobody could judge, and why: never a pass."""
    return Outcome(
        id=expectation.id,
        code="E580",
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=NOT_EVALUATED,
        message=f"'{expectation.name}' of '{expectation.field}' was not evaluated",
        cause=cause,
        expected=expectation.expected,
    )


def plain(number: Fraction) -> int | float:
    """A number as results show it."""
    return int(number) if number.denominator == 1 else float(number)
