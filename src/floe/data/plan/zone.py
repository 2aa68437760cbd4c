"""The zone in which a column's times without one are meant."""

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

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
