"""The zone in which a column's times without one are meant."""

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

from floe.lang.sql.literals import text
from floe.model import Field


def zone_of(field: Field) -> tzinfo | None:
    """The zone that a field declares, else UTC; None where there is no zone of that name."""
    named = field.options.get("defaultTimezone")
    if named is None:
        return UTC
    try:
        return ZoneInfo(str(named))
    except (ValueError, OSError, LookupError):
        return None


def zone_name(field: Field) -> str | None:
    """The same by its name."""
    return None if zone_of(field) is None else str(field.options.get("defaultTimezone") or "UTC")


def utc_parts(value: str, zone: str, unit: int) -> str:
    """SQL of a time without a zone, meant in `zone`, as whole units (so many a second) since 1970 in UTC.

    Functions that take two moments, as `timestampdiff` does, would cast it in the session's zone, where an hour a year is missing.
    """
    at = f"convert_timezone({text(zone)}, 'UTC', {value})"
    parts = [(f"unix_date(CAST({at} AS DATE))", 86_400), (f"hour({at})", 3600), (f"minute({at})", 60)]
    whole = " + ".join(f"{part} * {seconds * unit}L" for part, seconds in parts)
    return f"({whole} + CAST(floor(extract(SECOND FROM {at}) * {unit}) AS BIGINT))"
