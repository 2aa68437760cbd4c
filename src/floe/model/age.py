"""Ages: the time since a row or commit, with its outcome and text."""

from fractions import Fraction

from floe.model.plan import Expectation, RowAge
from floe.model.result import FAIL, PASS, Outcome, holds

_WHAT = {"newest": "The newest row is", "oldest": "The oldest row is"}


def age_outcome(expectation: Expectation, seconds: int, how: str) -> Outcome:
    """The outcome of an expectation on an age; callers leave out times that lie ahead of the clock, a near one counts as now."""
    age, seconds = seconds, max(0, seconds)
    kept = holds(expectation.operators, Fraction(seconds))
    what = _WHAT[expectation.check.kind] if isinstance(expectation.check, RowAge) else "The last commit is"
    return Outcome(
        id=expectation.id,
        code=expectation.code,
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=PASS if kept else FAIL,
        message="" if kept else f"{what} {format_duration(seconds)} old, the contract requires {expectation.expected}",
        actual=format_duration(seconds),
        expected=expectation.expected,
        how=how,
        age=age,
    )


def format_duration(seconds: int) -> str:
    """A duration in its two largest units.

    >>> format_duration(59), format_duration(7260), format_duration(200000)
    ('59s', '2h 1min', '2d 7h')
    """
    parts = []
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts[:2]) or "0s"
