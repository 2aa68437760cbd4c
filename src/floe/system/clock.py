"""The time, given rather than taken."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The real clock, used by doors."""
    return datetime.now(UTC)  # noqa: TID251  (the one place that asks)


def stamp(moment: datetime) -> str:
    """A moment as floe writes it: UTC, to the millisecond, with Z.

    >>> stamp(datetime(2026, 1, 2, 3, 4, 5, 678000, UTC))
    '2026-01-02T03:04:05.678Z'
    """
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
