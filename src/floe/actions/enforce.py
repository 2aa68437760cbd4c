"""Enforce: hold a batch to its contract in the write path."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe.actions.anomalies import fact_of, of_batch
from floe.actions.enforce_case import MODES, Ask, Case, declared, find_case
from floe.actions.find_table import Way
from floe.actions.home import kept, refuse_other_root
from floe.actions.inputs import check_inputs
from floe.actions.outgrown import outgrown
from floe.actions.pending import leftovers, pending
from floe.actions.record import of_write
from floe.actions.references import reference_targets
from floe.actions.salt import salt_of
from floe.actions.settings import load_settings
from floe.actions.tell_run import record_and_tell
from floe.data.plan.zone import zone_name
from floe.model import Contract, TableError, ViolationError
from floe.model.clock import stamp, utc_now
from floe.model.decision import decide
from floe.model.features import FeatureVersion, as_of_field
from floe.model.result import Outcome, Result, WriteResult
from floe.model.secret import covered
from floe.model.settings import Settings
from floe.model.types import Atomic
from floe.tell.sinks.trace import facts_of, span

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floe.data.spark.passage import Gate, Passage


def enforce(  # noqa: PLR0913  (the names the specification gives)
    df: "DataFrame",
    contract: str | Path | Contract,
    mode: str = "append",
    *,
    batch_id: str | None = None,
    inputs: "Mapping[str, DataFrame] | None" = None,
    shadow: bool = False,
    table: str | None = None,
    server: str | None = None,
    layer: str | None = None,
    references: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> WriteResult:
    """Write a batch to the table its contract promises, or raise ViolationError and write nothing.

    Args:
        df: the batch.
        contract: a table_id, an id with or without version, a path, YAML text, or a loaded contract.
        mode: append, merge (by the primary key), or overwrite_partition (the partitions that the batch has rows of).
        batch_id: a name of the batch; repeating an accepted one writes nothing and gives the first answer again.
        inputs: the frames the batch was made of, by contract, to be checked too.
        shadow: write whatever is found, and say what would have been refused.
        table: the table, where it is not found by the contract: a catalog name or a path.
        server: the name or environment of the contract's server to write to, where it has several.
        layer: bronze, silver or gold, where the contract does not say.
        references: the tables of datasets that keys refer to, by name, where they are not found.
        settings: read from the folder's manifest.yaml and the environment where not given.
    """
    if mode not in MODES:
        raise ValueError(f"mode '{mode}' is none of {', '.join(MODES)}")
    way = Way(table, server, references or {})
    ask = Ask(mode=mode, way=way, layer=layer, batch_id=batch_id, shadow=shadow, inputs=inputs)
    return _enforce(df, find_case(contract, ask, settings or load_settings()))


def _enforce(df: "DataFrame", case: Case) -> WriteResult:
    with span(case.settings, "floe.enforce", run_id=case.run_id, table=case.table_id, mode=case.ask.mode) as say:
        result = _through(df, case)
        say(refused=result.refused, written=result.written, **facts_of(result.result))
    if result.refused:
        raise _refusal(result)
    return result


def _through(df: "DataFrame", case: Case) -> WriteResult:
    from floe.data.spark.gate import committed, location_of, pass_gate, staging_of

    started = time.monotonic()
    spark, root = df.sparkSession, case.settings.root
    location = location_of(spark, case.target, case.settings)
    if case.target.name and not case.ask.way.table:
        refuse_other_root(case.table_id, location, case.settings)
    for left in leftovers(root, case.table_id):
        commit = committed(spark, case.target, left.run_id, left.batch_id)
        if commit and left.entry:
            _settle(case, left.entry, commit.snapshot)
        left.clear()
    first = _first_answer(spark, case, case.ask.batch_id) if case.ask.batch_id else None
    if first:
        return replace(first, repeated=True)
    staging = staging_of(location, case.settings, case.run_id)
    with pending(root, case.table_id, case.run_id, case.ask.batch_id, staging) as keep:
        inputs = check_inputs(case.ask.inputs, case.settings, case.store) if case.ask.inputs else ()
        passage = pass_gate(df, _gate(case, staging, inputs, lambda made: keep(_passed(case, made, started))))
        result = _written(case, passage, started)
        if not result.repeated:
            result = _record(case, result, passage)
    return result


def _first_answer(spark: "SparkSession", case: Case, batch_id: str) -> WriteResult | None:
    """What the run answered that wrote this batch, where the table still holds it.

    The table's own history decides: after RESTORE, a rollback, or in another table of the same contract, the registry's
    memory of the batch says nothing about the rows that are there now.
    """
    from floe.data.spark.gate import batch_commit, exists, forgotten_before
    from floe.data.spark.quarantine import quarantine_target

    answers = [WriteResult.of(one) for one in case.store.accepted(case.table_id, batch_id)]
    if not answers or not exists(spark, case.target):
        return None
    commit = batch_commit(spark, case.target, batch_id)
    if commit:
        # of a commit that only Delta's transaction record is left of, the run is not known any more: the last one made it
        same = [one for one in answers if one.run_id == commit.run_id or not commit.run_id]
        return same[-1] if same else None
    last = answers[-1]
    if last.written == 0 and last.quarantined:
        apart = batch_commit(spark, quarantine_target(case.target), batch_id)
        return last if apart and apart.run_id == last.run_id else None
    # an expired snapshot of Iceberg leaves no trace; a rollback would have left the snapshot it went back to
    forgotten = forgotten_before(spark, case.target) if last.written else None
    return last if forgotten and last.result.checked_at < stamp(forgotten.replace(tzinfo=UTC)) else None


def _settle(case: Case, entry: dict[str, Any], snapshot: str) -> None:
    """Record a run that was killed after its commit."""
    entry["run"]["snapshot_after"] = entry["run"]["result"]["snapshot_after"] = snapshot
    note = record_and_tell(case.settings, case.store, entry, WriteResult.of(entry["run"]["result"]))
    case.settings.say(note or f"· run {entry['run']['run_id']} was killed after its commit; it is recorded now")


def _identity(case: Case) -> dict[str, Any]:
    """What tells rows of the table apart and what they stand for; it is kept in the table and compared at every write."""
    custom, dataset = case.dataset.custom, case.dataset
    found = {
        "primary key": list(case.plan.key),
        "partition columns": list(case.plan.partition),
        "join keys": custom.get("joinKeys"),
        "snapshot keys": custom.get("snapshotKeys"),
        "feature set": custom.get("featureSet"),
        "grain": " ".join(str(dataset.node.get("dataGranularityDescription") or "").split()).casefold(),
        "time zones": {one.path: zone_name(one) for one in dataset.walk() if one.type == Atomic("timestamp_ntz")},
    }
    return {name: value for name, value in found.items() if value or name in ("primary key", "partition columns")}


def _registered_identity(case: Case) -> dict[str, Any]:
    """The keys and partition columns that the registry knows, where it knows this very table."""
    known = case.known or {}
    if not known or covered(case.target.name) != known.get("name"):
        return {}
    if not case.target.name and str(known.get("location")) not in (
        kept(str(case.target), case.settings.root),
        covered(str(case.target)),  # as an older floe kept it
    ):
        return {}
    return {"primary key": known["primary_keys"], "partition columns": known["partition_cols"]}


def _gate(case: Case, staging: str, inputs: "tuple[Outcome, ...]", intend: "Callable[[Passage], None]") -> "Gate":
    from floe.data.spark.passage import Gate, Quarantine
    from floe.data.spark.schema_gate import Edition

    level = case.settings["data_contracts.enforcement"]
    quarantine = Quarantine.NONE
    if case.dataset.custom.get("onViolation") == "quarantine":
        quarantine = Quarantine.REFUSED if level == "off" else Quarantine.BROKEN
    return Gate(
        plan=case.plan,
        target=case.target,
        layer=case.layer,
        mode=case.ask.mode,
        staging=staging,
        salt=salt_of(case.settings.root),
        contract=case.contract.identity,
        edition=Edition(
            hash=case.schema_hash,
            version=case.schema_version,
            declared=declared(case.dataset) is not None,
            identity=_identity(case),
            before=_registered_identity(case),
            outgrown=outgrown(case.contract, case.store, case.settings),
        ),
        run_id=case.run_id,
        batch_id=case.ask.batch_id,
        shadow=case.ask.shadow,
        quarantine=quarantine,
        as_of=dated.column if case.layer == "gold" and (dated := as_of_field(case.dataset)) else None,
        inputs=inputs,
        references=reference_targets(case.plan, case.contract, case.ask.way.references, case.settings, case.store),
        decide=lambda outcomes: decide(outcomes, level, case.layer),
        lock=lambda: case.store.lock(case.table_id),
        intend=intend,
        settings=case.settings,
        unusual=lambda rows, nulls: of_batch(case.store, _fact(case, rows, nulls)) if rows else (),
    )


def _fact(case: Case, rows: int, nulls: Mapping[str, int]) -> dict[str, Any]:
    """What the days to come know of the batch."""
    name, now = case.contract.identity.rsplit(":", 1)[0], case.settings.clock()
    return fact_of(name, case.dataset.name, "batch", now, rows, nulls)


def _written(case: Case, passage: "Passage", started: float) -> WriteResult:
    unknown = dict.fromkeys(("queries", "jobs", "scans", "files", "files_read", "bytes_read"))
    judged = Result(
        contract=case.plan.contract,
        version=case.plan.version,
        dataset=case.plan.dataset,
        checked_at=stamp(utc_now()),
        expectations=passage.outcomes,
        rows=passage.rows,
        snapshot=passage.after,
        target=case.target,
        schema=case.plan.schema,
        cost={**unknown, "seconds": round(time.monotonic() - started, 3)},
    )
    again = passage.repeated
    return WriteResult(
        table=case.table_id,
        mode=case.ask.mode,
        written=passage.written,
        quarantined=passage.quarantined,
        refused=passage.refused,
        shadow=case.ask.shadow,
        batch_id=case.ask.batch_id,
        result=judged,
        run_id=again.run_id if again else case.run_id,
        location=covered(passage.location or str(case.target)),
        format=case.target.format,
        level=case.settings["data_contracts.enforcement"],
        verdict=str(passage.verdict),
        created=passage.created,
        snapshot_before=passage.before,
        snapshot_after=again.snapshot if again else passage.after,
        schema_version=passage.schema_version,
        schema_hash=case.schema_hash,
        feature_version=_feature_version(case, passage),
        repeated=again is not None,
        way=passage.way,
        notes=(*passage.notes, *_quarantine_notes(case, passage), *_notes(case)),
    )


def _feature_version(case: Case, passage: "Passage") -> str | None:
    """How models name a Gold snapshot: by its newest day, that of the commit where no column dates its rows."""
    if case.layer != "gold" or not passage.written or passage.repeated:
        return None
    day = passage.as_of or utc_now().date()
    return str(FeatureVersion(case.table_id, day, passage.schema_version, case.schema_hash))


def _record(case: Case, result: WriteResult, passage: "Passage") -> WriteResult:
    """Keep the run, and the table where something was written; what could not be kept is said."""
    note = record_and_tell(case.settings, case.store, _entry(case, result, passage), result)
    return replace(result, notes=(*result.notes, note)) if note else result


def _passed(case: Case, passage: "Passage", started: float) -> dict[str, Any]:
    return _entry(case, _written(case, passage, started), passage)


def _entry(case: Case, result: WriteResult, passage: "Passage") -> dict[str, Any]:
    entry = of_write(result, case.settings.actor)
    if not result.refused:
        entry |= {"table": _table_row(case, result), "schema": _schema_row(case, result)}
        entry |= {"fact": _fact(case, passage.rows, passage.nulls)} if passage.rows else {}
    return entry


def _table_row(case: Case, result: WriteResult) -> dict[str, Any]:
    return {
        "table_id": case.table_id,
        "layer": case.layer,
        "location": kept(result.location, case.settings.root),
        "primary_keys": list(case.plan.key),
        "partition_cols": list(case.plan.partition),
        "contract_path": case.contract.source,
        "format": case.target.format,
        "name": covered(case.target.name),
    }


def _schema_row(case: Case, result: WriteResult) -> dict[str, Any]:
    return {
        "table_id": case.table_id,
        "schema_version": result.schema_version,
        "schema_hash": case.schema_hash,
        "changed_at": result.result.checked_at,
        "changed_by": case.settings.actor,
        "notes": f"contract {case.contract.identity}",
    }


def _refusal(result: WriteResult) -> ViolationError:
    failed = result.result.failed or result.result.not_evaluated
    lines = [f"{result.table} refused the batch; nothing was written"]
    lines += [
        f"    FLOE-{one.code} {one.severity}: {one.message} (expected {one.expected}, actual {one.actual})"
        for one in failed[:10]
    ]
    lines += [f"    and {len(failed) - 10} more, in .result"] if len(failed) > 10 else []
    return ViolationError(
        "\n".join(lines),
        result,
        "Mend the batch at its source, or change the contract in a new version",
        failed[0].code,
    )


def enforce_file(
    batch: str, contract: str, ask: Ask, settings: Settings, inputs: Mapping[str, str] | None = None
) -> WriteResult:
    """Enforce a Parquet file or folder, made of the Parquet files of `inputs`, on floe's own session."""
    from floe.data.spark.batch import parquet

    for file in (batch, *(inputs or {}).values()):
        _parquet(file)
    case = find_case(contract, ask, settings)
    df = parquet(batch, settings)
    frames = {name: parquet(file, settings) for name, file in (inputs or {}).items()}
    return _enforce(df, replace(case, ask=replace(ask, inputs=frames or None)))


def _parquet(batch: str) -> None:
    """Say what is wrong with a batch's file before a JVM starts."""
    if "://" in batch:
        return
    path = Path(batch)
    if not path.exists():
        raise TableError(f"The batch {batch} does not exist", "Name a Parquet file, or a folder of Parquet files")
    files = [path] if path.is_file() else sorted(path.rglob("*.parquet"))
    if not files:
        raise TableError(
            f"The folder {batch} holds no Parquet file", "Name a Parquet file, or a folder of Parquet files"
        )
    others = _others(path) if path.is_dir() else ()
    if others:
        raise TableError(
            f"The folder {batch} holds a file that is not named as Parquet: {Path(others[0]).name}",
            "Move it, or name it *.parquet",
        )
    for file in files:
        with file.open("rb") as stream:
            head = stream.read(4)
            stream.seek(max(file.stat().st_size - 4, 0))
            if (head, stream.read(4)) != (b"PAR1", b"PAR1"):
                raise TableError(
                    f"The batch {file} is not a Parquet file, or is cut short", "Write it as Parquet, whole"
                )


def _others(folder: Path) -> tuple[str, ...]:
    """The files of a folder that are not named as Parquet; TableError where they are partitioned in two ways."""
    from floe.data.tables.folder import list_files

    found = list_files(str(folder))
    return found.others if found else ()


def _quarantine_notes(case: Case, passage: "Passage") -> tuple[str, ...]:
    from floe.data.spark.quarantine import quarantine_target

    if not passage.quarantined or passage.repeated:
        return ()
    why = "broke an expectation"
    if case.settings["data_contracts.enforcement"] == "off":
        why = "would have had the batch refused; rows that break milder rules are written at level off"
    return (f"{passage.quarantined} of {passage.rows} rows went to {quarantine_target(case.target)}: they {why}",)


def _notes(case: Case) -> tuple[str, ...]:
    notes = [*case.offline]
    if case.ending:
        notes.append(f"FLOE-{case.ending.code} {case.ending.severity}: {case.ending.message}")
    if not case.dataset.primary_key and case.layer != "bronze":
        notes.append(
            f"'{case.dataset.name}' has no primary key, so duplicates were not looked for: "
            "add primaryKey: true to its key columns"
        )
    if not case.ask.batch_id:
        notes.append("no batch_id: a repeat would be judged and written again")
    if case.layer == "silver" and not case.ask.inputs:
        notes.append("inputs not checked")
    return tuple(notes)
