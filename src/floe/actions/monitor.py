"""Monitor: whether tables keep their contracts between writes; what is found is kept and told."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from floe.actions.monitor_find import Subject, subjects
from floe.actions.monitor_look import Scene, look_at
from floe.actions.record import of_watch, record
from floe.actions.tell_run import record_and_tell
from floe.model import Contract, FloeError, RegistryError, Severity
from floe.model.clock import stamp
from floe.model.result import FAIL, NOT_EVALUATED, PASS
from floe.model.settings import Settings
from floe.model.watch import KINDS, Check, Watch
from floe.tell.sinks.trace import facts_of, span

if TYPE_CHECKING:
    from floe.registry import Store
    from floe.registry.incidents import Found

_LOG = logging.getLogger("floe.monitor")
KEPT = timedelta(days=35)  # how long the monitor's own runs stay
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class MonitorResult:
    """What a round came to: one watch per dataset, the worst first."""

    watches: tuple[Watch, ...]

    @property
    def exit_code(self) -> int:
        """0 fine, 1 something is broken, 2 something was not evaluated and nothing is broken."""
        outcomes = {one.outcome for one in self.watches}
        return 1 if FAIL in outcomes else 2 if NOT_EVALUATED in outcomes else 0

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        outcomes = [one.outcome for one in self.watches]
        counts = {word: outcomes.count(word) for word in (PASS, FAIL, NOT_EVALUATED)}
        return {
            "results": [one.to_dict() for one in self.watches],
            "summary": {"datasets": len(outcomes), **counts},
        }


def monitor_check(
    names: Sequence[str | Contract],
    settings: Settings,
    progress: Progress = lambda _: None,
    kinds: Collection[str] = KINDS,
) -> MonitorResult:
    """Look at the datasets of contracts now, at all that can be asked; without names at every contract there is."""
    from floe.registry import open_store

    if settings["data_contracts.enforcement"] == "off":
        settings.say("· data_contracts.enforcement is off: nothing is watched")
        return MonitorResult(())
    store = open_store(settings["registry.url"], settings.root)
    found = subjects(names, settings)
    watches: list[Watch] = []
    for number, subject in enumerate(found, 1):
        progress(f"{subject.name} ({number} of {len(found)})")
        watches += watch(subject, kinds, settings, store)
    return MonitorResult(tuple(sorted(watches, key=lambda one: (FAIL, NOT_EVALUATED, PASS).index(one.outcome))))


def watch(
    subject: Subject,
    kinds: Collection[str],
    settings: Settings,
    store: "Store",
    wanted: Callable[[], bool] = lambda: True,
) -> list[Watch]:
    """Look at every dataset of a contract and keep what was found; whatever goes wrong is an answer too.

    Args:
        subject: the contract.
        kinds: what to look at.
        settings: those in force.
        store: where it is kept.
        wanted: whether somebody still waits for the answer; else nothing is kept.
    """
    contract = subject.contract
    if contract is None:
        return [_failed(subject.name, "", "", subject.error or "", settings)]
    watches = []
    for dataset in contract.datasets:
        scene = Scene(contract, dataset, settings, store, settings.clock())
        try:
            with span(settings, "floe.monitor.check", dataset=dataset.name, kinds=",".join(kinds)) as say:
                seen = look_at(scene, kinds)
                say(run_id=seen.run_id, **(facts_of(seen.result) if seen.result else {}))
            watches.append(_kept(seen, scene) if wanted() else seen)
        except RegistryError:
            raise
        except Exception as error:  # noqa: BLE001  (the outermost frame of a look: one bad contract stops no other)
            said = (
                error.message
                if isinstance(error, FloeError)
                else f"floe met a fault of its own: {type(error).__name__}"
            )
            _LOG.info("%s %s was not evaluated: %s", scene.contract_id, dataset.name, said)
            watches.append(_failed(scene.contract_id, contract.version, dataset.name, said, settings))
    return watches


def late(subject: Subject, seconds: float, settings: Settings) -> list[Watch]:
    """A look that nobody waits for any more, as an answer."""
    contract, why = subject.contract, f"no answer within {seconds:g} seconds"
    if contract is None:
        return [_failed(subject.name, "", "", why, settings)]
    name = contract.identity.rsplit(":", 1)[0]
    return [_failed(name, contract.version, one.name, why, settings) for one in contract.datasets]


def housekeep(settings: Settings, store: "Store") -> None:
    """Forget the monitor's oldest runs."""
    from floe.registry.watched import forget_runs

    forget_runs(store, stamp(settings.clock() - KEPT))


def _failed(contract: str, version: str, dataset: str, why: str, settings: Settings) -> Watch:
    at = stamp(settings.clock())
    return Watch(contract=contract, version=version, dataset=dataset, at=at, run_id="", error=why)


def _kept(watch: Watch, scene: Scene) -> Watch:
    """Keep the run, its incidents and the status of service levels; messages go to the outbox with the incidents."""
    from floe.registry.incidents import Sight, settle
    from floe.registry.watched import keep_status

    entry = of_watch(watch, scene.table_id, scene.settings.actor)
    note = (
        record_and_tell(scene.settings, scene.store, entry, watch.result)
        if watch.result
        else record(scene.store, scene.settings.root, entry)
    )
    sure = [kind for kind in watch.kinds if not any(_unknown(one, kind) for one in watch.checks)]
    told = _whom(watch) if scene.settings["data_contracts.enforcement"] != "warn" else None
    sight = Sight(_faults(watch.checks), sure, watch.run_id, told)
    moved = settle(scene.store, scene.place, sight, scene.now)
    keep_status(scene.store, _statuses(watch))
    for one in moved:
        _LOG.info("%(event)s %(code)s %(severity)s %(contract)s:%(version)s %(dataset)s", one)
    return replace(watch, incidents=tuple(moved), notes=(*watch.notes, *([note] if note else [])))


def _unknown(check: Check, kind: str) -> bool:
    return check.kind == kind and check.outcome.outcome == NOT_EVALUATED


def _whom(watch: Watch) -> dict[str, Any]:
    result = watch.result
    return {"owner": result.owner if result else None, "support": list(result.support) if result else []}


def _faults(checks: Sequence[Check]) -> list["Found"]:
    """The worst of each kind and code, from warnings up."""
    from floe.registry.incidents import Found

    worst: dict[tuple[str, str], Found] = {}
    for one in checks:
        key = (one.kind, one.outcome.code)
        if one.level and one.level >= Severity.WARNING and (key not in worst or one.level > worst[key].severity):
            worst[key] = Found(one.kind, one.outcome.code, one.level, said_of(one))
    return list(worst.values())


def said_of(check: Check) -> str:
    """What is said of a check: its message, or how near a kept promise is to its end."""
    outcome = check.outcome
    if outcome.message or check.used is None:
        return outcome.message
    return f"'{outcome.field}' has used {check.used:.0%} of what is promised: {outcome.actual} of {outcome.expected}"


def _statuses(watch: Watch) -> list[dict[str, Any]]:
    """The worst check of each kind, as its status."""
    rows = []
    for kind in watch.kinds:
        mine = [one for one in watch.checks if one.kind == kind]
        if not mine and kind != "deprecation":
            continue  # nothing of the kind is promised
        worst = max(mine, key=lambda one: (one.level or 0, one.status == "unknown"), default=None)
        status = worst.status if worst else "ok"
        value, target = (worst.outcome.actual, worst.outcome.expected) if worst else (None, None)
        key = {"contract_id": watch.contract, "version": watch.version, "dataset": watch.dataset, "sla": kind}
        rows.append({**key, "status": status, "value": value, "target": target, "at": watch.at})
    return rows


def monitor_status(settings: Settings) -> dict[str, Any]:
    """The last status of what is watched, and the incidents that are open."""
    from floe.registry import find_store
    from floe.registry.incidents import open_incidents
    from floe.registry.watched import statuses

    store = find_store(settings["registry.url"], settings.root)
    if store is None:
        return {"statuses": [], "incidents": []}
    return {"statuses": statuses(store), "incidents": open_incidents(store)}
