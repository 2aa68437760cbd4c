"""The write gate, up to the judgement: check the schema, stage the batch once, and evaluate what was staged.

Nothing is committed here. The action that writes a batch reads the state of the table, has the batch checked against it,
decides, and has it committed onto that very state (`floe.engine.gate.commit`); where another writer was faster, it has the
batch checked again. The checked rows are the written rows: the staged files are read back, and their rows counted against the
rows that the write tasks produced.

On a disk of the driver only, executors on other machines would fill their own disks, and an empty batch would be read back. The
count makes such a disk an error, and never a batch of no rows.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession, functions as sql

from floe.engine.gate.capture import captured
from floe.engine.gate.request import Judgement, Quarantine, Staged, WriteRequest
from floe.engine.gate.schema_check import SchemaCheck, check_schema, identity_outcomes
from floe.engine.gate.staging import check_shared, places, stage
from floe.engine.metadata.proof import bounds_of, files_are_clustered, null_counts, prove, row_count
from floe.engine.metadata.schema import columns, differences, schema_outcomes
from floe.engine.plan.expectations import regex_columns
from floe.engine.spark.measure import MeasureRequest, measure
from floe.engine.spark.session import own_session
from floe.lang.sql.literals import quote
from floe.model import EngineError, TableError
from floe.model.contract import Target
from floe.model.plan import Expectation, FileStatistics
from floe.model.result import FAIL, PASS, Measured, Outcome, Reason, Verdict, judged_outcome, not_evaluated
from floe.model.types import Atomic, Member, Text
from floe.settings import Settings
from floe.system.failpoint import failpoint
from floe.tables.formats import read_all, writable
from floe.tables.parquet.folder import list_files
from floe.tables.parquet.footers import file_statistics, footers, frequent_in_file
from floe.tables.parquet.table import rows_of
from floe.tables.spark.errors import ENGINE_ERRORS, conditions, first_line
from floe.tables.spark.schema import by_name, readable, struct_of
from floe.tables.state import Commit, State, Tag, rows_lost
from floe.tables.storage import is_remote, is_s3, note

# Spark's conditions, and what then helps
_ADVICE = {
    "PARQUET_TYPE_ILLEGAL": "Write its timestamps in microseconds, e.g. to_parquet(…, coerce_timestamps='us') in pandas",
    "COLUMN_ALREADY_EXISTS": "Rename one of the two columns; Spark does not distinguish names by case",
    "CANNOT_MERGE_SCHEMAS": "Write its files again, so that each column has one type in all of them",
}


def parquet(path: str, settings: Settings) -> DataFrame:
    """The rows of a Parquet file or folder, with the columns of all its files: Spark itself reads the schema of one file."""
    note(path)
    reader = by_name(own_session(settings)).option("mergeSchema", "true")
    try:
        # Spark's own folder is where its JVM was started, which is not always ours
        whole = path if is_remote(path) else str(Path(path).absolute())
        folder = list_files(whole) if is_s3(path) or Path(whole).is_dir() else None
        return rows_of(reader, folder) if folder else reader.parquet(whole)
    except ENGINE_ERRORS as error:
        known = (_ADVICE.get(condition.name) for condition in conditions(error))
        advice = next(filter(None, known), "Write it again as Parquet")
        raise TableError(f"The batch {path} cannot be read as Parquet: {first_line(error)}", advice) from None


# Spark's conditions for a session without the jars or the catalogs of a format
_LACKING = (
    "DATA_SOURCE_NOT_FOUND",
    "CATALOG_NOT_FOUND",
    "REQUIRES_SINGLE_PART_NAMESPACE",
    "_LEGACY_ERROR_TEMP_2215",  # Spark has no other name yet for a catalog whose class is not found
)
_HOW = "Start it with the jars and settings of Delta and Iceberg (`floe doctor`), or use `floe enforce`, which starts its own session"
ATTEMPTS = 5  # to check and commit a batch while other writers are faster


def exists(spark: SparkSession, target: Target) -> bool:
    """Whether the table is there."""
    return bool(writable(target).exists(spark, target))


def committed(spark: SparkSession, target: Target, run_id: str, batch_id: str | None) -> Commit | None:
    """The commit of a run, where it is in the table."""
    table = writable(target)
    found = table.committed(spark, target, Tag(run_id, batch_id, 0)) if exists(spark, target) else None
    return found if found is None or found.run_id == run_id else None


def location_of(spark: SparkSession, target: Target, settings: Settings) -> str:
    """Where the table is, or will be."""
    return str(writable(target).location(spark, target, settings))


def forgotten_before(spark: SparkSession, target: Target) -> datetime | None:
    """The time before which the history of the table no longer has batches."""
    found: datetime | None = writable(target).forgotten_before(spark, target)
    return found


def batch_commit(spark: SparkSession, target: Target, batch_id: str) -> Commit | None:
    """The commit of a batch that the table still holds."""
    if not exists(spark, target):
        return None
    found: Commit | None = writable(target).committed(spark, target, Tag("", batch_id, 0))
    return found


@contextmanager
def gate(df: DataFrame, request: WriteRequest) -> Iterator[None]:
    """Context of checks and commits: errors of the engine become floe's errors, and staging is removed."""
    try:
        if df.isStreaming:
            raise TableError(
                "The batch is a streaming DataFrame", "Use df.writeStream.foreachBatch(floe.stream(CONTRACT))"
            )
        yield
    except ENGINE_ERRORS as error:
        message = first_line(error)
        if any(condition.name in _LACKING for condition in conditions(error)):
            raise EngineError(
                f"This Spark session cannot reach {request.target.format} tables: {message}", _HOW
            ) from error
        raise TableError(
            f"Spark could not process the batch: {message}",
            "Nothing was committed; fix the cause and run the batch again",
        ) from error
    finally:
        request.staging.remove(df.sparkSession)


def read_state(df: DataFrame, request: WriteRequest) -> State | None:
    """The table as it is now; None where it does not exist yet."""
    spark, table = df.sparkSession, writable(request.target)
    return table.state(spark, request.target) if table.exists(spark, request.target) else None


def judge(
    df: DataFrame, request: WriteRequest, state: State | None, conflict: Outcome | None, before: Judgement | None = None
) -> Judgement:
    """Stage a batch and evaluate it against the state of its table.

    Args:
        df: the batch.
        request: the batch, its plan and its table.
        state: the table as it is now.
        conflict: what forbids this contract to write to the table that is there.
        before: an earlier judgement of the same batch; what it staged is used again unless the schema to write changed.
    """
    repeated = _repeated(df, request, state)
    if repeated:
        return repeated
    schema, columns_to_write = _check_schema(df, request, state, conflict)
    if schema.faults and not request.shadow:
        unfit = _unfit(request, schema, state)
        if request.verdict(unfit.outcomes) is Verdict.REFUSE:
            return unfit
    if before and before.staged and before.schema and schema.schema == before.schema.schema:
        staged = before.staged
    else:
        failpoint("before-stage")
        if before:
            request.staging.remove(df.sparkSession)
        else:
            check_shared(df.sparkSession, request.staging.folder)
        staged = _stage(df, request, schema, columns_to_write, state)
        failpoint("staged")
    judgement = _evaluate(staged, request, schema, state)
    failpoint("judged")
    return judgement


def _check_schema(
    df: DataFrame, request: WriteRequest, state: State | None, conflict: Outcome | None
) -> tuple[SchemaCheck, list[Column]]:
    """How batch and table differ from the contract, and the columns of the batch as they are to be written."""
    batch = struct_of(df.schema)
    plan = request.plan
    if request.layer == "bronze":
        schema, chosen, changes = captured(df, request.target, state)
        found = (
            schema_outcomes(plan.dataset, list(differences(plan.schema, batch)), "bronze")
            if plan.schema.members
            else []
        )
        faults = tuple(outcome for outcome in found if outcome.outcome == FAIL)
        version, _ = request.schema_version.next_for(state)
        return SchemaCheck(faults=faults, schema=schema, version=version, changes=changes), chosen
    checked = check_schema(batch, plan, request.target, request.layer, state, request.schema_version)
    if conflict:
        checked = replace(checked, faults=(conflict, *checked.faults))
    if state:
        changed = identity_outcomes(plan, state, request.schema_version, request.mode)
        checked = replace(checked, faults=(*changed, *checked.faults))
    if checked.faults:
        return checked, [sql.col(quote(name)) for name in df.columns]
    names = columns(plan.schema, batch, request.layer == "gold")
    chosen = [sql.col(quote(names[member.name])) for member in plan.schema.members]
    stored = [
        _as_stored(column, m, request).alias(m.name) for column, m in zip(chosen, plan.schema.members, strict=True)
    ]
    return checked, stored


def _repeated(df: DataFrame, request: WriteRequest, state: State | None) -> Judgement | None:
    """The judgement of a batch that is in the table already."""
    if state is None or not request.batch_id:
        return None
    commit = writable(request.target).committed(df.sparkSession, request.target, request.tag(0))
    if commit is None:
        return None
    version, _ = request.schema_version.next_for(state)
    note = f"run {commit.run_id} committed it; its outcomes are not recorded here"
    return Judgement(state=state, version=version, rows=commit.rows, repeated=commit, notes=(note,))


def _unfit(request: WriteRequest, schema: SchemaCheck, state: State | None) -> Judgement:
    """The judgement of a batch whose schema is wrong: its rules are not evaluated."""
    skipped = [
        not_evaluated(e, Reason.SCHEMA_MISMATCH.value, Reason.SCHEMA_MISMATCH)
        for e in request.plan.expectations
        if e.gated
    ]
    outcomes = (*request.inputs, *schema.faults, *skipped)
    return Judgement(state=state, outcomes=outcomes, version=schema.version, schema=schema, notes=schema.notes)


def _stage(
    df: DataFrame, request: WriteRequest, schema: SchemaCheck, chosen: list[Column], state: State | None
) -> Staged:
    """Write the batch once, and read back exactly these files: the checked rows are the written rows."""
    if schema.faults and request.layer != "bronze":
        return stage(df.select(*chosen), request.staging.folder, None)
    rules = () if schema.faults else _telling(request)
    ids = None
    if request.mode == "append":
        ids = writable(request.target).field_ids(request.target, schema.schema, state is None, request.settings)
    return stage(df.select(*chosen), request.staging.folder, schema.schema, rules, ids)


def _telling(request: WriteRequest) -> tuple[Expectation, ...]:
    """The rules that no written row may violate, if bad rows are quarantined."""
    if request.quarantine is Quarantine.NONE or request.shadow or request.layer == "bronze":
        return ()
    strict = [
        expectation
        for expectation in request.plan.expectations
        if expectation.gated and expectation.row_rule and expectation.operators == {"mustBe": 0}
    ]
    if request.quarantine is Quarantine.BROKEN:
        return tuple(strict)
    return tuple(
        expectation
        for expectation in strict
        if request.verdict((judged_outcome(expectation, Measured(1, 1), "scan"),)) is Verdict.REFUSE
    )


def _as_stored(column: Column, member: Member, request: WriteRequest) -> Column:
    """A column of the batch as the table will keep it."""
    if member.name not in request.plan.partition:
        return column
    is_text = member.type == Atomic("string") or isinstance(member.type, Text)
    return writable(request.target).partition_value(column) if is_text else column


def _evaluate(staged: Staged, request: WriteRequest, schema: SchemaCheck, state: State | None) -> Judgement:
    if schema.faults:
        rows = _conserved(staged, staged.rows.count(), request)
        return replace(_unfit(request, schema, state), staged=staged, rows=rows)
    statistics = file_statistics(footers(places(staged.files)), readable(schema.schema))
    rows, measured = _measure(staged, request, statistics, state)
    _conserved(staged, rows, request)
    found = schema_outcomes(request.plan.dataset, [], request.layer)
    return Judgement(
        state=state,
        outcomes=(*request.inputs, *found, *measured),
        version=schema.version,
        schema=schema,
        staged=staged,
        rows=rows,
        nulls=null_counts(statistics),
        notes=schema.notes,
    )


def _conserved(staged: Staged, rows: int, request: WriteRequest) -> int:
    """The rows that were read back, which must be the rows that the write tasks produced."""
    if rows != staged.produced:
        raise rows_lost(staged.produced, rows, f"the staging folder {request.staging.folder}")
    return rows


def _measure(
    staged: Staged, request: WriteRequest, statistics: tuple[FileStatistics, ...], state: State | None
) -> tuple[int, list[Outcome]]:
    """The outcome of each expectation: proved by the footers of the staged files, else by reading them."""
    rows = row_count(statistics) if staged.files else None
    kept = _kept(staged, request, statistics, rows)
    left = tuple(expectation for expectation in request.plan.expectations if expectation.id not in kept)
    if rows is None or any(expectation.gated for expectation in left):
        rows, found = measure(_reading(staged, request, state, left, statistics, rows))
    else:
        found = [not_evaluated(expectation) for expectation in left]
    by_id = {**kept, **{outcome.id: outcome for outcome in found}}
    return rows, [by_id[expectation.id] for expectation in request.plan.expectations]


def _kept(
    staged: Staged, request: WriteRequest, statistics: tuple[FileStatistics, ...], rows: int | None
) -> dict[str, Outcome]:
    """The outcomes that need no reading of good rows: by footers, and by which files bad rows were staged in."""
    if not staged.files:
        return {}
    gated = [expectation for expectation in request.plan.expectations if expectation.gated]
    kept = {outcome.id: outcome for outcome in prove(gated, statistics) if outcome.outcome == PASS}
    if rows is None:
        return kept
    return kept | _of_bad_files(staged, request, [rule for rule in staged.rules if rule.id not in kept], rows)


def _reading(
    staged: Staged,
    request: WriteRequest,
    state: State | None,
    left: tuple[Expectation, ...],
    statistics: tuple[FileStatistics, ...],
    rows: int | None,
) -> MeasureRequest:
    """How the staged rows are read for the expectations that are left."""
    key_columns = {name for expectation in left for name in expectation.key}
    patterns = regex_columns(left, request.plan.masked)
    return MeasureRequest(
        rows=staged.rows,
        plan=replace(request.plan, expectations=left),
        salt=request.salt,
        references=read_all(staged.rows.sparkSession, request.references),
        existing=existing_rows(staged.rows, request, state),
        total=rows,
        bounds=bounds_of(statistics),
        clustered=files_are_clustered(statistics, key_columns),
        common=frequent_in_file(staged.files[0].place, patterns) if staged.files else {},
    )


def _of_bad_files(staged: Staged, request: WriteRequest, rules: list[Expectation], rows: int) -> dict[str, Outcome]:
    """The outcomes of the rules that separated bad rows while staging: no other file can violate them."""
    if staged.bad is None or not rules:
        return {}
    if not staged.bad_files:
        none_bad = Measured(0, rows)
        return {rule.id: judged_outcome(rule, none_bad, "scan", empty_passes=True) for rule in rules}
    plan = replace(request.plan, expectations=tuple(rules))
    _, found = measure(MeasureRequest(rows=staged.bad, plan=plan, salt=request.salt, total=rows))
    return {outcome.id: outcome for outcome in found}


def existing_rows(staged: DataFrame, request: WriteRequest, state: State | None) -> DataFrame | None:
    """The existing rows of the table, whose keys must not repeat in the batch."""
    if state is None or state.snapshot is None or request.mode == "merge":
        return None
    there = writable(request.target).read_state(staged.sparkSession, request.target, state)
    if request.mode == "append":
        return there
    replaced = staged.select(
        *(sql.col(quote(name)).alias(f"floe {name}") for name in request.plan.partition)
    ).distinct()
    same = [sql.col(quote(name)).eqNullSafe(sql.col(quote(f"floe {name}"))) for name in request.plan.partition]
    return there.join(replaced, same, "left_anti")
