"""The answer of a write, and what the registry keeps of it."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from floe import engine
from floe.actions.enforce.context import WriteContext
from floe.actions.record import run_row_for_write
from floe.actions.verify.references import fact_of
from floe.lang.secret import with_variables_hidden
from floe.model import ViolationError
from floe.model.features import FeatureVersion
from floe.model.result import Result, WriteResult
from floe.system.clock import stamp
from floe.tables.locate import kept

if TYPE_CHECKING:
    from floe.engine.gate.request import GateResult


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
