"""Monitor: whether tables keep their contracts between writes; what is found is kept and told."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from floe.actions.monitor_find import Subject, subjects
from floe.actions.monitor_look import fact_seen, look_at
from floe.actions.monitor_scene import Scene
from floe.actions.record import of_watch, record_waiting
from floe.actions.send_soon import SOON
from floe.actions.tell_run import messages_of
from floe.data.judge.probes import rounded
from floe.model import Contract, FloeError, LeaseError, RegistryError, Severity
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
PROBES_KEPT = timedelta(days=2)  # of these those that found nothing but a table that can be read
FACTS_KEPT = timedelta(days=100)
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class OneTurn:
    """Whether somebody still waits for the answer, and what ends the turn in the transaction of what was found."""

    wanted: Callable[[], bool] = lambda: True
    finish: "Callable[[Store], object]" = lambda _: None


_ANY_TURN = OneTurn()


@dataclass(frozen=True, slots=True)
class MonitorResult:
    """What a round came to: one watch per dataset, the worst first."""

    watches: tuple[Watch, ...]

    @property
    def exit_code(self) -> int:
        """0 fine, 1 something is broken, 2 nothing is broken and something was not evaluated, or there is nothing."""
        outcomes = {one.outcome for one in self.watches}
        return 1 if FAIL in outcomes else 2 if NOT_EVALUATED in outcomes or not outcomes else 0

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
    turn: OneTurn = _ANY_TURN,
) -> list[Watch]:
    """Look at every dataset of a contract and keep what was found, all or nothing; whatever goes wrong is an answer too."""
    contract = subject.contract
    if contract is None:
        watches = [_failed(subject.name, "", "", subject.error or "", settings)]
        return watches if not turn.wanted() else _ended(watches, store, turn)
    looks = [_looked(Scene(contract, one, settings, store, settings.clock()), kinds) for one in contract.datasets]
    if not turn.wanted():
        return [seen for seen, _ in looks]
    try:
        return _kept(looks, settings, store, turn)
    except (RegistryError, LeaseError):
        raise
    except Exception as error:  # noqa: BLE001  (the outermost frame of a look: one bad contract stops no other)
        return [_unkept(scene, error) for _, scene in looks]


def _ended(watches: list[Watch], store: "Store", turn: OneTurn) -> list[Watch]:
    with store.together() as one:
        turn.finish(one)
    return watches


def _looked(scene: Scene, kinds: Collection[str]) -> tuple[Watch, Scene]:
    try:
        with span(scene.settings, "floe.monitor.check", dataset=scene.dataset.name, kinds=",".join(kinds)) as say:
            seen = look_at(scene, kinds)
            say(run_id=seen.run_id, **(facts_of(seen.result) if seen.result else {}))
        return seen, scene
    except RegistryError:
        raise
    except Exception as error:  # noqa: BLE001  (the outermost frame of a look: one bad contract stops no other)
        return _unkept(scene, error), scene


def _unkept(scene: Scene, error: Exception) -> Watch:
    said = error.message if isinstance(error, FloeError) else f"floe met a fault of its own: {type(error).__name__}"
    _LOG.info("%s %s was not evaluated: %s", scene.contract_id, scene.dataset.name, said)
    return _failed(scene.contract_id, scene.contract.version, scene.dataset.name, said, scene.settings)


def late(subject: Subject, seconds: float, settings: Settings) -> list[Watch]:
    """A look that nobody waits for any more, as an answer."""
    contract, why = subject.contract, f"no answer within {seconds:g} seconds"
    if contract is None:
        return [_failed(subject.name, "", "", why, settings)]
    name = contract.identity.rsplit(":", 1)[0]
    return [_failed(name, contract.version, one.name, why, settings) for one in contract.datasets]


def housekeep(settings: Settings, store: "Store") -> None:
    """Forget the monitor's oldest runs."""
    from floe.registry.day_facts import forget_facts
    from floe.registry.watched import forget_runs

    forget_runs(store, stamp(settings.clock() - KEPT), stamp(settings.clock() - PROBES_KEPT))
    forget_facts(store, stamp(settings.clock() - FACTS_KEPT)[:10])


def _failed(contract: str, version: str, dataset: str, why: str, settings: Settings) -> Watch:
    at = stamp(settings.clock())
    return Watch(contract=contract, version=version, dataset=dataset, at=at, run_id="", error=why)


def _kept(looks: list[tuple[Watch, Scene]], settings: Settings, store: "Store", turn: OneTurn) -> list[Watch]:
    """Keep all that looks found and the end of the turn, or nothing; messages go to the outbox with it."""
    waiting = record_waiting(store, settings.root)
    if waiting:
        settings.say(waiting)
    entries = [_entry(seen, scene) for seen, scene in looks]
    with store.together() as one:
        kept = [_keep(seen, scene, entry, one) for (seen, scene), entry in zip(looks, entries, strict=True)]
        turn.finish(one)
    if any(entry and entry["messages"] for entry, _ in entries):
        SOON.send(settings)
    for event in (event for seen in kept for event in seen.incidents):
        _LOG.info("%(event)s %(code)s %(severity)s %(contract)s:%(version)s %(dataset)s", event)
    return kept


_Entry = tuple[dict[str, Any] | None, str | None]  # a run with its messages, and what could not be told


def _entry(watch: Watch, scene: Scene) -> _Entry:
    if watch.result is None:  # it could not be looked at
        return None, None
    entry = of_watch(watch, scene.table_id, scene.settings.actor)
    messages, note = messages_of(scene.settings, entry, watch.result)
    fact = fact_seen(watch.result, scene) if "anomaly" in watch.kinds else None
    return {**entry, "messages": messages, "fact": fact}, note


def _keep(watch: Watch, scene: Scene, entry: _Entry, store: "Store") -> Watch:
    """Keep a look: its run, its probe, its incidents and the status of service levels."""
    from floe.registry.incidents import Sight, settle
    from floe.registry.watched import count_probe, keep_status

    if entry[0] is None:
        return watch
    store.record(entry[0])
    for took in _probes(watch):
        count_probe(store, watch.contract, watch.dataset, watch.at[:10], took)
    sure = [kind for kind in watch.kinds if not any(_unknown(one, kind) for one in watch.checks)]
    told = _whom(watch) if scene.settings["data_contracts.enforcement"] != "warn" else None
    sight = Sight(_faults(watch.checks), sure, watch.run_id, told)
    moved = settle(store, scene.place, sight, scene.now)
    keep_status(store, _statuses(watch))
    return replace(watch, incidents=tuple(moved), notes=(*watch.notes, *([entry[1]] if entry[1] else [])))


def _probes(watch: Watch) -> list[str | None]:
    """How long the look's probe took; None where it did not find the table."""
    return [rounded(one.took) if one.value else None for one in watch.checks if one.took is not None]


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
        used = max((one.used for one in mine if one.used is not None), default=None)
        rows.append({**key, "status": status, "value": value, "target": target, "at": watch.at, "used": used})
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
