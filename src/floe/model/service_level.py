"""Service levels: their names, on which scale they are measured, and which way is stricter."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from floe.lang.quantity import parse_quantity

LOWER, HIGHER, EARLIER, LATER = "lower", "higher", "earlier", "later"
# which value is stricter, docs/design/compatibility.md, section F; the setting compatibility.sla_directions says it of other names
DIRECTIONS = {
    **dict.fromkeys(
        ("freshness", "latency", "latencyP99", "errorRate", "timeToDetect", "timeToNotify", "timeToRepair"), LOWER
    ),
    "frequency": LOWER,
    **dict.fromkeys(("availability", "throughput", "retention"), HIGHER),
    **dict.fromkeys(("timeOfAvailability", "generalAvailability"), EARLIER),
    **dict.fromkeys(("endOfSupport", "endOfLife"), LATER),
}
# how dialects spell the standard's names
SPELLINGS = {
    "latency_p99": "latencyP99",
    "recovery_time": "timeToRepair",
    "general_availability": "generalAvailability",
    "end_of_support": "endOfSupport",
    "end_of_life": "endOfLife",
    "time_of_availability": "timeOfAvailability",
    "time_to_detect": "timeToDetect",
    "time_to_notify": "timeToNotify",
    "time_to_repair": "timeToRepair",
}
_CODES = {
    "ly": "latency",
    "re": "retention",
    "td": "timeToDetect",
    "tn": "timeToNotify",
    "tr": "timeToRepair",
    "av": "availability",
    "er": "errorRate",
    "ga": "generalAvailability",
    "es": "endOfSupport",
    "el": "endOfLife",
    "ta": "timeOfAvailability",
    "fy": "frequency",
    "th": "throughput",
    "recoverytime": "timeToRepair",
}
_NAMES = {**{name.casefold(): name for name in DIRECTIONS}, **_CODES, **SPELLINGS}
_SHARES = ("availability", "errorRate")
_TIME = re.compile(r"(\d{2}):(\d{2})(?::(\d{2}))?(Z|[+-]\d{2}:?\d{2})?", re.IGNORECASE)
Measured = tuple[str, Decimal]


def level_name(word: str) -> str:
    """The standard's name of a service level, whatever spelling it is written in.

    >>> level_name("ly"), level_name("Freshness"), level_name("latency_p99"), level_name("madeUp")
    ('latency', 'freshness', 'latencyP99', 'madeUp')
    """
    return _NAMES.get(word.casefold(), word)


def measured(name: str, value: Any, unit: str | None) -> Measured | None:
    """A value with the scale it can be compared on; None where there is none.

    >>> measured("freshness", "PT6H", None)
    ('seconds', Decimal('21600'))
    """
    if name == "timeOfAvailability":
        return _time(value)
    if DIRECTIONS.get(name) in (EARLIER, LATER):
        return _moment(value)
    return _quantity(name, value, unit)


def _quantity(name: str, value: Any, unit: str | None) -> Measured | None:
    try:
        read = parse_quantity(value, unit)
    except ValueError:
        return _foreign(value, unit)
    if read.seconds is not None:
        return "seconds", read.seconds
    # a bare number from 0 to 1 could be a fraction or a percentage
    share = read.percent is not None or (name in _SHARES and read.amount > 1)
    return ("percent" if share else "number"), read.amount


def _foreign(value: Any, unit: str | None) -> Measured | None:
    """A number of something floe has no unit for, comparable with the same unit only."""
    if isinstance(value, int | Decimal) and not isinstance(value, bool) and unit:
        return f"unit {unit.strip().casefold()}", Decimal(value)
    return None


def direction(name: str, scale: str, more: Any = None) -> str | None:
    """Which way a service level gets stricter; a frequency only where it is an interval."""
    way: str | None = (more or {}).get(name) or DIRECTIONS.get(name)
    return None if name == "frequency" and scale != "seconds" else way


def _moment(value: Any) -> Measured | None:
    try:
        moment = datetime.fromisoformat(str(value).upper())
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return "moment", Decimal(since.days) * 86_400 + since.seconds


def _time(value: Any) -> Measured | None:
    """A time of day in seconds, in UTC where it names a zone; a time with and one without cannot be compared."""
    match = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if not match:
        return None
    hours, minutes, seconds = (int(part or 0) for part in match.groups()[:3])
    at = Decimal(hours * 3600 + minutes * 60 + seconds)
    return ("time", at) if match[4] is None else ("time in UTC", at - _offset(match[4]))


def _offset(zone: str) -> int:
    if zone in ("Z", "z"):
        return 0
    size = int(zone[1:3]) * 3600 + int(zone[-2:]) * 60
    return -size if zone[0] == "-" else size
