"""The service: looks at what is due, one look at a contract at a time, and never waits for a slow one."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from floe.actions.monitor import MonitorResult, housekeep, late, watch
from floe.actions.monitor_find import Subject, source_mark, subjects
from floe.actions.monitor_snapshot import snapshots
from floe.actions.outbox import send_due
from floe.model import FloeError
from floe.model.settings import Settings
from floe.model.watch import Watch
from floe.monitor.schedule import Schedule, intervals

if TYPE_CHECKING:
    from floe.registry import Store

_LOG = logging.getLogger("floe.monitor")
_WORKERS = 4
_RELOAD = 60.0  # seconds
_OUTBOX = 10.0
_HOUSEKEEPING = 3600.0
_POLL = 5.0  # continuous: how soon a commit is seen
_BY_COMMIT = ("schema_drift", "quality", "latency", "retention", "freshness")
_TIMED = ("availability", "freshness", "cost", "deprecation")  # what changes without a commit


class Gauges(Protocol):
    """Whoever counts what looks come to."""

    def take(self, watch: Watch) -> None:
        """Count a look."""

    def skip(self) -> None:
        """Count a look that did not begin."""

    def keep(self, known: Any) -> None:
        """Forget what is watched no more."""


@dataclass(slots=True)
class _Job:
    thread: threading.Thread
    started: float
    kinds: tuple[str, ...]
    alive: threading.Event


@dataclass(slots=True)
class Service:
    """What is watched and what runs; `monotonic` is the clock of intervals, the settings' clock that of ages."""

    settings: Settings
    store: "Store"
    metrics: Gauges
    monotonic: Callable[[], float] = time.monotonic
    timeout: float = 300.0
    names: tuple[str, ...] = ()
    stopping: threading.Event = field(default_factory=threading.Event)
    trouble: str | None = None  # why it is not ready
    rounds: int = 0
    _subjects: dict[str, Subject] = field(default_factory=dict)
    _every: dict[str, Mapping[str, float]] = field(default_factory=dict)
    _schedule: Schedule = field(default_factory=Schedule)
    _running: dict[str, _Job] = field(default_factory=dict)
    _done: "queue.Queue[tuple[str, list[Watch] | FloeError]]" = field(default_factory=queue.Queue)
    _mark: str | None = None
    _slots: dict[str, float] = field(default_factory=dict)
    _snapshots: dict[str, str] = field(default_factory=dict)
    _committed: dict[str, tuple[str, ...]] = field(default_factory=dict)  # what a commit asks for
    _last: dict[tuple[str, str, str], Watch] = field(default_factory=dict)
    _loaded: bool = False

    def run(self) -> None:
        """Go on until told to stop; looks that run are given a moment to end."""
        while not self.stopping.is_set():
            self.stopping.wait(min(1.0, max(0.05, self.step())))
        self.drain(5.0)

    def step(self) -> float:
        """Take in what ended, begin what is due; seconds until there is something to do."""
        now = self.monotonic()
        self._collect()
        if self._reached("reload", _RELOAD, now):
            self._reload()
        self._give_up(now)
        if self.settings["data_contracts.monitoring.mode"] == "continuous" and self._reached("poll", _POLL, now):
            self._aside("poll", self._poll)
        for name in self._subjects:
            self._begin_due(name, now)
        if self._reached("outbox", _OUTBOX, now):
            self._aside("outbox", self._send)
        if self._reached("housekeeping", _HOUSEKEEPING, now):
            self._aside("housekeeping", lambda: housekeep(self.settings, self.store))
        self.rounds += 1
        return self._schedule.soonest(self._every, now)

    def drain(self, seconds: float) -> None:
        """Wait for the looks that run."""
        ends = time.monotonic() + seconds
        for job in list(self._running.values()):
            job.thread.join(max(0.0, ends - time.monotonic()))
        self._collect()

    def health(self) -> dict[str, Any]:
        """How the service is."""
        return {
            "status": "ok" if not self.trouble else "degraded",
            "trouble": self.trouble,
            "contracts": len(self._subjects),
            "running": len(self._running),
            "rounds": self.rounds,
        }

    @property
    def ready(self) -> bool:
        """Whether contracts are known and the registry answers."""
        return self._loaded and not self.trouble and not self.stopping.is_set()

    @property
    def exit_code(self) -> int:
        """As `floe monitor check` ends: 1 something is broken, 2 not evaluated, 0 fine."""
        return MonitorResult(tuple(self._last.values())).exit_code

    @property
    def idle(self) -> bool:
        """Whether nothing runs."""
        return not self._running

    def _reached(self, name: str, every: float, now: float) -> bool:
        """Whether a job of the service's own is due."""
        if self._slots.get(name, now) > now:
            return False
        self._slots[name] = now + every
        return True

    def _reload(self) -> None:
        """Read the contracts again where they changed; those that were known stay where that cannot be done."""
        try:
            mark = source_mark(self.settings, self.store)
            if mark == self._mark:
                return
            found = {one.name: one for one in subjects(self.names, self.settings)}
            self._every = {name: self._intervals(one) for name, one in found.items()}
            self._subjects, self._mark, self._loaded, self.trouble = found, mark, True, None
        except FloeError as error:
            self.trouble = error.message
            _LOG.error("contracts were not read: %s", error.message)
            return
        known = [one.contract for one in found.values() if one.contract]
        self.metrics.keep({(c.identity.rsplit(":", 1)[0], c.version, d.name) for c in known for d in c.datasets})

    def _intervals(self, subject: Subject) -> Mapping[str, float]:
        if subject.contract is None:
            return {"availability": 3600.0}
        every = intervals(self.settings, subject.contract)
        continuous = self.settings["data_contracts.monitoring.mode"] == "continuous"
        return {kind: step for kind, step in every.items() if kind in _TIMED} if continuous else every

    def _begin_due(self, name: str, now: float) -> None:
        every = self._every[name]
        kinds = self._schedule.due(name, every, now)
        if self.stopping.is_set() or not (kinds or name in self._committed):
            return
        if name not in self._running:
            if sum(job.alive.is_set() for job in self._running.values()) >= _WORKERS:
                return  # stays due until a worker is free
            self._begin(name, tuple(dict.fromkeys((*kinds, *self._committed.pop(name, ())))), now)
        elif kinds:
            self.metrics.skip()
        self._schedule.taken(name, kinds, every, now)

    def _begin(self, name: str, kinds: tuple[str, ...], now: float) -> None:
        alive = threading.Event()
        alive.set()
        subject = self._subjects[name]

        def look() -> None:
            try:
                self._done.put((name, watch(subject, kinds, self.settings, self.store, alive.is_set)))
            except FloeError as error:  # the registry does not answer
                self._done.put((name, error))

        thread = threading.Thread(target=look, name=f"floe {name}", daemon=True)
        self._running[name] = _Job(thread, now, kinds, alive)
        thread.start()

    def _collect(self) -> None:
        while True:
            try:
                name, said = self._done.get_nowait()
            except queue.Empty:
                break
            job = self._running.pop(name, None)
            if isinstance(said, FloeError):
                self.trouble = said.message
                _LOG.error("%s: %s", name, said.message)
            elif job is None or job.alive.is_set():
                self.trouble = None if said else self.trouble
                for one in said:
                    self._take(one)

    def _give_up(self, now: float) -> None:
        """What takes too long is not evaluated; its thread is left alone, and its contract until it ends."""
        for name, job in self._running.items():
            if job.alive.is_set() and now - job.started > self.timeout:
                job.alive.clear()
                for one in late(self._subjects[name], self.timeout, self.settings) if name in self._subjects else ():
                    self._take(one)

    def _take(self, watch: Watch) -> None:
        self.metrics.take(watch)
        self._last[watch.contract, watch.version, watch.dataset] = watch

    def _poll(self) -> None:
        """Note the tables with a new snapshot; an idle table costs no data read."""
        for name, subject in list(self._subjects.items()):
            if subject.contract is None:
                continue
            seen = snapshots(subject.contract, self.settings, self.store)
            if seen != self._snapshots.get(name):
                self._snapshots[name] = seen
                self._committed[name] = _BY_COMMIT

    def _send(self) -> None:
        for line in send_due(self.settings).said:
            _LOG.warning("%s", line)

    def _aside(self, name: str, work: Callable[[], None]) -> None:
        """Do work of the service's own beside the looks, one at a time."""
        if f":{name}" in self._running:
            return

        def run() -> None:
            try:
                work()
                self._done.put((f":{name}", []))
            except FloeError as error:
                self._done.put((f":{name}", error))

        alive = threading.Event()  # takes no worker's place
        thread = threading.Thread(target=run, name=f"floe {name}", daemon=True)
        self._running[f":{name}"] = _Job(thread, self.monotonic(), (), alive)
        thread.start()
