"""The age of a column's newest or oldest value by the statistics of files, where they are sure about it."""

from collections.abc import Sequence
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
    column = expectation.columns[0]
    full = [file for file in files if file.rows != 0]
    filled = [file for file in full if not _all_null(file, column)]
    if full and not filled:
        return without_value(expectation)
    moment = _moment([_edge(file, column, age, now) for file in filled], age)
    return None if moment is None else age_outcome(expectation, now - moment, "metadata")


def _moment(edges: Sequence[int | None], age: RowAge) -> int | None:
    """The newest or the oldest of the files' values, where every file has a sure one."""
    known = [seconds for seconds in edges if seconds is not None]
    if not known or len(known) < len(edges):
        return None
    return max(known) if age.kind == "newest" else min(known)


def _all_null(file: FileStatistics, column: str) -> bool:
    return file.rows is not None and file.nulls.get(column) == file.rows


def _edge(file: FileStatistics, column: str, age: RowAge, now: int) -> int | None:
    """The greatest or least value in seconds since 1970, where it stands in a row that is still there.

    None also for a newest value from the future, which does not make a table fresh.
    """
    if not file.exact:
        return None
    newest = age.kind == "newest"
    seconds = seconds_of((file.most if newest else file.least).get(column), age.zone, newest)
    return None if newest and seconds is not None and seconds > now + AHEAD else seconds


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
