"""Monitor: check tables between writes, store the outcomes and notify."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.actions.monitor.context import CheckContext
from floe.actions.monitor.find import Subject, subjects
from floe.actions.monitor.look import daily_fact, run_checks
from floe.actions.monitor.probes import rounded
from floe.actions.outbox.background import SOON
from floe.actions.record import messages_of, record_waiting, run_row_for_check
from floe.events.trace import facts_of, span
from floe.model import Contract, FloeError, LeaseError, RegistryError, Severity
from floe.model.monitor_check import KINDS, CheckRun, MonitorCheck
from floe.model.result import FAIL, NOT_EVALUATED, PASS
from floe.settings import Settings
from floe.system.clock import stamp

if TYPE_CHECKING:
    from floe.registry import Store
    from floe.registry.incidents import ObservedProblem

_LOG = logging.getLogger("floe.monitor")
KEPT = timedelta(days=35)  # how long the monitor's own runs stay
PROBES_KEPT = timedelta(days=2)  # of these those that found nothing but a table that can be read
FACTS_KEPT = timedelta(days=100)
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LeaseHooks:
    """Hooks of a lease: whether the result is still wanted, and the end of the lease in the same transaction."""

    wanted: Callable[[], bool] = lambda: True
    finish: "Callable[[Store], object]" = lambda _: None


_ANY_TURN = LeaseHooks()


@dataclass(frozen=True, slots=True)
class MonitorResult:
    """The result of a round: one check run per dataset, the worst first."""

    watches: tuple[CheckRun, ...]

    @property
    def exit_code(self) -> int:
        """0 fine, 1 something is broken, 2 nothing is broken and something was not evaluated, or there is nothing."""
        outcomes = {run.outcome for run in self.watches}
        if FAIL in outcomes:
            return 1
        return 2 if NOT_EVALUATED in outcomes or not outcomes else 0

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        outcomes = [run.outcome for run in self.watches]
        counts = {word: outcomes.count(word) for word in (PASS, FAIL, NOT_EVALUATED)}
        return {
            "results": [run.to_dict() for run in self.watches],
            "summary": {"datasets": len(outcomes), **counts},
        }


def monitor_check(
    names: Sequence[str | Contract],
    settings: Settings,
    progress: Progress = lambda _: None,
    kinds: Collection[str] = KINDS,
) -> MonitorResult:
    """Run all checks of the datasets of contracts now; of every contract without names."""
    if settings.data_contracts.enforcement == "off":
        settings.say("· data_contracts.enforcement is off: no checks run")
        return MonitorResult(())
    store = registry.open_store(settings.registry.url, settings.root)
    found = subjects(names, settings)
    watches: list[CheckRun] = []
    for number, subject in enumerate(found, 1):
        progress(f"{subject.name} ({number} of {len(found)})")
        watches += watch(subject, kinds, settings, store)
    return MonitorResult(tuple(sorted(watches, key=lambda run: (FAIL, NOT_EVALUATED, PASS).index(run.outcome))))


def watch(
    subject: Subject,
    kinds: Collection[str],
    settings: Settings,
    store: "Store",
    turn: LeaseHooks = _ANY_TURN,
) -> list[CheckRun]:
    """Check every dataset of a contract and store the outcomes in one transaction; errors are outcomes too."""
    contract = subject.contract
    if contract is None:
        watches = [_failed(subject.name, "", "", subject.error or "", settings)]
        return watches if not turn.wanted() else _ended(watches, store, turn)
    looks = [
        _looked(CheckContext(contract, dataset, settings, store, settings.clock()), kinds)
        for dataset in contract.datasets
    ]
    if not turn.wanted():
        return [seen for seen, _ in looks]
    try:
        return _kept(looks, settings, store, turn)
    except (RegistryError, LeaseError):
        raise
    except Exception as error:  # noqa: BLE001  (the outermost frame of a look: one bad contract stops no other)
        return [_unkept(scene, error) for _, scene in looks]


def _ended(watches: list[CheckRun], store: "Store", turn: LeaseHooks) -> list[CheckRun]:
    with store.transaction() as transaction:
        turn.finish(transaction)
    return watches


def _looked(scene: CheckContext, kinds: Collection[str]) -> tuple[CheckRun, CheckContext]:
    try:
        with span(scene.settings, "floe.monitor.check", dataset=scene.dataset.name, kinds=",".join(kinds)) as say:
            seen = run_checks(scene, kinds)
            say(run_id=seen.run_id, **(facts_of(seen.result) if seen.result else {}))
        return seen, scene
    except RegistryError:
        raise
    except Exception as error:  # noqa: BLE001  (the outermost frame of a look: one bad contract stops no other)
        return _unkept(scene, error), scene


def _unkept(scene: CheckContext, error: Exception) -> CheckRun:
    ours = isinstance(error, FloeError)
    said = error.message if isinstance(error, FloeError) else f"internal error: {type(error).__name__}"
    _LOG.log(
        logging.INFO if ours else logging.ERROR,
        "%s %s was not evaluated: %s",
        scene.contract_id,
        scene.dataset.name,
        said,
        exc_info=None if ours else error,
    )
    return _failed(scene.contract_id, scene.contract.version, scene.dataset.name, said, scene.settings)


def timed_out(subject: Subject, seconds: float, settings: Settings) -> list[CheckRun]:
    """The outcome of a check that nobody waits for any more."""
    contract, why = subject.contract, f"no answer within {seconds:g} seconds"
    if contract is None:
        return [_failed(subject.name, "", "", why, settings)]
    name = contract.identity.rsplit(":", 1)[0]
    return [_failed(name, contract.version, dataset.name, why, settings) for dataset in contract.datasets]


def housekeep(settings: Settings, store: "Store") -> None:
    """Forget the monitor's oldest runs."""
    registry.sla_status.forget_runs(store, stamp(settings.clock() - KEPT), stamp(settings.clock() - PROBES_KEPT))
    registry.day_facts.forget_facts(store, stamp(settings.clock() - FACTS_KEPT)[:10])


def _failed(contract: str, version: str, dataset: str, why: str, settings: Settings) -> CheckRun:
    at = stamp(settings.clock())
    return CheckRun(contract=contract, version=version, dataset=dataset, at=at, run_id="", error=why)


def _kept(
    looks: list[tuple[CheckRun, CheckContext]], settings: Settings, store: "Store", turn: LeaseHooks
) -> list[CheckRun]:
    """Store all outcomes and the end of the lease, or nothing; messages go to the outbox in the same transaction."""
    waiting = record_waiting(store, settings)
    if waiting:
        settings.say(waiting)
    entries = [_entry(seen, scene) for seen, scene in looks]
    with store.transaction() as transaction:
        kept = [_keep(seen, scene, entry, transaction) for (seen, scene), entry in zip(looks, entries, strict=True)]
        turn.finish(transaction)
    if any(entry and entry["messages"] for entry, _ in entries):
        SOON.send(settings)
    for event in (event for seen in kept for event in seen.incidents):
        _LOG.info("%(event)s %(code)s %(severity)s %(contract)s:%(version)s %(dataset)s", event)
    return kept


_Entry = tuple[dict[str, Any] | None, str | None]  # a run with its messages, and the reason if it could not be recorded


def _entry(watch: CheckRun, scene: CheckContext) -> _Entry:
    if watch.result is None:  # it could not be checked
        return None, None
    entry = run_row_for_check(watch, scene.table_id, scene.settings.actor)
    messages, note = messages_of(scene.settings, entry, watch.result)
    fact = daily_fact(watch.result, scene) if "anomaly" in watch.kinds else None
    return {**entry, "messages": messages, "fact": fact}, note


def _keep(watch: CheckRun, scene: CheckContext, entry: _Entry, store: "Store") -> CheckRun:
    """Store a check run: its run, its probe, its incidents and the status of service levels."""
    if entry[0] is None:
        return watch
    store.record(entry[0], at=stamp(scene.settings.clock()))
    for took in _probes(watch):
        registry.sla_status.count_probe(store, watch.contract, watch.dataset, watch.at[:10], took)
    sure = [kind for kind in watch.kinds if not any(_unknown(check, kind) for check in watch.checks)]
    told = _whom(watch) if scene.settings.data_contracts.enforcement != "warn" else None
    sight = registry.incidents.PlaceReport(_faults(watch.checks), sure, watch.run_id, told)
    moved = registry.incidents.settle(store, scene.place, sight, scene.now)
    registry.sla_status.keep_status(store, _statuses(watch))
    return replace(watch, incidents=tuple(moved), notes=(*watch.notes, *([entry[1]] if entry[1] else [])))


def _probes(watch: CheckRun) -> list[str | None]:
    """The duration of the probe; None if it did not find the table."""
    return [rounded(check.took) if check.value else None for check in watch.checks if check.took is not None]


def _unknown(check: MonitorCheck, kind: str) -> bool:
    return check.kind == kind and check.outcome.outcome == NOT_EVALUATED


def _whom(watch: CheckRun) -> dict[str, Any]:
    result = watch.result
    return {"owner": result.owner if result else None, "support": list(result.support) if result else []}


def _faults(checks: Sequence[MonitorCheck]) -> list["ObservedProblem"]:
    """The worst of each kind and code, from warnings up."""
    worst: dict[tuple[str, str], registry.incidents.ObservedProblem] = {}
    for check in checks:
        key = (check.kind, check.outcome.code)
        if check.level and check.level >= Severity.WARNING and (key not in worst or check.level > worst[key].severity):
            worst[key] = registry.incidents.ObservedProblem(check.kind, check.outcome.code, check.level, said_of(check))
    return list(worst.values())


def said_of(check: MonitorCheck) -> str:
    """The text of a check: its message, or how much of its limit is used."""
    outcome = check.outcome
    if outcome.message or check.used is None:
        return outcome.message
    return f"'{outcome.field}' has used {check.used:.0%} of its limit: {outcome.actual} of {outcome.expected}"


def _statuses(watch: CheckRun) -> list[dict[str, Any]]:
    """The worst check of each kind, as its status."""
    rows = []
    for kind in watch.kinds:
        mine = [check for check in watch.checks if check.kind == kind]
        if not mine and kind != "deprecation":
            continue  # the contract has no expectation of this kind
        worst = max(mine, key=lambda check: (check.level or 0, check.status == "unknown"), default=None)
        status = worst.status if worst else "ok"
        value, target = (worst.outcome.actual, worst.outcome.expected) if worst else (None, None)
        key = {"contract_id": watch.contract, "version": watch.version, "dataset": watch.dataset, "sla": kind}
        used = max((check.used for check in mine if check.used is not None), default=None)
        rows.append({**key, "status": status, "value": value, "target": target, "at": watch.at, "used": used})
    return rows


def monitor_status(settings: Settings) -> dict[str, Any]:
    """The latest status of each check, and the open incidents."""
    store = registry.find_store(settings.registry.url, settings.root)
    if store is None:
        return {"statuses": [], "incidents": []}
    return {"statuses": registry.sla_status.statuses(store), "incidents": registry.incidents.open_incidents(store)}
