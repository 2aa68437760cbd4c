"""A batch from its frame to its commit: known from an earlier write, judged, decided, committed, recorded, answered.

What a run is about to commit is kept in `.floe/pending` before the commit, so that the next write can tell what a killed run
did, and clean up after it.
"""

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from floe import engine, tables
from floe.actions.enforce.context import WriteContext, write_request
from floe.actions.enforce.inputs import check_inputs
from floe.actions.enforce.major_conflict import major_conflict
from floe.actions.record import record_and_emit, run_row_for_write
from floe.actions.verify.references import fact_of, of_batch
from floe.lang.json_text import dumps
from floe.lang.secret import with_variables_hidden, with_variables_revealed
from floe.model import FloeError, TableError, ViolationError
from floe.model.contract import FeatureVersion
from floe.model.result import Outcome, Result, WriteResult
from floe.system.clock import stamp
from floe.system.full_disk import remedy
from floe.system.private_files import open_private
from floe.tables.locate import kept, refuse_other_root

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floe.engine.gate.request import GateResult, Judgement, WriteRequest
    from floe.engine.gate.staging import StagingArea
    from floe.tables.state import State


Keep = Callable[[Mapping[str, Any]], None]


class Leftover(NamedTuple):
    """What a killed run left: its id and batch, the files it staged, and the entry it was about to record."""

    path: Path
    run_id: str
    batch_id: str | None
    staging: str
    record: str  # of the staging area, in the table's store
    entry: dict[str, Any] | None


@contextmanager
def pending(context: WriteContext, area: "StagingArea") -> Iterator[Keep]:
    """Say that a run is under way, and give the way to keep what it is about to commit.

    A run that is stopped, or whose commit is in doubt, leaves what it said: whether it had committed, the next run finds in
    the table.
    """
    root = context.settings.root
    path = _folder(root) / f"{context.run_id}.json"
    head = {
        "root": str(root),
        "table": context.table_id,
        "run_id": context.run_id,
        "batch_id": context.options.batch_id,
        "staging": area.folder,
        "record": area.record,
    }
    try:
        with _opened(path) as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # as long as the process lives
            _write(file, path, head)
            yield lambda entry: _write(file, path, {**head, "entry": entry})
    except Exception:
        if not area.in_doubt:
            path.unlink(missing_ok=True)
        raise
    path.unlink(missing_ok=True)


def _opened(path: Path) -> TextIO:
    try:
        file: TextIO = open_private(path, "w", encoding="utf-8")
        return file
    except OSError as error:
        raise _not_kept(path, error) from None


def _write(file: TextIO, path: Path, content: Mapping[str, Any]) -> None:
    rest = dumps(with_variables_hidden(content)).encode()
    number, at = file.fileno(), 0
    try:
        os.ftruncate(number, 0)
        while rest:
            written = os.pwrite(number, rest, at)
            rest, at = rest[written:], at + written
        os.fsync(number)
    except OSError as error:
        raise _not_kept(path, error) from None


def _not_kept(path: Path, error: OSError) -> FloeError:
    usual = f"Make {path.parent} writable, and run it again"
    return FloeError(f"{path} cannot be written, so nothing is committed: {error.strerror}", remedy(error, usual))


def leftovers(root: Path, table_id: str) -> list[Leftover]:
    """What killed runs left of a table; runs that still live hold their file."""
    found = []
    for path in sorted(_folder(root).glob("*.json")):
        with path.open(encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            try:
                said = json.loads(file.read())
            except ValueError:  # killed in the middle of saying it, so nothing was committed
                said = {"table": None}
        if said.get("root", str(root)) != str(root):
            path.unlink()  # of the project that this folder is a copy of, whose run may be alive
        elif said["table"] == table_id:
            staging, record = (with_variables_revealed(said.get(key, "")) for key in ("staging", "record"))
            left = Leftover(path, said["run_id"], said["batch_id"], staging, record, said.get("entry"))
            found.append(left)
    return found


def _folder(root: Path) -> Path:
    return root / ".floe" / "pending"


def write_batch(df: "DataFrame", context: WriteContext) -> WriteResult:
    """Write a batch through the gate, and record what came of it."""
    started = time.monotonic()
    spark = df.sparkSession
    location = engine.gate.gate.location_of(spark, context.target, context.settings)
    if context.target.name and not context.options.way.table:
        refuse_other_root(context.table_id, location, context.settings)
    settle_killed_runs(spark, context, location)
    first = first_answer(spark, context, context.options.batch_id) if context.options.batch_id else None
    if first:
        return replace(first, repeated=True)
    batch_id = context.options.batch_id
    area = engine.gate.staging.staging_area(spark, context.target, location, context.settings, context.run_id)
    with pending(context, area) as keep_entry:
        engine.gate.staging.open_area(spark, context.target, location, area, batch_id, context.settings)
        inputs: tuple[Outcome, ...] = ()
        if context.options.inputs:
            inputs = check_inputs(context.options.inputs, context.settings, context.store)
        request = write_request(context, area, inputs)

        def keep(intended: "GateResult") -> None:
            keep_entry(run_entry(context, write_result(context, intended, started), intended))

        gate_result = _pass_gate(df, context, request, keep)
        result = write_result(context, gate_result, started)
        if not result.repeated:
            result = _record(context, result, gate_result)
    return result


def _pass_gate(
    df: "DataFrame", context: WriteContext, request: "WriteRequest", keep: Callable[["GateResult"], None]
) -> "GateResult":
    """Judge a batch and commit it onto the state it was judged against; where another writer was faster, judge it again.

    The first judgement needs no lock, so that batches of one table are checked side by side. Under the lock the state is
    read again, and a batch that was judged against another one is judged once more.
    """
    with engine.gate.gate.gate(df, request):
        judgement = _judge(df, context, request, engine.gate.gate.read_state(df, request))
        created = judgement.state is None
        if judgement.staged is None:
            return judgement.result(request.verdict(judgement.outcomes))
        with context.store.lock(context.table_id):
            for _ in range(engine.gate.gate.ATTEMPTS):
                state = engine.gate.gate.read_state(df, request)
                if state != judgement.state:
                    judgement = _judge(df, context, request, state, judgement)
                    if judgement.staged is None:
                        return judgement.result(request.verdict(judgement.outcomes))
                plan = engine.gate.commit.plan_commit(judgement, request)
                if plan is None:
                    return replace(judgement.result(request.verdict(judgement.outcomes)), created=False)
                keep(plan.result)
                for statement in plan.schema.changes if judgement.state else ():
                    context.settings.say(f"· {statement}")
                try:
                    return replace(engine.gate.commit.commit(plan, request), created=created)
                except tables.state.TableMovedError:
                    continue
        raise TableError(
            f"{request.target} was changed by other writers {engine.gate.gate.ATTEMPTS} times while the batch was checked",
            "Nothing was written; run it again when fewer writers are active",
        )


def _judge(
    df: "DataFrame",
    context: WriteContext,
    request: "WriteRequest",
    state: "State | None",
    before: "Judgement | None" = None,
) -> "Judgement":
    """What the engine finds, and what is unusual about the batch by the days before."""
    held = state.properties.get("floe.contract", "") if state else ""
    conflict = major_conflict(held, context.contract, context.store, context.settings) if held else None
    outcome = engine.gate.schema_check.major_outcome(context.plan.dataset, *conflict) if conflict else None
    judgement = engine.gate.gate.judge(df, request, state, outcome, before)
    if not judgement.rows or judgement.staged is None or (judgement.schema and judgement.schema.faults):
        return judgement
    unusual = of_batch(context.store, fact_of_batch(context, judgement.rows, judgement.nulls))
    return replace(judgement, outcomes=(*judgement.outcomes, *unusual))


def _record(context: WriteContext, result: WriteResult, gate_result: "GateResult") -> WriteResult:
    """Record the run, and the table where something was written; a run that could not be recorded gets a note."""
    entry = run_entry(context, result, gate_result)
    note = record_and_emit(context.settings, context.store, entry, result)
    return replace(result, notes=(*result.notes, note)) if note else result


def settle_killed_runs(spark: "SparkSession", context: WriteContext, location: str) -> None:
    """Record killed runs whose commit is in the table, and remove what they staged."""
    for leftover in leftovers(context.settings.root, context.table_id):
        commit = engine.gate.gate.committed(spark, context.target, leftover.run_id, leftover.batch_id)
        if commit and leftover.entry:
            _settle(context, leftover.entry, commit.snapshot)
        area = engine.gate.staging.StagingArea(leftover.staging, leftover.record)
        engine.gate.staging.remove_leftover(spark, context.target, location, area, leftover.run_id, context.settings)
        leftover.path.unlink(missing_ok=True)


def first_answer(spark: "SparkSession", context: WriteContext, batch_id: str) -> WriteResult | None:
    """What the run answered that wrote this batch, where the table still holds it.

    The table's own history decides: after RESTORE, a rollback, or in another table of the same contract, the registry's
    memory of the batch says nothing about the rows that are there now.
    """
    answers = [WriteResult.of(row) for row in context.store.accepted(context.table_id, batch_id)]
    if not answers or not engine.gate.gate.exists(spark, context.target):
        return None
    commit = engine.gate.gate.batch_commit(spark, context.target, batch_id)
    if commit:
        # of a commit that only Delta's transaction record is left of, the run is not known any more: the last one made it
        same = [answer for answer in answers if answer.run_id == commit.run_id or not commit.run_id]
        return same[-1] if same else None
    last = answers[-1]
    return last if _still_holds(spark, context, last, batch_id) else None


def _still_holds(spark: "SparkSession", context: WriteContext, last: WriteResult, batch_id: str) -> bool:
    """Whether a run's rows are there although the table names no commit of it."""
    if last.written == 0 and last.quarantined:
        target = engine.gate.quarantine.quarantine_target(context.target)
        quarantined = engine.gate.gate.batch_commit(spark, target, batch_id)
        return quarantined is not None and quarantined.run_id == last.run_id
    if not last.written:
        return False
    # an expired snapshot of Iceberg leaves no trace; a rollback would have left the snapshot it went back to
    forgotten = engine.gate.gate.forgotten_before(spark, context.target)
    return forgotten is not None and last.result.checked_at < stamp(forgotten.replace(tzinfo=UTC))


def _settle(context: WriteContext, entry: dict[str, Any], snapshot: str) -> None:
    """Record a run that was killed after its commit."""
    entry["run"]["snapshot_after"] = entry["run"]["result"]["snapshot_after"] = snapshot
    note = record_and_emit(context.settings, context.store, entry, WriteResult.of(entry["run"]["result"]))
    context.settings.say(note or f"· run {entry['run']['run_id']} was killed after its commit; it is recorded now")


def write_result(context: WriteContext, gate_result: "GateResult", started: float) -> WriteResult:
    """The answer of a write that went through the gate."""
    unknown = dict.fromkeys(("queries", "jobs", "scans", "files", "files_read", "bytes_read"))
    judged = Result(
        contract=context.plan.contract,
        version=context.plan.version,
        dataset=context.plan.dataset,
        checked_at=stamp(context.settings.clock()),
        expectations=gate_result.outcomes,
        rows=gate_result.rows,
        snapshot=gate_result.after,
        target=context.target,
        schema=context.plan.schema,
        cost={**unknown, "seconds": round(time.monotonic() - started, 3)},
    )
    again = gate_result.repeated
    return WriteResult(
        table=context.table_id,
        mode=context.options.mode,
        written=gate_result.written,
        quarantined=gate_result.quarantined,
        refused=gate_result.refused,
        shadow=context.options.shadow,
        batch_id=context.options.batch_id,
        result=judged,
        run_id=again.run_id if again else context.run_id,
        location=with_variables_hidden(gate_result.location or str(context.target)),
        format=context.target.format,
        level=context.settings.data_contracts.enforcement,
        verdict=str(gate_result.verdict),
        created=gate_result.created,
        snapshot_before=gate_result.before,
        snapshot_after=again.snapshot if again else gate_result.after,
        schema_version=gate_result.schema_version,
        schema_hash=context.schema_hash,
        feature_version=_feature_version(context, gate_result),
        repeated=again is not None,
        way=gate_result.way,
        notes=(*gate_result.notes, *_quarantine_notes(context, gate_result), *_notes(context)),
    )


def _feature_version(context: WriteContext, gate_result: "GateResult") -> str | None:
    """How models name a Gold snapshot: by its newest day, that of the commit where no column dates its rows."""
    if context.layer != "gold" or not gate_result.written or gate_result.repeated:
        return None
    day = gate_result.as_of or context.settings.clock().date()
    return str(FeatureVersion(context.table_id, day, gate_result.schema_version, context.schema_hash))


def run_entry(context: WriteContext, result: WriteResult, gate_result: "GateResult") -> dict[str, Any]:
    """A run as the registry keeps it, with the table and its schema where something was written."""
    entry = run_row_for_write(result, context.settings.actor)
    if not result.refused:
        entry |= {"table": _table_row(context, result), "schema": _schema_row(context, result)}
        entry |= {"fact": fact_of_batch(context, gate_result.rows, gate_result.nulls)} if gate_result.rows else {}
    return entry


def _table_row(context: WriteContext, result: WriteResult) -> dict[str, Any]:
    return {
        "table_id": context.table_id,
        "layer": context.layer,
        "location": kept(result.location, context.settings.root),
        "primary_keys": list(context.plan.key),
        "partition_cols": list(context.plan.partition),
        "contract_path": context.contract.source,
        "format": context.target.format,
        "name": with_variables_hidden(context.target.name),
    }


def _schema_row(context: WriteContext, result: WriteResult) -> dict[str, Any]:
    return {
        "table_id": context.table_id,
        "schema_version": result.schema_version,
        "schema_hash": context.schema_hash,
        "changed_at": result.result.checked_at,
        "changed_by": context.settings.actor,
        "notes": f"contract {context.contract.identity}",
    }


def refusal(result: WriteResult) -> ViolationError:
    """The error that a refused batch raises."""
    failed = result.result.failed or result.result.not_evaluated
    lines = [f"{result.table} refused the batch; nothing was written"]
    lines += [
        f"    FLOE-{outcome.code} {outcome.severity}: {outcome.message} (expected {outcome.expected}, actual {outcome.actual})"
        for outcome in failed[:10]
    ]
    lines += [f"    and {len(failed) - 10} more, in .result"] if len(failed) > 10 else []
    return ViolationError(
        "\n".join(lines),
        result,
        "Correct the batch at its source, or change the contract in a new version",
        failed[0].code,
    )


def _quarantine_notes(context: WriteContext, gate_result: "GateResult") -> tuple[str, ...]:
    if not gate_result.quarantined or gate_result.repeated:
        return ()
    why = "violate an expectation"
    if context.settings.data_contracts.enforcement == "off":
        why = "violate expectations that refuse a batch; at level off, other bad rows are written"
    return (
        f"{gate_result.quarantined} of {gate_result.rows} rows were written to {engine.gate.quarantine.quarantine_target(context.target)}: they {why}",
    )


def _notes(context: WriteContext) -> tuple[str, ...]:
    notes = [*context.offline]
    if context.ending:
        notes.append(f"FLOE-{context.ending.code} {context.ending.severity}: {context.ending.message}")
    if not context.dataset.primary_key and context.layer != "bronze":
        notes.append(
            f"'{context.dataset.name}' has no primary key, so duplicates were not checked: "
            "add primaryKey: true to its key columns"
        )
    if not context.options.batch_id:
        notes.append("no batch_id: a repeat of this batch would be written again")
    if context.layer == "silver" and not context.options.inputs:
        notes.append("inputs not checked")
    return tuple(notes)


def fact_of_batch(context: WriteContext, rows: int, nulls: Mapping[str, int]) -> dict[str, Any]:
    """What is kept of the batch, to compare the batches of later days with."""
    name, now = context.contract.identity.rsplit(":", 1)[0], context.settings.clock()
    return fact_of(name, context.dataset.name, "batch", now, rows, nulls)
