"""Rows per completed day."""

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from pyspark.sql import functions as sql

from floe.model.plan import Expectation, RowsPerDay
from floe.model.result import Outcome, answered, not_evaluated

if TYPE_CHECKING:
    from floe.engine.spark.measure import MeasureRequest

_EPOCH = date(1970, 1, 1)


def by_day(scene: "MeasureRequest", expectation: Expectation, volume: RowsPerDay) -> Outcome:
    """The outcome of an expectation on each day from the first one with rows to yesterday; a day without rows has none."""
    today = (datetime.fromtimestamp(scene.now, UTC).astimezone(ZoneInfo(volume.zone)).date() - _EPOCH).days
    first, days, bad, worst = _found(scene, volume, today)
    if first is None:
        return not_evaluated(expectation, "there is no completed day with rows yet")
    empty = (today - first) - days if volume.least else 0
    message = f"{bad + empty} of {today - first} completed days of '{expectation.field}' are out of range"
    rows: int | None = None
    if worst:
        day, rows = worst
        message += f"; {_day(day)} has {rows:,} row{'' if rows == 1 else 's'}"
    if empty:
        rows = 0
        message += f"; {empty} {'has' if empty == 1 else 'have'} none"
    return answered(expectation, not bad + empty, rows, message)


def _found(scene: "MeasureRequest", volume: RowsPerDay, today: int) -> tuple[int | None, int, int, Any]:
    """The first day, how many days have rows, how many of them are out of range, and the first of those with its rows."""
    per_day = (
        scene.rows.select(sql.expr(volume.day).alias("day"))
        .where(sql.expr(f"day < {today}"))
        .groupBy("day")
        .agg(sql.expr("count(*) AS n"))
    )
    tests = [f"n < {volume.least}"] * (volume.least is not None) + [f"n > {volume.most}"] * (volume.most is not None)
    bad = " OR ".join(tests)
    row = per_day.agg(
        sql.expr("min(day)"),
        sql.expr("count(*)"),
        sql.expr(f"count_if({bad})"),
        sql.expr(f"min(CASE WHEN {bad} THEN struct(day, n) END)"),
    ).collect()[0]
    return row[0], int(row[1]), int(row[2]), row[3]


def _day(number: int) -> str:
    return (_EPOCH + timedelta(days=number)).isoformat()
