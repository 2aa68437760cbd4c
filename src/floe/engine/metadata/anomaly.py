"""Anomalies (E559): a day's volume or null rate against the same weekdays before it.

Usual is the median of the same weekday, give or take five times the median of how far days lay from the other days of
their own weekday. Fewer than 14 days are not evaluated. Without any noise 5 % of volume and one percentage point of nulls are
still usual.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from statistics import median
from typing import NamedTuple

from floe.model.finding import Severity
from floe.model.result import FAIL, PASS, Outcome

FEWEST = 14
WINDOW = timedelta(days=56)
_TIMES = 5
_LEAST_VOLUME = 0.01  # of the usual, times five
_LEAST_RATE = 0.002
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DayPoint:
    """What a table held at the end of a day, or what batches brought on it."""

    day: date
    rows: float
    nulls: Mapping[str, float]  # by column


class Usual(NamedTuple):
    """What is usual for a day."""

    low: float
    high: float


class _Judged(NamedTuple):
    """A day's point, those before it, and what the rows are."""

    point: DayPoint
    before: Sequence[DayPoint]
    what: str


def usual(values: Mapping[date, float], day: date, *, relative: bool) -> Usual | None:
    """What is usual on a day by the values of others; None where too little is known."""
    known = {one: value for one, value in values.items() if day - WINDOW <= one < day}
    same = _of_weekday(known, day)
    if len(known) < FEWEST or not same:
        return None
    middle = median(same)
    spread = median(_distances(known, relative) or [0.0])
    least = _LEAST_VOLUME if relative else _LEAST_RATE
    width = _TIMES * max(spread, least) * (abs(middle) if relative else 1.0)
    return Usual(middle - width, middle + width)


def _of_weekday(values: Mapping[date, float], day: date) -> list[float]:
    return [value for one, value in values.items() if one.weekday() == day.weekday() and one != day]


def _distances(values: Mapping[date, float], relative: bool) -> list[float]:
    """How far each day lay from the median of its weekday's other days."""
    found = []
    for day, value in values.items():
        others = _of_weekday(values, day)
        middle = median(others) if others else None
        if middle is not None and (middle or not relative):
            found.append(abs(value - middle) / (abs(middle) if relative else 1.0))
    return found


def table_anomalies(dataset: str, today: DayPoint, before: Sequence[DayPoint]) -> list[Outcome]:
    """Anomalies of a table: one that only grows is checked by the rows of whole days, any other by its rows."""
    history = sorted(
        (day_point for day_point in before if day_point.day < today.day), key=lambda day_point: day_point.day
    )
    pairs = list(itertools.pairwise(history))
    grows = any(b.rows > a.rows for a, b in pairs) and all(b.rows >= a.rows for a, b in pairs)
    if not grows:
        return _outcomes(dataset, _Judged(today, history, "The table holds"))
    added = [_added(a, b) for a, b in pairs if b.day - a.day == _DAY]
    if history[-1].day == today.day - _DAY and today.rows < history[-1].rows:
        return _outcomes(dataset, _Judged(_added(history[-1], today), added, "Today added"))
    if not added or added[-1].day != today.day - _DAY:
        return []  # yesterday is not known
    return _outcomes(dataset, _Judged(added[-1], added[:-1], "Yesterday added"))


def batch_anomalies(dataset: str, batch: DayPoint, before: Sequence[DayPoint]) -> list[Outcome]:
    """What is unusual about a batch, by the batches of other days."""
    return _outcomes(
        dataset, _Judged(batch, [day_point for day_point in before if day_point.day < batch.day], "The batch has")
    )


def _added(before: DayPoint, after: DayPoint) -> DayPoint:
    nulls = {name: after.nulls[name] - before.nulls[name] for name in after.nulls if name in before.nulls}
    return DayPoint(after.day, after.rows - before.rows, nulls)


def _outcomes(dataset: str, judged: _Judged) -> list[Outcome]:
    volume = _volume(dataset, judged)
    rates = [_rate(dataset, name, judged) for name in sorted(judged.point.nulls)]
    return [*([volume] if volume else []), *(outcome for outcome in rates if outcome)]


def _volume(dataset: str, judged: _Judged) -> Outcome | None:
    """The number of rows; None if it cannot be evaluated."""
    point = judged.point
    band = usual({day_point.day: day_point.rows for day_point in judged.before}, point.day, relative=True)
    if band is None:
        return None
    kept = band.low <= point.rows <= band.high
    expected = f"{max(0.0, band.low):,.0f} to {band.high:,.0f} rows"
    said = f"{judged.what} {point.rows:,.0f} rows, a {point.day:%A} usually has {expected}"
    outcome = _outcome(dataset, f"{dataset}:anomaly.volume", "volume-anomaly", kept)
    return _with(outcome, said if not kept else "", round(point.rows), expected)


def _rate(dataset: str, name: str, judged: _Judged) -> Outcome | None:
    """The null rate of a column; None if it is usual or cannot be evaluated."""
    rates = {
        day_point.day: day_point.nulls[name] / day_point.rows
        for day_point in judged.before
        if day_point.rows > 0 and name in day_point.nulls
    }
    point = judged.point
    band = usual(rates, point.day, relative=False)
    if band is None or point.rows <= 0:
        return None
    rate = point.nulls[name] / point.rows
    if band.low <= rate <= band.high:
        return None
    expected = f"{max(0.0, band.low):.1%} to {min(1.0, band.high):.1%} null"
    said = f"'{dataset}.{name}' is null in {rate:.1%} of rows, a {point.day:%A} usually has {expected}"
    outcome = _outcome(f"{dataset}.{name}", f"{dataset}.{name}:anomaly.nulls", "null-rate-anomaly", False)
    return _with(outcome, said, round(rate, 4), expected)


def _outcome(field: str, id_: str, name: str, kept: bool) -> Outcome:
    return Outcome(
        id=id_,
        code="E559",
        name=name,
        field=field,
        severity=Severity.WARNING,
        outcome=PASS if kept else FAIL,
        how="metadata",
    )


def _with(outcome: Outcome, message: str, actual: float, expected: str) -> Outcome:
    return replace(outcome, message=message, actual=actual, expected=expected)
