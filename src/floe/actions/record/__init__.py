"""Record: what a run did, in the registry, or in a file until the registry is back; and emit it to lineage, metrics and alerts."""

import json
import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from floe import registry
from floe.actions.outbox.alerts import installed_sinks
from floe.actions.outbox.background import SOON
from floe.lang.json_text import dumps
from floe.lang.secret import with_variables_hidden
from floe.model import RegistryError
from floe.model.monitor_check import CheckRun
from floe.model.result import FAIL, NOT_EVALUATED, Outcome, Result, Verdict, WriteResult
from floe.model.violation_type import UNKNOWN, violation_type
from floe.settings import Settings
from floe.system.clock import stamp
from floe.system.private_files import write_private

if TYPE_CHECKING:
    from floe.registry import Store


def run_row_for_write(result: WriteResult, actor: str) -> dict[str, Any]:
    """A write as the registry keeps it."""
    run = _run(result.result, result.run_id, result.table, actor)
    run |= {"mode": result.mode, "refused": result.refused, "written": result.written, "result": result.to_dict()}
    run |= {"snapshot_before": result.snapshot_before, "snapshot_after": result.snapshot_after}
    run["batch_id"] = result.batch_id
    return {"run": run, "violations": _broken(result.result)}


def run_row_for_test(result: Result, run_id: str, table_id: str, actor: str) -> dict[str, Any]:
    """A test as the registry keeps it."""
    run = _run(result, run_id, table_id, actor) | {
        "mode": "test",
        "refused": False,
        "written": 0,
        "result": result.to_dict(),
    }
    run |= {"snapshot_before": result.snapshot, "snapshot_after": result.snapshot}
    return {"run": run, "violations": _broken(result)}


def run_row_for_check(watch: CheckRun, table_id: str, actor: str) -> dict[str, Any]:
    """A check of the monitor as a row of the registry."""
    assert watch.result is not None
    entry = run_row_for_test(watch.result, watch.run_id, table_id, actor)
    entry["run"] |= {"mode": "monitor", "seconds": round(watch.seconds, 3)}
    return entry


def _run(result: Result, run_id: str, table_id: str, actor: str) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "at": result.checked_at,
        "actor": actor,
        "contract": result.contract,
        "version": result.version,
        "table_id": table_id,
        "outcome": result.outcome,
        "row_count": result.rows,
        "seconds": result.cost["seconds"],
    }


def _broken(result: Result) -> list[dict[str, Any]]:
    """The outcomes of a run, one row per expectation; repeated violations (by batch and by input, say) are added up."""
    rows: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    for outcome in result.expectations:
        if outcome.outcome not in (FAIL, NOT_EVALUATED):
            continue
        row = outcome.to_row()
        seen[row["expectation"]] = seen.get(row["expectation"], 0) + 1
        if seen[row["expectation"]] > 1:
            row["expectation"] = f"{row['expectation']}#{seen[row['expectation']]}"
        rows.append(row)
    return rows


def record(store: "Store", settings: Settings, entry: Mapping[str, Any]) -> str | None:
    """Store an entry and those that waited; if the registry is unreachable, it waits in a file, with a message."""
    folder = settings.root / ".floe" / "unrecorded"
    try:
        store.record(entry, at=stamp(settings.clock()))
    except RegistryError as error:
        path = folder / f"{entry['run']['run_id']}.json"
        try:
            write_private(path, dumps(with_variables_hidden(entry)))
        except OSError as lost:  # what was done is done, and is answered
            return f"FLOE-E542 warning: {error.message}; the run is not recorded: {path} cannot be written: {lost.strerror}"
        return f"FLOE-E542 warning: {error.message}; the run waits in {path} and is recorded by the next one"
    return record_waiting(store, settings)


def record_waiting(store: "Store", settings: Settings) -> str | None:
    """Keep the entries that wait in files; one that cannot be kept stays there, is named, and holds up no other."""
    folder = settings.root / ".floe" / "unrecorded"
    left: list[str] = []
    for waiting in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            store.record(json.loads(waiting.read_text("utf-8")), at=stamp(settings.clock()))
        except RegistryError as error:
            left.append(f"{waiting} ({error.message})")
            if registry.offline.out_of_reach(error):
                break
        except (ValueError, KeyError, TypeError) as error:
            left.append(f"{waiting} ({type(error).__name__}: not an entry of floe)")
        else:
            waiting.unlink()
    if not left:
        return None
    return f"FLOE-E542 warning: {len(left)} earlier runs could not be recorded: {', '.join(left[:3])}"


_LOG = logging.getLogger("floe.events")
_Message = tuple[str, str, Mapping[str, Any]]  # sink, key, payload


class _RunFacts(NamedTuple):
    """The facts of a run that its result does not have."""

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
    """Whether runs are emitted as OpenLineage events."""
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
    """The notification for a write: refused, or written with alerts; nothing where nobody takes it."""
    if isinstance(result, Result) or result.verdict not in (Verdict.REFUSE, Verdict.ALERT):
        return []
    if not settings.alerts and not installed_sinks():
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
