"""Earlier runs on the same table: those that were killed, and the one that wrote the same batch."""

from datetime import UTC
from typing import TYPE_CHECKING, Any

from floe import engine
from floe.actions.enforce.context import WriteContext
from floe.actions.enforce.pending import leftovers
from floe.actions.record.emit import record_and_emit
from floe.model.result import WriteResult
from floe.system.clock import stamp

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
