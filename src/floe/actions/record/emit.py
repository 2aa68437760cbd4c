"""Record a run together with its OpenLineage events and alerts, which the outbox sends in the background."""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from floe.actions.outbox.background import SOON
from floe.actions.record import record
from floe.model.decision import Verdict
from floe.model.result import Outcome, Result, WriteResult
from floe.model.violation_type import UNKNOWN, violation_type
from floe.settings import Settings
from floe.system.clock import stamp

if TYPE_CHECKING:
    from floe.registry import Store

_LOG = logging.getLogger("floe.events")
_Message = tuple[str, str, Mapping[str, Any]]  # sink, key, payload


class _RunFacts(NamedTuple):
    """What a result does not say of its run."""

    id: str
    started: datetime
    ended: datetime
    kind: str


def record_and_emit(
    settings: Settings,
    store: "Store",
    entry: Mapping[str, Any],
    result: Result | WriteResult,
    *,
    started: datetime | None = None,
) -> str | None:
    """Record a run with its messages in one transaction; where that fails, the run waits in a file, and a note is returned."""
    messages, note = messages_of(settings, entry, result, started)
    kept = record(store, settings, {**entry, "messages": messages})
    if messages and not kept:
        SOON.send(settings)
    return "; ".join(filter(None, (kept, note))) or None


def messages_of(
    settings: Settings, entry: Mapping[str, Any], result: Result | WriteResult, started: datetime | None = None
) -> tuple[list[_Message], str | None]:
    """The messages of a run that is about to be recorded, or why they could not be made."""
    judged = result.result if isinstance(result, WriteResult) else result
    ended = datetime.fromisoformat(judged.checked_at)
    began = started or ended - timedelta(seconds=judged.cost.get("seconds") or 0)
    return _messages(settings, result, _RunFacts(entry["run"]["run_id"], began, ended, entry["run"]["mode"]))


def _messages(settings: Settings, result: Result | WriteResult, run: _RunFacts) -> tuple[list[_Message], str | None]:
    """The messages of a run, or why they could not be made: that never fails the run."""
    try:
        return [*_lineage(settings, result, run), *_alerts(settings, result, run)], None
    except Exception as error:  # noqa: BLE001  (an error in a message must not fail the run)
        _LOG.exception("the messages of run %s could not be made", run.id)
        return [], f"warning: run {run.id} sends no messages: {type(error).__name__}: {error}"


def lineage_on(settings: Settings) -> bool:
    """Whether runs are told of as OpenLineage events."""
    return bool(settings.data_contracts.alerting.openlineage_events) and settings.lineage.transport != "none"


def _lineage(settings: Settings, result: Result | WriteResult, run: _RunFacts) -> list[_Message]:
    from floe.events.openlineage import About, parent_facet, run_events, run_uuid

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
        namespace=settings.lineage.namespace,
        catalogs=settings.catalogs,
        parent=parent,
    )
    return [("lineage", run_uuid(run.id), event) for event in run_events(result, about)]


def _alerts(settings: Settings, result: Result | WriteResult, run: _RunFacts) -> list[_Message]:
    """What people are told of a write: that it was refused, or is to be alerted of."""
    if not settings.alerts or isinstance(result, Result) or result.verdict not in (Verdict.REFUSE, Verdict.ALERT):
        return []
    judged = result.result
    broken = judged.failed or judged.not_evaluated
    return [("notification", judged.contract, _notice(result, broken, run))] if broken else []


def _notice(result: WriteResult, broken: tuple[Outcome, ...], run: _RunFacts) -> dict[str, Any]:
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
