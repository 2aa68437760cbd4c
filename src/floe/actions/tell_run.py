"""Tell of a run: its OpenLineage events and its alert, kept in the outbox and sent beside the caller's own work."""

import threading
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from floe.actions.outbox import send_due
from floe.model.clock import stamp, utc_now
from floe.model.decision import Verdict
from floe.model.result import Outcome, Result, WriteResult
from floe.model.settings import Settings
from floe.model.violation_type import UNKNOWN, violation_type

if TYPE_CHECKING:
    from floe.registry import Store

_SECONDS = 2.0  # for which the end of a process may wait for what it has to tell
_Message = tuple[str, str, Mapping[str, Any]]  # sink, key, payload


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
    from floe.registry import outbox

    try:
        times = {"started": stamp(started), "ended": stamp(ended)}
        messages = [*_lineage(settings, result, {"run_id": run_id, "kind": kind, **times})]
        messages += _alerts(settings, result, run_id, kind)
        now = stamp(utc_now())
        if messages:
            with store.begin(writes=True) as connection:
                for sink, key, payload in messages:
                    outbox.put(connection, sink=sink, key=key, payload=payload, at=now)
    except Exception as error:  # noqa: BLE001  (whatever happens to its messages, the run is what it is)
        cause = getattr(error, "message", None) or f"{type(error).__name__}: {error}"
        return f"warning: run {run_id} is not told of: {cause}"
    if messages:
        SOON.send(settings)
    return None


def tell_write(settings: Settings, store: "Store", result: WriteResult) -> str | None:
    """Tell of a write, as of the moments that its result knows."""
    ended = datetime.fromisoformat(result.result.checked_at)
    started = ended - timedelta(seconds=result.result.cost["seconds"])
    return tell_run(settings, store, result, run_id=result.run_id, started=started, ended=ended, kind=result.mode)


def lineage_on(settings: Settings) -> bool:
    """Whether runs are told of as OpenLineage events."""
    return bool(settings["data_contracts.alerting.openlineage_events"]) and settings["lineage.transport"] != "none"


def _lineage(settings: Settings, result: Result | WriteResult, run: Mapping[str, Any]) -> list[_Message]:
    from floe.tell.report.openlineage import About, parent_facet, run_events, run_uuid

    if not lineage_on(settings):
        return []
    parent = parent_facet(settings.parent) if settings.parent else None
    if settings.parent and parent is None:
        settings.say("warning: OPENLINEAGE_PARENT_ID is not namespace/job/run id, so events name no parent")
    names = {"namespace": settings["lineage.namespace"], "catalogs": settings["catalogs"]}
    events = run_events(result, About(**run, **names, parent=parent))
    return [("lineage", run_uuid(run["run_id"]), event) for event in events]


def _alerts(settings: Settings, result: Result | WriteResult, run_id: str, kind: str) -> list[_Message]:
    """What people are told of a write: that it was refused, or is to be alerted of."""
    if not settings["alerts"] or isinstance(result, Result) or result.verdict not in (Verdict.REFUSE, Verdict.ALERT):
        return []
    judged = result.result
    broken = judged.failed or judged.not_evaluated
    return [("notification", judged.contract, _notice(result, broken, run_id, kind))] if broken else []


def _notice(result: WriteResult, broken: tuple[Outcome, ...], run_id: str, kind: str) -> dict[str, Any]:
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
        "run_id": run_id,
        "mode": kind,
    }


class Soon:
    """Sends what is due in a thread of its own: a dead endpoint keeps no pipeline waiting, only the end of its process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: Settings | None = None
        self._thread: threading.Thread | None = None

    def send(self, settings: Settings) -> None:
        """Send soon; one that is at it goes round once more."""
        with self._lock:
            self._asked = settings
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="floe-outbox")
                self._thread.start()

    def _next(self) -> Settings | None:
        with self._lock:
            asked, self._asked = self._asked, None
            if asked is None:
                self._thread = None
            return asked

    def _run(self) -> None:
        while settings := self._next():
            done = send_due(settings, _SECONDS)
            if done.said:
                settings.say(f"· {done.said[0]}")


SOON = Soon()
