"""Record: what a run did, in the registry, or in a file until the registry is back."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe.model import RegistryError
from floe.model.json_text import dumps
from floe.model.result import FAIL, NOT_EVALUATED, Result, WriteResult
from floe.model.watch import Watch

if TYPE_CHECKING:
    from floe.registry import Store


def of_write(result: WriteResult, actor: str) -> dict[str, Any]:
    """A write as the registry keeps it."""
    run = _run(result.result, result.run_id, result.table, actor)
    run |= {"mode": result.mode, "refused": result.refused, "written": result.written, "result": result.to_dict()}
    run |= {"snapshot_before": result.snapshot_before, "snapshot_after": result.snapshot_after}
    run["batch_id"] = result.batch_id
    return {"run": run, "violations": _broken(result.result)}


def of_test(result: Result, run_id: str, table_id: str, actor: str) -> dict[str, Any]:
    """A test as the registry keeps it."""
    run = _run(result, run_id, table_id, actor) | {
        "mode": "test",
        "refused": False,
        "written": 0,
        "result": result.to_dict(),
    }
    run |= {"snapshot_before": result.snapshot, "snapshot_after": result.snapshot}
    return {"run": run, "violations": _broken(result)}


def of_watch(watch: Watch, table_id: str, actor: str) -> dict[str, Any]:
    """A look of the monitor as the registry keeps it."""
    assert watch.result is not None
    entry = of_test(watch.result, watch.run_id, table_id, actor)
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
    return [outcome.to_row() for outcome in result.expectations if outcome.outcome in (FAIL, NOT_EVALUATED)]


def record(store: "Store", root: Path, entry: Mapping[str, Any]) -> str | None:
    """Keep an entry, and those that waited; where the registry is gone it waits in a file, and that is said."""
    folder = root / ".floe" / "unrecorded"
    try:
        record_waiting(store, root)
        store.record(entry)
    except RegistryError as error:
        path = folder / f"{entry['run']['run_id']}.json"
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(dumps(entry), encoding="utf-8")
        return f"FLOE-E542 warning: {error.message}; the run waits in {path} and is recorded by the next one"
    return None


def record_waiting(store: "Store", root: Path) -> None:
    """Keep the entries that wait in files."""
    folder = root / ".floe" / "unrecorded"
    for waiting in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        store.record(json.loads(waiting.read_text("utf-8")))
        waiting.unlink()
