"""The age of a column's newest or oldest value by the statistics of files, where they are sure about it."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from floe.model.age import age_outcome
from floe.model.claim import FileStatistics
from floe.model.outcome import without_value
from floe.model.plan import Expectation, RowAge
from floe.model.result import Outcome

_NEAR = timedelta(hours=3)
AHEAD = 300  # seconds; what lies further in the future does not make a table fresh


def by_bounds(expectation: Expectation, files: tuple[FileStatistics, ...] | None, now: int) -> Outcome | None:
    """What came of a promise about the newest or oldest value; None where only reading can tell."""
    age = expectation.check
    if files is None or not isinstance(age, RowAge) or len(expectation.columns) != 1:
        return None
    newest = age.kind == "newest"
    full = [file for file in files if file.rows != 0]
    filled = [file for file in full if file.rows is None or file.nulls.get(expectation.columns[0]) != file.rows]
    if full and not filled:
        return without_value(expectation)
    values = [_edge(file, expectation.columns[0], age) for file in filled]
    known = [number for number in values if number is not None and (not newest or number <= now + AHEAD)]
    if not known or len(known) < len(values):
        return None
    return age_outcome(expectation, now - (max(known) if newest else min(known)), "metadata")


def _edge(file: FileStatistics, column: str, age: RowAge) -> int | None:
    """The greatest or least value in seconds since 1970, where it stands in a row that is still there."""
    newest = age.kind == "newest"
    value = (file.most if newest else file.least).get(column)
    return seconds_of(value, age.zone, newest) if file.exact else None


def seconds_of(value: Any, zone: str = "", newest: bool = True) -> int | None:
    """Seconds since 1970; what has no zone is meant in the one that is given.

    Near a change of the clocks the greatest time of day need not be the latest moment, so that only rows can tell.

    >>> seconds_of(datetime(1970, 1, 2, tzinfo=UTC)), seconds_of(date(1970, 1, 2)), seconds_of(datetime(1970, 1, 2))
    (86400, 86400, None)
    >>> seconds_of(datetime(1970, 1, 2), "Europe/Berlin"), seconds_of(datetime(2026, 10, 25, 2, 30), "Europe/Berlin")
    (82800, None)
    """
    match value:
        case datetime() if value.tzinfo:
            return int(value.timestamp())
        case datetime():
            return _meant(value, ZoneInfo(zone), newest) if zone else None
        case date():
            return int(datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp())
    return None


def _meant(value: datetime, zone: ZoneInfo, newest: bool) -> int | None:
    moment = value.replace(tzinfo=zone)
    around = [moment.replace(fold=1), moment - _NEAR if newest else moment + _NEAR]
    return None if any(value.utcoffset() != moment.utcoffset() for value in around) else int(moment.timestamp())
