"""When what is due, on a clock that only goes forward."""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floe.lang.quantity import parse_quantity
from floe.model import Contract, SettingError
from floe.model.lease import Lease, next_slot, phases
from floe.model.monitor_check import KINDS
from floe.settings import Settings

if TYPE_CHECKING:
    from floe.registry import Store

_OWN = ("freshness", "schema_drift", "quality", "availability")
# kinds without a setting run with one that reads as much
_WITH = {"latency": "quality", "retention": "quality", "cost": "schema_drift", "deprecation": "schema_drift"}
_WITH |= {"recovery": "availability", "anomaly": "schema_drift"}
_SHORTEST = 1.0


def intervals(settings: Settings, contract: Contract) -> dict[str, float]:
    """The interval of each kind in seconds: the contract's `monitoring`, else the settings."""
    said = contract.custom.get("monitoring")
    own = said if isinstance(said, Mapping) else {}
    chosen = {}
    for kind in _OWN:
        default = settings.data_contracts.monitoring.interval(kind)
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
        raise SettingError(f"{what}: '{text}' is not an interval of at least one second", "Write it as 15m, 1h or 6h")
    return float(read)


@dataclass(slots=True)
class Schedule:
    """The next slot of each kind by name; slots lie on a grid, and those that were missed collapse into one."""

    monotonic: Callable[[], float] = time.monotonic
    _every: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    _next: dict[str, dict[str, float]] = field(default_factory=dict)
    _soonest: dict[str, float] = field(default_factory=dict)  # of each name
    _phase: dict[str, float] = field(default_factory=dict)
    _asked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _seen: dict[str, str] = field(default_factory=dict)

    def know(self, every: Mapping[str, Mapping[str, float]]) -> None:
        """Take in which contracts there are, and how often each kind of check is due."""
        now, self._every, self._phase = self.monotonic(), every, phases(every)
        for name in [name for name in self._next if name not in every]:
            del self._next[name]
            self._asked.pop(name, None)
            self._seen.pop(name, None)
        self._soonest = {name: self._next_of(name, now) for name in every}

    def note(self, name: str, seen: str, kinds: Collection[str]) -> None:
        """Request checks of a contract whose tables have new snapshots."""
        if self._seen.get(name) != seen:
            self._seen[name] = seen
            self._asked[name] = tuple(kinds)

    def due(self, name: str, now: float) -> tuple[str, ...]:
        """The kinds that are due; a kind without a check is due."""
        slots = self._next.get(name, {})
        return tuple(kind for kind in self._every[name] if slots.get(kind, now) <= now)

    def claim(self, busy: Collection[str], most: int) -> tuple[list[Lease], int]:
        """Take leases, the longest wait first; returns also how many slots came while the previous check was running."""
        now, skipped = self.monotonic(), 0
        turns: list[Lease] = []
        come = [name for name, then in self._soonest.items() if then <= now or name in self._asked]
        for name in sorted(come, key=lambda name: self._soonest[name]):
            kinds = self.due(name, now)
            if name in busy:
                skipped += bool(kinds)
                self.taken(name, kinds, now)
            elif len(turns) < most:
                turns.append(Lease(name, tuple(dict.fromkeys((*kinds, *self._asked.pop(name, ())))), at=now))
                self.taken(name, kinds, now)
        return turns, skipped

    def taken(self, name: str, kinds: tuple[str, ...], now: float) -> None:
        """Move slots on to the first that is still to come."""
        slots = self._next.setdefault(name, {})
        for kind in kinds:
            step = self._every[name][kind]
            slots[kind] = next_slot(slots.get(kind, now - step * self._phase[name]), step, now)
        self._soonest[name] = self._next_of(name, now)

    def renew(self, turns: Collection[Lease]) -> None:
        """Nobody else takes leases."""

    def renew_every(self) -> float:
        """Seconds between two renewals."""
        return 3600.0

    def done(self, store: "Store", turn: Lease) -> bool:
        """A turn is over; its slots were moved when it was taken."""
        return False

    def mine(self) -> Collection[str]:
        """The contracts whose last check was this process's."""
        return self._every.keys()

    def soonest(self) -> float:
        """Seconds until something is due."""
        now = self.monotonic()
        return 0.0 if self._asked else max(0.0, min(self._soonest.values(), default=now + 60) - now)

    def _next_of(self, name: str, now: float) -> float:
        slots = self._next.get(name, {})
        return min((slots.get(kind, now) for kind in self._every[name]), default=now + 3600)
