"""The age of a column's newest value by the statistics of files, where they are sure about it."""

from datetime import UTC, date, datetime
from typing import Any

from floe.model.age import aged
from floe.model.claim import FileStatistics
from floe.model.plan import Expectation
from floe.model.result import Outcome

AHEAD = 300  # seconds; what lies further in the future does not make a table fresh


def newest(one: Expectation, files: tuple[FileStatistics, ...] | None, now: int) -> Outcome | None:
    """What came of a promise about the newest value; None where only reading can tell."""
    if files is None or not one.age or one.age.kind != "newest" or len(one.columns) != 1:
        return None
    values = [_most(file, one.columns[0]) for file in files if file.rows != 0]
    known = [value for value in values if value is not None and value <= now + AHEAD]
    if not known or len(known) < len(values):
        return None
    return aged(one, now - max(known), "metadata")


def _most(file: FileStatistics, column: str) -> int | None:
    """The greatest value in seconds since 1970, where it stands in a row that is still there."""
    return seconds_of(file.most.get(column)) if file.exact else None


def seconds_of(value: Any) -> int | None:
    """Seconds since 1970; what has no zone is not known here.

    >>> seconds_of(datetime(1970, 1, 2, tzinfo=UTC)), seconds_of(date(1970, 1, 2)), seconds_of(datetime(1970, 1, 2))
    (86400, 86400, None)
    """
    match value:
        case datetime():
            return int(value.timestamp()) if value.tzinfo else None
        case date():
            return int(datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp())
    return None
