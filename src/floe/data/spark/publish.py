"""What a gate lets through becomes the table's own in one commit, bad rows set apart where the contract asks for it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from floe.data.plan.sql import quote, text
from floe.data.prove import row_count
from floe.data.spark.as_of import newest_day
from floe.data.spark.passage import Gate, Passage
from floe.data.spark.quarantine import Split, flag, part, quarantine_of
from floe.data.spark.said import first_line
from floe.data.spark.schema import struct_of
from floe.data.spark.schema_gate import Fit
from floe.data.spark.stage import Staged
from floe.data.spark.write import TABLES, read_all
from floe.data.spark.write.state import State
from floe.data.spark.write.tag import Tag
from floe.data.tables.parquet import file_statistics
from floe.model import TableError
from floe.model.decision import Verdict
from floe.model.failpoint import failpoint
from floe.model.types import Struct


def existing_rows(staged: DataFrame, gate: Gate, state: State | None) -> DataFrame | None:
    """The rows that stay beside the batch, whose keys may not come again."""
    if state is None or state.snapshot is None or gate.mode == "merge":
        return None
    there: DataFrame = TABLES[gate.target.format].read(staged.sparkSession, gate.target, state.snapshot)
    if gate.mode == "append":
        return there
    replaced = staged.select(*(sql.col(quote(name)).alias(f"floe {name}") for name in gate.plan.partition)).distinct()
    same = [sql.col(quote(name)).eqNullSafe(sql.col(quote(f"floe {name}"))) for name in gate.plan.partition]
    return there.join(replaced, same, "left_anti")


def publish(staged: Staged, gate: Gate, fitting: Fit, passage: Passage, state: State | None) -> Passage:
    """Write what was staged and judged in one commit, or nothing."""
    if passage.verdict is Verdict.REFUSE and not gate.shadow:
        split = _split(staged, gate, passage, state)
        if split is None:
            return passage
        passage = replace(passage, quarantined=split.bad_rows, let=True)
        files = staged.good_files if split.good is staged.good else ()
        return _commit(_Part(split.good, files, split), gate, fitting, passage, state)
    return _commit(_Part(staged.rows, staged.files), gate, fitting, replace(passage, let=gate.shadow), state)


def _split(staged: Staged, gate: Gate, passage: Passage, state: State | None) -> Split | None:
    """Good and bad rows, where the contract asks for quarantine and rows are all that is wrong."""
    refusing = [one for one in passage.outcomes if gate.decide((one,)) is Verdict.REFUSE]
    if not gate.quarantine or not passage.rows:
        return None
    broken = {one.id for one in refusing}
    if staged.bad is not None and broken <= {one.id for one in staged.rules}:
        bad = flag(staged.bad, [one for one in staged.rules if one.id in broken], None, {})
        told = row_count(file_statistics(staged.bad_files, Struct(()))) if staged.bad_files else None
        return Split(staged.good, bad, bad.count() if told is None else told)
    references = read_all(staged.rows.sparkSession, gate.references)
    return part(staged.rows, gate.plan, refusing, existing_rows(staged.rows, gate, state), references)


class _Part(NamedTuple):
    """Rows to be written, the files they stand in where they are on this machine, and what was set apart from them."""

    rows: DataFrame
    files: tuple[Path, ...]
    split: Split | None = None


def _commit(chosen: _Part, gate: Gate, fitting: Fit, passage: Passage, state: State | None) -> Passage:
    rows, files, split = chosen
    spark, table = rows.sparkSession, TABLES[gate.target.format]
    written = (passage.rows or 0) - passage.quarantined
    tag = gate.tag(written)._replace(schema=_properties(gate, fitting))
    as_of = newest_day(rows, gate.as_of, files) if gate.as_of and written else None
    intended = replace(passage, written=written, created=state is None, as_of=as_of)
    gate.intend(intended)
    if split:
        quarantine_of(split, gate.target, gate.contract, tag)
    failpoint("before-commit")
    if state is None:
        properties = _properties(gate, fitting)
        schema = struct_of(rows.schema) if fitting.faults and gate.layer != "bronze" else fitting.schema
        table.create(spark, gate.target, schema, gate.plan.partition, properties)
        there = _new(spark, gate)
    else:
        there = _bring(spark, gate, fitting, state)
    failpoint("prepared")
    way = None
    if written:
        try:
            way = _write(rows, gate, tag, () if fitting.faults else files, there)
        except Exception as error:
            if not _found(rows, gate, tag, error):
                if state is None:
                    table.drop(spark, gate.target)
                raise
    failpoint("after-commit")
    return replace(intended, after=table.snapshot(spark, gate.target), location=there.location, way=way)


def _new(spark: SparkSession, gate: Gate) -> State:
    """A table as it was just created; it goes again where nobody can say."""
    table = TABLES[gate.target.format]
    try:
        state: State = table.state(spark, gate.target)
        return state
    except Exception:
        table.drop(spark, gate.target)
        raise


def _write(rows: DataFrame, gate: Gate, tag: Tag, files: Sequence[Path], state: State) -> str:
    """Publish rows in one commit onto a table in this state; by what way is said."""
    table = TABLES[gate.target.format]
    reason = f"mode {gate.mode}" if gate.mode != "append" else ""
    if not reason and not files:
        elsewhere = not any(gate.staging.rglob("*.parquet"))
        reason = "the staged files are not on this machine" if elsewhere else "a part of the batch"
    if not reason:
        reason = table.commit_files(gate.target, files, gate.plan, tag, state, gate.settings)
        if not reason:
            rows.sparkSession.catalog.refreshByPath(state.location)
            return "the staged files were committed as they are"
    if gate.mode == "merge":
        table.merge(rows, gate.target, gate.plan.key, tag)
    elif gate.mode == "overwrite_partition":
        table.overwrite_partitions(rows, gate.target, tag)
    else:
        table.append(rows, gate.target, tag)
    return f"Spark wrote the staged rows ({reason})"


def _found(rows: DataFrame, gate: Gate, tag: Tag, error: Exception) -> bool:
    """Whether a commit that answered with an error is in the table all the same: looked up, never guessed."""
    try:
        return TABLES[gate.target.format].committed(rows.sparkSession, gate.target, tag) is not None
    except Exception:  # noqa: BLE001  (whatever keeps us from looking, the answer is unknown)
        raise TableError(
            f"Whether the batch was committed to {gate.target} is unknown: {first_line(error)}",
            f"Look for {tag.text} in the table's history; with a batch_id a repeat finds it and writes nothing twice",
        ) from error


def _properties(gate: Gate, fitting: Fit) -> dict[str, str]:
    return {
        "floe.contract": gate.contract,
        "floe.schema_version": str(fitting.version),
        "floe.schema_hash": gate.edition.hash,
    }


def _bring(spark: SparkSession, gate: Gate, fitting: Fit, state: State) -> State:
    """Bring the table to the contract's schema, let it say which contract holds it, and say how it stands then."""
    for statement in fitting.changes:
        gate.settings.say(f"· {statement}")
        spark.sql(statement)
    missing = {key: value for key, value in _properties(gate, fitting).items() if state.properties.get(key) != value}
    if missing:
        pairs = ", ".join(f"{text(key)} = {text(value)}" for key, value in missing.items())
        spark.sql(f"ALTER TABLE {gate.target.sql} SET TBLPROPERTIES ({pairs})")
    return TABLES[gate.target.format].state(spark, gate.target) if fitting.changes or missing else state
