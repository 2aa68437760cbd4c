"""Anomalies of volume and null rate, by days set by hand."""

import random
from collections.abc import Sequence
from datetime import date, timedelta

from floe.engine.metadata.anomaly import DayPoint, Usual, batch_anomalies, table_anomalies, usual
from tests.helpers.seasons import season

MONDAY = date(2026, 3, 2)


def days(values: Sequence[float], first: date = MONDAY) -> dict[date, float]:
    return {first + timedelta(days=number): value for number, value in enumerate(values)}


def week(level: float) -> list[float]:
    return [level] * 5 + [level / 10] * 2


def test_thirteen_days_say_nothing_and_fourteen_do():
    assert usual(days((week(100) * 2)[:13]), MONDAY + timedelta(days=13), relative=True) is None
    # without noise the usual is the same weekday give or take 5 %
    assert usual(days(week(100) * 2), MONDAY + timedelta(days=14), relative=True) == Usual(95.0, 105.0)
    assert usual(days(week(100) * 2), MONDAY + timedelta(days=19), relative=True) == Usual(9.5, 10.5)


def test_five_times_the_median_distance_from_the_same_weekday():
    """Each weekday has had 100 and 110: each lay 10 or 9.09 % from the other; the median of the distances is 9.55 %."""
    band = usual(days([100] * 7 + [110] * 7), MONDAY + timedelta(days=14), relative=True)
    assert band is not None
    assert (round(band.low, 2), round(band.high, 2)) == (54.89, 155.11)


def test_one_wild_day_moves_no_bound():
    calm = days(week(100) * 6)
    wild = {**calm, MONDAY + timedelta(days=7): 5000.0}
    day = MONDAY + timedelta(days=42)
    assert usual(wild, day, relative=True) == usual(calm, day, relative=True) == Usual(95.0, 105.0)


def points(rows: list[float], nulls: list[float] | None = None) -> list[DayPoint]:
    dates = [MONDAY + timedelta(days=number) for number in range(len(rows))]
    return [
        DayPoint(day, count, {"a": nulls[number]} if nulls else {})
        for number, (day, count) in enumerate(zip(dates, rows, strict=True))
    ]


def test_a_table_that_only_grows_is_judged_by_what_a_whole_day_added():
    total = [1000.0]
    for added in week(100) * 3:
        total.append(total[-1] + added)
    *before, today = points(total)  # its last whole day is the 21st day, a Monday of 10: half of nothing usual
    (volume,) = table_anomalies("t", today, before)
    assert (volume.outcome, volume.name) == ("pass", "volume-anomaly")
    lost = DayPoint(today.day, today.rows - 500, {})
    (volume,) = table_anomalies("t", lost, before)
    assert volume.outcome == "fail"
    assert volume.message.startswith("Today added -490 rows")


def test_a_null_rate_out_of_the_usual():
    *before, today = points([100.0] * 22, [2.0] * 21 + [40.0])
    volume, nulls = batch_anomalies("t", today, before)
    assert (volume.outcome, nulls.outcome, nulls.code, str(nulls.severity)) == ("pass", "fail", "E559", "warning")
    assert nulls.message == "'t.a' is null in 40.0% of rows, a Monday usually has 1.0% to 3.0% null"


def test_ninety_seasonal_days_have_at_most_two_false_alarms_and_half_a_day_is_found_at_once():
    alarms, found = [], 0
    for seed in range(20):
        chance = random.Random(seed)
        rows = [season(chance, number) for number in range(91)]
        alarms.append(
            sum(
                one.outcome == "fail"
                for number in range(90)
                for one in batch_anomalies("t", points(rows[: number + 1])[-1], points(rows[:number]))
            )
        )
        today = points(rows)[-1]
        half = DayPoint(today.day, today.rows / 2, {})
        found += any(one.outcome == "fail" for one in batch_anomalies("t", half, points(rows[:90])))
    assert max(alarms) <= 2
    assert found == 20
