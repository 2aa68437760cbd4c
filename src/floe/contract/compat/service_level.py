"""How one service level compares with another: stricter, relaxed, the same in other words, or nobody can tell."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from floe.contract.compat.pairs import SlaPair, sla_name
from floe.model import Contract, Sla
from floe.model.quantity import parse_quantity

# what counts as stricter; the setting compatibility.sla_directions says it of other names
DIRECTIONS = {
    **dict.fromkeys(
        ("freshness", "latency", "latencyP99", "errorRate", "timeToDetect", "timeToNotify", "timeToRepair"), "lower"
    ),
    "frequency": "lower",
    **dict.fromkeys(("availability", "throughput", "retention"), "higher"),
    **dict.fromkeys(("timeOfAvailability", "generalAvailability"), "earlier"),
    **dict.fromkeys(("endOfSupport", "endOfLife"), "later"),
}
_SHARES = ("availability", "errorRate")
_TIME = re.compile(r"(\d{2}):(\d{2})(?::(\d{2}))?(Z|[+-]\d{2}:?\d{2})?", re.IGNORECASE)
Measured = tuple[str, Decimal]


def verdict(pair: SlaPair) -> str:
    """`same`, `respelled`, `stricter`, `relaxed` or `unknown`; the value alone, not what it is measured on."""
    assert pair.old is not None
    assert pair.new is not None
    if _written(pair.old) == _written(pair.new):
        return "same"
    one, other = _measured(pair.old), _measured(pair.new)
    if one is None or other is None or one[0] != other[0] or _second(pair.old) != _second(pair.new):
        return "unknown"
    return "respelled" if one[1] == other[1] else _judged(pair, one, other)


def _judged(pair: SlaPair, one: Measured, other: Measured) -> str:
    assert pair.old is not None
    assert pair.new is not None
    name = sla_name(pair.new)
    direction = pair.contracts.terms.sla_directions.get(name) or DIRECTIONS.get(name)
    if direction is None or (name == "frequency" and one[0] != "seconds"):
        return "unknown"
    if name == "retention" and "regulatory" in (_word(pair.old.driver), _word(pair.new.driver)):
        return "relaxed"
    rises = other[1] > one[1]
    return "stricter" if rises == (direction in ("higher", "later")) else "relaxed"


def element_of(sla: Sla, contract: Contract) -> tuple[str, ...]:
    """The columns a service level is measured on: its own, else those the contract names for all."""
    said = sla.element or contract.node.get("slaDefaultElement")
    return tuple(sorted(part.strip() for part in said.split(","))) if isinstance(said, str) else ()


def _word(text: str | None) -> str:
    return (text or "").strip().casefold()


def _written(sla: Sla) -> tuple[Any, ...]:
    return sla.property, sla.value, sla.unit, _second(sla)


def _second(sla: Sla) -> Any:
    """The other end of a service level that is a range."""
    return sla.node.get("valueExt")


def _measured(sla: Sla) -> Measured | None:
    """The value on a scale it can be compared on."""
    name = sla_name(sla)
    if name == "timeOfAvailability":
        return _time(sla.value)
    if DIRECTIONS.get(name) in ("earlier", "later"):
        return _moment(sla.value)
    return _quantity(sla, name)


def _quantity(sla: Sla, name: str) -> Measured | None:
    try:
        read = parse_quantity(sla.value, sla.unit)
    except ValueError:
        return _foreign(sla)
    if read.seconds is not None:
        return "seconds", read.seconds
    # a bare number from 0 to 1 could be a fraction or a percentage
    share = read.percent is not None or (name in _SHARES and read.amount > 1)
    return ("percent" if share else "number"), read.amount


def _foreign(sla: Sla) -> Measured | None:
    """A number of something floe has no unit for, comparable with the same unit only."""
    if isinstance(sla.value, int | Decimal) and not isinstance(sla.value, bool) and sla.unit:
        return f"unit {_word(sla.unit)}", Decimal(sla.value)
    return None


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
