"""Tell of a run: its OpenLineage events and its alert, kept in the outbox and sent beside the caller's own work."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from floe.actions.record import record
from floe.actions.send_soon import SOON
from floe.model import RegistryError
from floe.model.clock import stamp, utc_now
from floe.model.decision import Verdict
from floe.model.result import Outcome, Result, WriteResult
from floe.model.settings import Settings
from floe.model.violation_type import UNKNOWN, violation_type

if TYPE_CHECKING:
    from floe.registry import Store

_Message = tuple[str, str, Mapping[str, Any]]  # sink, key, payload


class _Run(NamedTuple):
    """What a result does not say of its run."""

    id: str
    started: datetime
    ended: datetime
    kind: str


def tell_run(  # noqa: PLR0913  (what a run is, in words)
    settings: Settings,
    store: "Store",
    result: Result | WriteResult,
    *,
    run_id: str,
    started: datetime,
    ended: datetime,
    kind: str,
) -> str | None:
    """Keep what is to be told of a run, in one transaction; what could not be kept is said, never raised.

    Args:
        settings: lineage and alerts, as the platform chose them; nothing is kept where both are off.
        store: whose outbox keeps it.
        result: what came of the run; a write that alerts is told to people too.
        run_id: the run's, as it is recorded.
        started: when it began.
        ended: when it ended.
        kind: what was done: test, append, merge, freshness, …
    """
    from floe.registry.outbox_put import put_all

    messages, note = _messages(settings, result, _Run(run_id, started, ended, kind))
    try:
        if messages:
            with store.begin(writes=True) as connection:
                put_all(connection, messages, at=stamp(utc_now()))
    except RegistryError as error:
        return f"FLOE-E542 warning: run {run_id} is not told of: {error.message}"
    if messages:
        SOON.send(settings)
    return note


def record_and_tell(
    settings: Settings,
    store: "Store",
    entry: Mapping[str, Any],
    result: Result | WriteResult,
    *,
    started: datetime | None = None,
) -> str | None:
    """Keep a run and what is to be told of it, in one transaction; what could not be kept waits in a file, and that is said."""
    messages, note = messages_of(settings, entry, result, started)
    kept = record(store, settings.root, {**entry, "messages": messages})
    if messages and not kept:
        SOON.send(settings)
    return "; ".join(filter(None, (kept, note))) or None


def messages_of(
    settings: Settings, entry: Mapping[str, Any], result: Result | WriteResult, started: datetime | None = None
) -> tuple[list[_Message], str | None]:
    """What is to be told of a run that is about to be kept, or why that cannot be said."""
    judged = result.result if isinstance(result, WriteResult) else result
    ended = datetime.fromisoformat(judged.checked_at)
    began = started or ended - timedelta(seconds=judged.cost.get("seconds") or 0)
    return _messages(settings, result, _Run(entry["run"]["run_id"], began, ended, entry["run"]["mode"]))


def _messages(settings: Settings, result: Result | WriteResult, run: _Run) -> tuple[list[_Message], str | None]:
    """What is to be told of a run, or why that cannot be said: whatever it is, the run is what it is."""
    try:
        return [*_lineage(settings, result, run), *_alerts(settings, result, run)], None
    except Exception as error:  # noqa: BLE001  (a fault in telling is none of the run)
        return [], f"warning: run {run.id} is not told of: {type(error).__name__}: {error}"


def lineage_on(settings: Settings) -> bool:
    """Whether runs are told of as OpenLineage events."""
    return bool(settings["data_contracts.alerting.openlineage_events"]) and settings["lineage.transport"] != "none"


def _lineage(settings: Settings, result: Result | WriteResult, run: _Run) -> list[_Message]:
    from floe.tell.report.openlineage import About, parent_facet, run_events, run_uuid

    if not lineage_on(settings):
        return []
    parent = parent_facet(settings.parent) if settings.parent else None
    if settings.parent and parent is None:
        settings.say("warning: OPENLINEAGE_PARENT_ID is not namespace/job/run id, so events name no parent")
    about = About(
        run_id=run.id,
        started=stamp(run.started),
        ended=stamp(run.ended),
        kind=run.kind,
        namespace=settings["lineage.namespace"],
        catalogs=settings["catalogs"],
        parent=parent,
    )
    return [("lineage", run_uuid(run.id), event) for event in run_events(result, about)]


def _alerts(settings: Settings, result: Result | WriteResult, run: _Run) -> list[_Message]:
    """What people are told of a write: that it was refused, or is to be alerted of."""
    if not settings["alerts"] or isinstance(result, Result) or result.verdict not in (Verdict.REFUSE, Verdict.ALERT):
        return []
    judged = result.result
    broken = judged.failed or judged.not_evaluated
    return [("notification", judged.contract, _notice(result, broken, run))] if broken else []


def _notice(result: WriteResult, broken: tuple[Outcome, ...], run: _Run) -> dict[str, Any]:
    worst, judged = broken[0], result.result
    done = "refused a batch" if result.refused else "took a batch that breaks its contract"
    shadow = " (SHADOW)" if result.shadow else ""
    return {
        "kind": "contract-violation",
        "contract": judged.contract,
        "version": judged.version,
        "dataset": judged.dataset,
        "table": result.table,
        "code": f"FLOE-{worst.code}",
        "name": worst.name,
        "violation_type": UNKNOWN if worst.code == "E580" else violation_type(worst.code),
        "severity": str(worst.severity),
        "element": worst.field,
        "message": f"{result.table} {done}{shadow}: {worst.message}",
        "expected": worst.expected,
        "actual": worst.actual,
        "count": len(broken),
        "run_id": run.id,
        "mode": run.kind,
    }
