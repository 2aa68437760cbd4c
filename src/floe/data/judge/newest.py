"""The age of a column's newest or oldest value by the statistics of files, where they are sure about it."""

from datetime import UTC, date, datetime
from typing import Any

from floe.model.age import aged
from floe.model.claim import FileStatistics
from floe.model.plan import Expectation
from floe.model.result import Outcome

AHEAD = 300  # seconds; what lies further in the future does not make a table fresh


def by_bounds(one: Expectation, files: tuple[FileStatistics, ...] | None, now: int) -> Outcome | None:
    """What came of a promise about the newest or oldest value; None where only reading can tell."""
    if files is None or one.cause or not one.age or one.age.kind not in ("newest", "oldest") or len(one.columns) != 1:
        return None
    newest = one.age.kind == "newest"
    values = [_edge(file, one.columns[0], newest) for file in files if file.rows != 0]
    known = [value for value in values if value is not None and (not newest or value <= now + AHEAD)]
    if not known or len(known) < len(values):
        return None
    return aged(one, now - (max(known) if newest else min(known)), "metadata")


def _edge(file: FileStatistics, column: str, newest: bool) -> int | None:
    """The greatest or least value in seconds since 1970, where it stands in a row that is still there."""
    return _seconds((file.most if newest else file.least).get(column)) if file.exact else None


def _seconds(value: Any) -> int | None:
    """Seconds since 1970; what has no zone is not known here.

    >>> _seconds(datetime(1970, 1, 2, tzinfo=UTC)), _seconds(date(1970, 1, 2)), _seconds(datetime(1970, 1, 2))
    (86400, 86400, None)
    """
    match value:
        case datetime():
            return int(value.timestamp()) if value.tzinfo else None
        case date():
            return int(datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp())
    return None
