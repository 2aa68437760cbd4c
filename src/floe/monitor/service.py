"""The service: runs due checks, one at a time per contract, and never waits for a slow one."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from floe.actions.monitor import LeaseHooks, MonitorResult, housekeep, timed_out, watch
from floe.actions.monitor.find import Subject, source_mark, subjects
from floe.actions.monitor.snapshot import snapshots
from floe.actions.outbox import send_due
from floe.model import FloeError, LeaseError, SettingError
from floe.model.lease import Lease
from floe.model.monitor_check import CheckRun
from floe.model.result import PASS
from floe.monitor.schedule import Schedule, intervals
from floe.settings import Settings

if TYPE_CHECKING:
    from floe.registry import Store

_LOG = logging.getLogger("floe.monitor")
_WORKERS = 4
_RELOAD = 60.0  # seconds
_OUTBOX = 10.0
_HOUSEKEEPING = 3600.0
_GAUGES = 10.0
_POLL = 5.0  # continuous: how soon a commit is seen
_BY_COMMIT = ("schema_drift", "quality", "latency", "retention", "freshness", "anomaly")
_TIMED = ("availability", "freshness", "cost", "deprecation", "recovery", "anomaly")  # what changes without a commit


class Gauges(Protocol):
    """Receives the outcomes of checks."""

    def take(self, watch: CheckRun) -> None:
        """Count a check."""

    def skip(self) -> None:
        """Count a check that was skipped."""

    def keep(self, known: Any) -> None:
        """Remove a dataset that is no longer monitored."""


class Scheduler(Protocol):
    """Decides what is due and who runs it: this process alone, or replicas that share the work."""

    def know(self, every: Mapping[str, Mapping[str, float]]) -> None:
        """Take in which contracts there are, and how often each kind of check is due."""

    def note(self, name: str, seen: str, kinds: Collection[str]) -> None:
        """Request checks of a contract whose tables have new snapshots."""

    def claim(self, busy: Collection[str], most: int) -> tuple[list[Lease], int]:
        """Take turns, and how many slots were skipped."""

    def renew(self, turns: Collection[Lease]) -> None:
        """Hold on to turns that are under way."""

    def renew_every(self) -> float:
        """Seconds between two renewals."""

    def done(self, store: "Store", turn: Lease) -> bool:
        """End a turn in the transaction of what it found; whether slots were missed."""

    def mine(self) -> Collection[str]:
        """The contracts whose last check was this process's."""

    def soonest(self) -> float:
        """Seconds until something may be due."""


@dataclass(slots=True)
class _Job:
    thread: threading.Thread
    started: float
    alive: threading.Event
    turn: Lease | None = None


@dataclass(slots=True)
class Service:
    """The monitored contracts and the running checks; `monotonic` is the clock of intervals, the settings' clock that of ages."""

    settings: Settings
    store: "Store"
    metrics: Gauges
    monotonic: Callable[[], float] = time.monotonic
    timeout: float = 300.0
    names: tuple[str, ...] = ()
    slots: Scheduler | None = None  # None: this process alone
    stopping: threading.Event = field(default_factory=threading.Event)
    rounds: int = 0
    _troubles: dict[str, str] = field(default_factory=dict)
    _subjects: dict[str, Subject] = field(default_factory=dict)
    _running: dict[str, _Job] = field(default_factory=dict)
    _done: "queue.Queue[tuple[str, list[CheckRun] | FloeError]]" = field(default_factory=queue.Queue)
    _mark: str | None = None
    _own: dict[str, float] = field(default_factory=dict)  # when jobs of the service's own are due
    _snapshots: dict[str, str] = field(default_factory=dict)
    _last: dict[tuple[str, str, str], CheckRun] = field(default_factory=dict)
    _loaded: bool = False
    _woken: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Run until stopped; running checks get a short time to end."""
        while not self.stopping.is_set():
            self.wait(self.step())
        self.drain(5.0)

    def wait(self, seconds: float) -> None:
        """Wait until something is due or a check has ended, a second at most."""
        self._woken.wait(min(1.0, max(0.05, seconds)))
        self._woken.clear()

    def step(self) -> float:
        """Take in what ended, begin what is due; seconds until there is something to do."""
        now = self.monotonic()
        self._collect()
        if self._reached("reload", _RELOAD, now):
            self._reload()
        self._give_up(now)
        if self.settings.data_contracts.monitoring.mode == "continuous" and self._reached("poll", _POLL, now):
            self._aside("poll", self._poll)
        self._begin_due(now)
        if self._reached("outbox", _OUTBOX, now):
            self._aside("outbox", self._send)
        if self._reached("housekeeping", _HOUSEKEEPING, now):
            self._aside("housekeeping", lambda: housekeep(self.settings, self.store))
        self.rounds += 1
        return self._turns.soonest()

    @property
    def _turns(self) -> Scheduler:
        if self.slots is None:
            self.slots = Schedule(self.monotonic)
        return self.slots

    @property
    def trouble(self) -> str | None:
        """Why it is not ready."""
        return next(iter(self._troubles.values()), None)

    def drain(self, seconds: float) -> None:
        """Wait for the running checks."""
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
    def result(self) -> MonitorResult:
        """The latest outcomes of each dataset, in the form of `floe monitor check`."""
        return MonitorResult(tuple(self._last.values()))

    @property
    def idle(self) -> bool:
        """Whether nothing runs."""
        return not self._running

    def _reached(self, name: str, every: float, now: float) -> bool:
        """Whether a job of the service's own is due."""
        if self._own.get(name, now) > now:
            return False
        self._own[name] = now + every
        return True

    def _reload(self) -> None:
        """Read the contracts again where they changed; those that were known stay where that cannot be done."""
        try:
            mark = source_mark(self.settings, self.store)
            if mark == self._mark:
                self._troubles.pop("contracts", None)
                return
            found = {subject.key: subject for subject in map(self._watchable, subjects(self.names, self.settings))}
            self._turns.know({name: self._intervals(one) for name, one in found.items()})
            self._subjects, self._mark, self._loaded = found, mark, True
            _LOG.info("monitored contracts: %s", len(found)) if found else _LOG.warning("no contract found")
            self._troubles.pop("contracts", None)
            self._own.pop("gauges", None)
        except FloeError as error:
            self._troubles["contracts"] = error.message
            _LOG.error("contracts could not be read: %s", error.message)

    def _watchable(self, subject: Subject) -> Subject:
        """The contract, or a finding about its intervals: one bad contract does not stop the others."""
        try:
            self._intervals(subject)
        except SettingError as error:
            return Subject(subject.name, error=error.message)
        return subject

    def _forget_gauges(self) -> None:
        """Datasets that are no longer monitored, or were last checked by another replica, have no gauges here."""
        known = [
            subject.contract
            for name in self._turns.mine()
            if (subject := self._subjects.get(name)) and subject.contract
        ]
        self.metrics.keep({(c.identity.rsplit(":", 1)[0], c.version, d.name) for c in known for d in c.datasets})

    def _intervals(self, subject: Subject) -> Mapping[str, float]:
        if subject.contract is None:
            return {"availability": 3600.0}
        every = intervals(self.settings, subject.contract)
        continuous = self.settings.data_contracts.monitoring.mode == "continuous"
        return {kind: step for kind, step in every.items() if kind in _TIMED} if continuous else every

    def _begin_due(self, now: float) -> None:
        """Begin what is due as far as workers are free; what is held is held on to."""
        if self.stopping.is_set():
            return
        alive = [job for job in self._running.values() if job.alive.is_set()]
        try:
            if self._reached("renew", self._turns.renew_every(), now):
                self._turns.renew([job.turn for job in alive if job.turn])
            if self._reached("gauges", _GAUGES, now):
                self._forget_gauges()
            turns, skipped = self._turns.claim(self._running, _WORKERS - len(alive))
            self._troubles.pop("slots", None)
        except FloeError as error:
            self._troubles["slots"] = error.message
            _LOG.error("%s", error.message)
            return
        for turn in turns:
            self._begin(turn, now)
        for _ in range(skipped):
            self.metrics.skip()

    def _begin(self, turn: Lease, now: float) -> None:
        alive = threading.Event()
        alive.set()
        subject, own = self._subjects[turn.name], LeaseHooks(alive.is_set, lambda store: self._end(store, turn))

        def look() -> None:
            try:
                self._done.put((turn.name, watch(subject, turn.kinds, self.settings, self.store, own)))
            except FloeError as error:  # the registry does not answer, or another took over
                self._done.put((turn.name, error))
            self._woken.set()

        thread = threading.Thread(target=look, name=f"floe {subject.name}", daemon=True)
        self._running[turn.name] = _Job(thread, now, alive, turn)
        thread.start()

    def _end(self, store: "Store", turn: Lease) -> None:
        if self._turns.done(store, turn):
            self.metrics.skip()

    def _collect(self) -> None:
        while True:
            try:
                name, said = self._done.get_nowait()
            except queue.Empty:
                break
            job = self._running.pop(name, None)
            if isinstance(said, LeaseError):
                _LOG.warning("%s", said.message)
            elif isinstance(said, FloeError):
                self._troubles["registry"] = said.message
                _LOG.error("%s: %s", name, said.message)
            elif job is None or job.alive.is_set():
                if said:
                    self._troubles.pop("registry", None)
                for run in said:
                    self._take(run)

    def _give_up(self, now: float) -> None:
        """What takes too long is not evaluated; its thread is left alone, and its contract until it ends."""
        for name, job in self._running.items():
            if job.alive.is_set() and now - job.started > self.timeout:
                job.alive.clear()
                for run in (
                    timed_out(self._subjects[name], self.timeout, self.settings) if name in self._subjects else ()
                ):
                    self._take(run)

    def _take(self, watch: CheckRun) -> None:
        self.metrics.take(watch)
        key = (watch.contract, watch.version, watch.dataset)
        before = self._last.get(key)
        if watch.outcome != (before.outcome if before else PASS):
            codes = {f"FLOE-{check.outcome.code}" for check in watch.checks if check.outcome.outcome == watch.outcome}
            name = " ".join(part for part in (watch.contract, watch.version, watch.dataset) if part)
            level = logging.INFO if watch.outcome == PASS else logging.WARNING
            _LOG.log(level, "%s: %s %s", name, watch.outcome, watch.error or " ".join(sorted(codes)))
        self._last[key] = watch

    def _poll(self) -> None:
        """Note the tables with a new snapshot; an idle table costs no data read."""
        for name, subject in list(self._subjects.items()):
            if subject.contract is None:
                continue
            seen = snapshots(subject.contract, self.settings, self.store)
            if seen != self._snapshots.get(name):
                self._turns.note(name, seen, _BY_COMMIT)
                self._snapshots[name] = seen

    def _send(self) -> None:
        for line in send_due(self.settings).said:
            _LOG.warning("%s", line)

    def _aside(self, name: str, work: Callable[[], None]) -> None:
        """Run background work of the service, one at a time."""
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
        self._running[f":{name}"] = _Job(thread, self.monotonic(), alive)
        thread.start()
