"""Record: what a run did, in the registry, or in a file until the registry is back."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.lang.json_text import dumps
from floe.lang.secret import with_variables_hidden
from floe.model import RegistryError
from floe.model.monitor_check import CheckRun
from floe.model.result import FAIL, NOT_EVALUATED, Result, WriteResult
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
    """A look of the monitor as the registry keeps it."""
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
    """What a run found, a row for each expectation: one that is broken twice (by batch and by input, say) is counted on."""
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


def record(store: "Store", root: Path, entry: Mapping[str, Any]) -> str | None:
    """Keep an entry, and those that waited; where the registry is gone it waits in a file, and that is said."""
    folder = root / ".floe" / "unrecorded"
    try:
        store.record(entry)
    except RegistryError as error:
        path = folder / f"{entry['run']['run_id']}.json"
        try:
            write_private(path, dumps(with_variables_hidden(entry)))
        except OSError as lost:  # what was done is done, and is answered
            return f"FLOE-E542 warning: {error.message}; the run is not recorded: {path} cannot be written: {lost.strerror}"
        return f"FLOE-E542 warning: {error.message}; the run waits in {path} and is recorded by the next one"
    return record_waiting(store, root)


def record_waiting(store: "Store", root: Path) -> str | None:
    """Keep the entries that wait in files; one that cannot be kept stays there, is named, and holds up no other."""
    folder = root / ".floe" / "unrecorded"
    left: list[str] = []
    for waiting in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            store.record(json.loads(waiting.read_text("utf-8")))
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
