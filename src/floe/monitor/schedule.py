"""When what is due, on a clock that only goes forward."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from floe.model import Contract, SettingError
from floe.model.quantity import parse_quantity
from floe.model.settings import Settings
from floe.model.watch import KINDS

_MONITORING = "data_contracts.monitoring."
_OWN = ("freshness", "schema_drift", "quality", "availability")
# kinds without a setting of their own go along with one that reads as much
_WITH = {"latency": "quality", "retention": "quality", "cost": "schema_drift", "deprecation": "schema_drift"}
_SHORTEST = 1.0


def intervals(settings: Settings, contract: Contract) -> dict[str, float]:
    """Seconds between the looks of each kind: what the contract's `monitoring` says, else the settings."""
    said = contract.custom.get("monitoring")
    own = said if isinstance(said, Mapping) else {}
    chosen = {}
    for kind in _OWN:
        default = settings[f"{_MONITORING}{kind}.check_interval"]
        entry = own.get(kind)
        text = entry.get("check_interval", default) if isinstance(entry, Mapping) else entry or default
        chosen[kind] = seconds(text, f"monitoring.{kind} of {contract.identity}")
    return {kind: chosen[_WITH.get(kind, kind)] for kind in KINDS}


def seconds(text: object, what: str) -> float:
    """An interval in seconds; SettingError where it is none.

    >>> seconds("15m", "x"), seconds("1h", "x")
    (900.0, 3600.0)
    """
    try:
        read = parse_quantity(text).seconds
    except ValueError:
        read = None
    if read is None or float(read) < _SHORTEST:
        raise SettingError(f"{what}: '{text}' is no interval of a second or more", "Write it as 15m, 1h or 6h")
    return float(read)


@dataclass(slots=True)
class Schedule:
    """The next slot of each kind by name; slots lie on a grid, and those that were missed collapse into one."""

    _next: dict[tuple[str, str], float] = field(default_factory=dict)

    def due(self, name: str, every: Mapping[str, float], now: float) -> tuple[str, ...]:
        """The kinds whose slot has come; what was never looked at is due."""
        return tuple(kind for kind in every if self._next.get((name, kind), now) <= now)

    def taken(self, name: str, kinds: tuple[str, ...], every: Mapping[str, float], now: float) -> None:
        """Move slots on to the first that is still to come."""
        for kind in kinds:
            step, then = every[kind], self._next.get((name, kind), now)
            self._next[name, kind] = then + step * (int((now - then) // step) + 1)

    def soonest(self, names: Mapping[str, Mapping[str, float]], now: float) -> float:
        """Seconds until something is due."""
        times = [self._next.get((name, kind), now) for name, every in names.items() for kind in every]
        return max(0.0, min(times, default=now + 60) - now)
