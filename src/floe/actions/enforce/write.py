"""A batch from its frame to its commit: known from an earlier write, judged, decided, committed, recorded."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC
from typing import TYPE_CHECKING, Any

from floe import engine, tables
from floe.actions.enforce.context import WriteContext, write_request
from floe.actions.enforce.inputs import check_inputs
from floe.actions.enforce.major_conflict import major_conflict
from floe.actions.enforce.pending import leftovers, pending
from floe.actions.enforce.result import fact_of_batch, run_entry, write_result
from floe.actions.record import record_and_emit
from floe.actions.verify.references import of_batch
from floe.model import TableError
from floe.model.result import Outcome, WriteResult
from floe.system.clock import stamp
from floe.tables.locate import refuse_other_root

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floe.engine.gate.request import GateResult, Judgement, WriteRequest
    from floe.tables.state import State


Keep = Callable[[Mapping[str, Any]], None]


def write_batch(df: "DataFrame", context: WriteContext) -> WriteResult:
    """Write a batch through the gate, and record what came of it."""
    started = time.monotonic()
    spark = df.sparkSession
    location = engine.gate.gate.location_of(spark, context.target, context.settings)
    if context.target.name and not context.options.way.table:
        refuse_other_root(context.table_id, location, context.settings)
    settle_killed_runs(spark, context)
    first = first_answer(spark, context, context.options.batch_id) if context.options.batch_id else None
    if first:
        return replace(first, repeated=True)
    staging = engine.gate.gate.staging_of(location, context.settings, context.run_id)
    with pending(
        context.settings.root, context.table_id, context.run_id, context.options.batch_id, staging
    ) as keep_entry:
        inputs: tuple[Outcome, ...] = ()
        if context.options.inputs:
            inputs = check_inputs(context.options.inputs, context.settings, context.store)
        request = write_request(context, staging, inputs)

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


def settle_killed_runs(spark: "SparkSession", context: WriteContext) -> None:
    """Record killed runs whose commit is in the table, and remove what they staged."""
    for leftover in leftovers(context.settings.root, context.table_id):
        commit = engine.gate.gate.committed(spark, context.target, leftover.run_id, leftover.batch_id)
        if commit and leftover.entry:
            _settle(context, leftover.entry, commit.snapshot)
        leftover.clear()


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
