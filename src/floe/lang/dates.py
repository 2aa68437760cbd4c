"""Dates and times as contracts write them: ISO 8601."""

import re
from datetime import UTC, date, datetime
from typing import Any

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?([Zz]|[+-][0-9]{2}:?[0-9]{2})?"
)
_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?([Zz]|[+-][0-9]{2}:?[0-9]{2})?")


def parse_day(value: Any) -> date | None:
    """The day of a date or timestamp, in UTC where it names a zone; None where the value is neither.

    >>> parse_day("2026-02-28"), parse_day("2026-02-30"), parse_day("2026-01-01T23:00:00-08:00")
    (datetime.date(2026, 2, 28), None, datetime.date(2026, 1, 2))
    """
    if not isinstance(value, str):
        return None
    try:
        if _DAY.fullmatch(value):
            return date.fromisoformat(value)
        if _MOMENT.fullmatch(value):
            moment = datetime.fromisoformat(value.upper())
            return (moment.astimezone(UTC) if moment.tzinfo else moment).date()
    except (ValueError, OverflowError):
        return None
    return None


def is_time(value: Any) -> bool:
    """Whether a value is a time of day, with or without a zone.

    >>> is_time("09:00-08:00"), is_time("25:00")
    (True, False)
    """
    return isinstance(value, str) and _TIME.fullmatch(value) is not None
