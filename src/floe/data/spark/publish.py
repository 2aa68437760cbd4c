"""What a gate lets through becomes the table's own in one commit, bad rows set apart where the contract asks for it."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from floe.data.plan.sql import quote, text
from floe.data.prove import row_count
from floe.data.spark.as_of import newest_day
from floe.data.spark.by_path import run_on
from floe.data.spark.passage import Gate, Passage, Quarantine
from floe.data.spark.quarantine import Split, flag, of_rows, part, quarantine_of
from floe.data.spark.said import ENGINE_ERRORS, answer_lost, first_line
from floe.data.spark.schema import struct_of
from floe.data.spark.schema_gate import Fit
from floe.data.spark.stage import Staged
from floe.data.spark.write import TABLES, read_all
from floe.data.spark.write.state import State, TableMovedError
from floe.data.spark.write.tag import Commit, Tag
from floe.data.tables.parquet import file_statistics
from floe.model import TableError
from floe.model.decision import Verdict
from floe.model.failpoint import failpoint
from floe.model.types import Struct

_PATIENCE = (0, 1, 3)  # seconds before each look for a commit whose answer was lost


def existing_rows(staged: DataFrame, gate: Gate, state: State | None) -> DataFrame | None:
    """The rows that stay beside the batch, whose keys may not come again."""
    if state is None or state.snapshot is None or gate.mode == "merge":
        return None
    there: DataFrame = TABLES[gate.target.format].read_state(staged.sparkSession, gate.target, state)
    if gate.mode == "append":
        return there
    replaced = staged.select(*(sql.col(quote(name)).alias(f"floe {name}") for name in gate.plan.partition)).distinct()
    same = [sql.col(quote(name)).eqNullSafe(sql.col(quote(f"floe {name}"))) for name in gate.plan.partition]
    return there.join(replaced, same, "left_anti")


def publish(staged: Staged, gate: Gate, fitting: Fit, passage: Passage, state: State | None) -> Passage:
    """Write what was staged and judged in one commit onto the state it was judged against, or nothing.

    TableMovedError where another writer committed since: the batch must be judged again.
    """
    split = None if gate.shadow else _split(staged, gate, passage, state)
    if split:
        passage = replace(passage, quarantined=split.bad_rows, let=True)
        files = staged.good_files if split.good is staged.good else ()
        return _commit(_Part(split.good, files, split), gate, fitting, passage, state)
    if passage.verdict is Verdict.REFUSE and not gate.shadow:
        return passage
    return _commit(_Part(staged.rows, staged.files), gate, fitting, replace(passage, let=gate.shadow), state)


def _split(staged: Staged, gate: Gate, passage: Passage, state: State | None) -> Split | None:
    """Good and bad rows, where the contract asks for quarantine and rows are all that is wrong."""
    if gate.quarantine is Quarantine.NONE or gate.layer == "bronze" or not passage.rows:
        return None
    refusing = [one for one in passage.outcomes if gate.decide((one,)) is Verdict.REFUSE]
    if gate.quarantine is Quarantine.BROKEN:
        gated = {one.id: one for one in gate.plan.expectations if one.gated}
        milder = [one for one in passage.outcomes if one not in refusing and one.id in gated]
        refusing += [one for one in milder if of_rows(one, gated[one.id])]
    broken = {one.id for one in refusing}
    if not broken:
        return None
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
    tag = gate.tag(written)._replace(schema=gate.properties(fitting.version))
    as_of = newest_day(rows, gate.as_of, files) if gate.as_of and written else None
    intended = replace(passage, written=written, created=state is None, as_of=as_of)
    gate.intend(intended)
    if split:
        quarantine_of(split, gate.target, gate.contract, tag)
    failpoint("before-commit")
    if state is None:
        schema = struct_of(rows.schema) if fitting.faults and gate.layer != "bronze" else fitting.schema
        there = _create(spark, gate, schema, gate.properties(fitting.version))
    else:
        there = _bring(spark, gate, fitting, state)
    failpoint("prepared")
    way = None
    if written:
        tag = tag._replace(attempt=table.next_attempt(spark, gate.target, tag))
        try:
            way = _write(rows, gate, tag, () if fitting.faults else files, there)
        except (TableMovedError, TableError):
            raise  # already looked up: the commit is not there, or is there and wrong
        except Exception as error:
            if not _found(rows, gate, tag, error):
                if table.state(spark, gate.target) != there:
                    raise TableMovedError from error
                raise
    failpoint("after-commit")
    return replace(intended, after=table.snapshot(spark, gate.target), location=there.location, way=way)


def _create(spark: SparkSession, gate: Gate, schema: Struct, properties: dict[str, str]) -> State:
    """Create the table, and say how it stands then.

    It stays where the batch cannot be written afterwards: another writer may have put rows into it meanwhile.
    """
    table = TABLES[gate.target.format]
    try:
        table.create(spark, gate.target, schema, gate.plan.partition, properties)
    except ENGINE_ERRORS as error:
        if table.exists(spark, gate.target):
            raise TableMovedError from error
        raise
    state: State = table.state(spark, gate.target)
    if not table.is_new(state):
        raise TableMovedError
    return state


def _write(rows: DataFrame, gate: Gate, tag: Tag, files: Sequence[Path], state: State) -> str:
    """Publish rows in one commit onto a table in this state; by what way is said."""
    table, spark = TABLES[gate.target.format], rows.sparkSession
    reason = f"mode {gate.mode}" if gate.mode != "append" else ""
    if not reason and not files:
        elsewhere = not any(Path(gate.staging).rglob("*.parquet"))
        reason = "the staged files are not on this machine" if elsewhere else "a part of the batch"
    if not reason:
        reason = table.commit_files(gate.target, files, gate.plan, tag, state, gate.settings)
        if not reason:
            spark.catalog.refreshByPath(state.location)
            return "the staged files were committed as they are"
    _write_by_spark(rows, gate, tag, state)
    return f"Spark wrote the staged rows ({reason})"


def _write_by_spark(rows: DataFrame, gate: Gate, tag: Tag, state: State) -> None:
    """Let Spark write rows in one commit, and hold what the commit counted against the batch."""
    table, spark, keys = TABLES[gate.target.format], rows.sparkSession, gate.unique_keys
    if table.state(spark, gate.target) != state:
        raise TableMovedError
    if gate.mode == "merge":
        table.merge(rows, gate.target, gate.plan.key, tag, state)
    elif gate.mode == "overwrite_partition":
        table.overwrite_partitions(rows, gate.target, tag, state)
    else:
        table.append(rows, gate.target, tag, keys, state)
    commit = table.commit_of_run(spark, gate.target, tag, gate.mode)
    if commit is None:
        raise TableMovedError  # Delta skipped it: another run wrote this batch meanwhile
    if commit.rows != tag.rows:
        raise TableError(
            f"{gate.target} has {commit.rows} rows of this batch, which has {tag.rows}: commit {commit.snapshot}",
            f"Restore the table to {state.snapshot}, find out who removes files below {gate.staging}, and repeat",
        )
    if gate.mode == "overwrite_partition" and keys and not table.follows(commit, state):
        _check_keys(rows, gate, commit, keys)


def _check_keys(rows: DataFrame, gate: Gate, commit: Commit, keys: Sequence[tuple[str, ...]]) -> None:
    """Another writer committed while partitions were overwritten: look for keys of the batch that came with its rows."""
    there = TABLES[gate.target.format].read(rows.sparkSession, gate.target, commit.snapshot)
    for key in keys:
        names = [quote(name) for name in key]
        ours = rows.select(*names).distinct()
        repeated = there.join(ours, list(key), "left_semi").groupBy(*names).count().where("count > 1").count()
        if repeated:
            raise TableError(
                f"{gate.target} has {repeated} values of {', '.join(key)} twice: another writer committed rows with them "
                f"while version {commit.snapshot} overwrote partitions (E551)",
                "Remove one of the two; `floe test` names them",
            )


def _found(rows: DataFrame, gate: Gate, tag: Tag, error: Exception) -> bool:
    """Whether a commit that answered with an error is in the table all the same: looked up, never guessed.

    TableError where it cannot be known: the table cannot be read, or a catalog whose answer was lost may still be at work.
    """
    lost = answer_lost(error)
    try:
        for seconds in _PATIENCE if lost else (0,):
            time.sleep(seconds)
            found = TABLES[gate.target.format].committed(rows.sparkSession, gate.target, tag)
            if found is not None and found.run_id == tag.run_id:
                return True
    except Exception:  # noqa: BLE001  (whatever keeps us from looking, the answer is unknown)
        lost = True
    if lost:
        raise TableError(
            f"Whether the batch was committed to {gate.target} is unknown: {first_line(error)}",
            f"Look for {tag.text} in the table's history; with a batch_id a repeat finds it and writes nothing twice",
        ) from error
    return False


def _bring(spark: SparkSession, gate: Gate, fitting: Fit, state: State) -> State:
    """Bring the table to the contract's schema, let it say which contract holds it, and say how it stands then."""
    statements = list(fitting.changes)
    for statement in statements:
        gate.settings.say(f"· {statement}")
    promised = gate.properties(fitting.version)
    missing = {key: value for key, value in promised.items() if state.properties.get(key) != value}
    if missing:
        pairs = ", ".join(f"{text(key)} = {text(value)}" for key, value in missing.items())
        statements.append(f"ALTER TABLE {gate.target.sql} SET TBLPROPERTIES ({pairs})")
    if not statements:
        return state
    for statement in statements:
        run_on(spark, gate.target, statement)
    table = TABLES[gate.target.format]
    there: State = table.state(spark, gate.target)
    if not table.advanced(state, there, len(statements)):
        raise TableMovedError  # somebody committed between our statements
    return there
