"""From an expectation and its number to what came of it: the same words whoever measured."""

from fractions import Fraction
from typing import Any, NamedTuple

from floe.model.plan import Expectation, MonitorOnly, RowCount
from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome, Reason
from floe.model.threshold import holds


class Measured(NamedTuple):
    """The number found, of how many rows (None: not known), what it says where it breaks the promise, and how keys were checked."""

    number: int
    rows: int | None
    message: str = ""
    samples: tuple[Any, ...] = ()
    method: str | None = None


def judged_outcome(expectation: Expectation, measured: Measured, how: str, *, empty_passes: bool = False) -> Outcome:
    """What came of an expectation whose number is known; at a gate an empty batch breaks no promise about rows."""
    share = expectation.unit == "percent"
    if share and measured.rows is None:
        return not_evaluated(expectation, "the number of rows is unknown")
    if share and not measured.rows and not empty_passes:
        return not_evaluated(expectation, "the table is empty, so a percentage of its rows is undefined")
    value = Fraction(measured.number * 100, measured.rows or 1) if share else Fraction(measured.number)
    kept = (empty_passes and measured.rows == 0) or holds(expectation.operators, value)
    return Outcome(
        id=expectation.id,
        code=expectation.code,
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=PASS if kept else FAIL,
        message="" if kept else measured.message,
        violations=None if isinstance(expectation.check, RowCount) else measured.number,
        actual=round(float(value), 4) if share else measured.number,
        expected=expectation.expected,
        how=how,
        samples=() if kept else measured.samples,
        method=measured.method,
        structural=expectation.structural,
    )


def not_evaluated(expectation: Expectation, cause: str | None = None, reason: Reason | None = None) -> Outcome:
    """What nobody judged, and why: never a pass."""
    known = expectation.cause or cause
    gated = expectation.gated or known is not None
    return Outcome(
        id=expectation.id,
        code="E580",
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=NOT_GATED
        if not cause and (isinstance(expectation.check, MonitorOnly) or not expectation.gated)
        else NOT_EVALUATED,
        message=f"'{expectation.name}' of '{expectation.field}' was not evaluated"
        if gated
        else "it applies to the whole table, not to a batch",
        cause=known,
        expected=expectation.expected,
        reason=reason,
    )


def without_value(expectation: Expectation) -> Outcome:
    """The outcome of an age where no row has a value."""
    return not_evaluated(expectation, f"'{expectation.field}' has no value to compute an age from", Reason.NO_VALUE)


def answered(expectation: Expectation, kept: bool, actual: Any, message: str) -> Outcome:
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


def plain(number: Fraction) -> int | float:
    """A number as results show it."""
    return int(number) if number.denominator == 1 else float(number)
