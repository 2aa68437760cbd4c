"""The write gate: stage once, judge what was staged, then publish just that or nothing."""

import shutil
from dataclasses import replace

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sql

from floe.data.plan.schema import columns, differences, schema_outcomes
from floe.data.plan.searches import searched
from floe.data.plan.sql import quote
from floe.data.prove import apart, bounds_of, null_counts, prove, row_count
from floe.data.spark.capture import captured
from floe.data.spark.measure import Scene, measure
from floe.data.spark.passage import Gate, Passage
from floe.data.spark.publish import existing_rows, publish
from floe.data.spark.said import ENGINE_ERRORS, first_line
from floe.data.spark.schema import readable, struct_of
from floe.data.spark.schema_gate import Fit, fit
from floe.data.spark.stage import Staged, stage
from floe.data.spark.write import TABLES, read_all
from floe.data.spark.write.state import State
from floe.data.spark.write.tag import Commit, Tag
from floe.data.tables.common import of_file
from floe.data.tables.parquet import file_statistics
from floe.model import EngineError, TableError
from floe.model.claim import FileStatistics
from floe.model.decision import Verdict
from floe.model.failpoint import failpoint
from floe.model.outcome import Measured, judged, unmeasured
from floe.model.plan import Expectation
from floe.model.result import FAIL, PASS, Outcome
from floe.model.table import Target
from floe.model.types import Atomic, Member, Text

_LACKING = (
    "DATA_SOURCE_NOT_FOUND",
    "Failed to find the data source",
    "CATALOG_NOT_FOUND",
    "Cannot find catalog plugin",
    "requires a single-part namespace",
)
_HOW = "Start it with the jars and settings of Delta and Iceberg (`floe doctor`), or use floe's own session by `floe enforce`"
ROUNDS = 5


def exists(spark: SparkSession, target: Target) -> bool:
    """Whether the table is there."""
    return bool(TABLES[target.format].exists(spark, target))


def committed(spark: SparkSession, target: Target, run_id: str, batch_id: str | None) -> Commit | None:
    """The commit of a run, where it is in the table."""
    table = TABLES[target.format]
    found = table.committed(spark, target, Tag(run_id, batch_id, 0)) if exists(spark, target) else None
    return found if found is None or found.run_id == run_id else None


def pass_gate(df: DataFrame, gate: Gate) -> Passage:
    """Write a batch through the gate; TableError where the engine could not do it."""
    try:
        if df.isStreaming:
            raise TableError("The batch is a stream", "Use df.writeStream.foreachBatch(floe.stream(CONTRACT))")
        return _pass(df, gate)
    except ENGINE_ERRORS as error:
        said = first_line(error)
        if any(word in said for word in _LACKING):
            raise EngineError(f"This Spark session cannot reach {gate.target.format} tables: {said}", _HOW) from error
        raise TableError(
            f"Spark could not finish the batch: {said}", "Nothing was published; mend the cause and repeat"
        ) from error
    finally:
        shutil.rmtree(gate.staging, ignore_errors=True)


def _pass(df: DataFrame, gate: Gate) -> Passage:
    state = _state(df, gate)
    known = _known(df, gate, state)
    if known:
        return known
    fitting, chosen = _fit(df, gate, state)
    if fitting.faults and _unfit(gate, fitting, state).verdict is Verdict.REFUSE and not gate.shadow:
        return _unfit(gate, fitting, state)
    failpoint("before-stage")
    staged = _stage(df, gate, fitting, chosen)
    failpoint("staged")
    passage = _judge(staged, gate, fitting, state)
    failpoint("judged")
    with gate.lock():
        for _ in range(ROUNDS):
            now = _state(df, gate)
            if now == state:
                return publish(staged, gate, fitting, passage, state)
            # another writer was faster: what it wrote may hold our keys, or be of another schema
            state = now
            known = _known(df, gate, state)
            if known:
                return known
            staged_as = fitting.schema
            fitting, chosen = _fit(df, gate, state)
            if fitting.faults and not gate.shadow and gate.layer != "bronze":
                return _unfit(gate, fitting, state)
            if fitting.schema != staged_as:
                shutil.rmtree(gate.staging)
                staged = _stage(df, gate, fitting, chosen)
            passage = _judge(staged, gate, fitting, state)
    raise TableError(
        f"{gate.target} was changed by others {ROUNDS} times while the batch was judged",
        "Nothing was written; repeat when it is quieter",
    )


def _fit(df: DataFrame, gate: Gate, state: State | None) -> tuple[Fit, list[Column]]:
    """What the schema gate says, and the columns of the batch as they are to be written."""
    batch = struct_of(df.schema)
    if gate.layer == "bronze":
        schema, chosen, changes = captured(df, gate.target, state)
        promised = gate.plan.schema.members
        found = (
            schema_outcomes(gate.plan.dataset, list(differences(gate.plan.schema, batch)), "bronze") if promised else []
        )
        faults = tuple(one for one in found if one.outcome == FAIL)
        return Fit(faults=faults, schema=schema, version=gate.edition.on(state)[0], changes=changes), chosen
    fitting = fit(batch, gate.plan, gate.target, gate.layer, state, gate.edition)
    if fitting.faults:
        return fitting, [sql.col(quote(name)) for name in df.columns]
    names = columns(gate.plan.schema, batch, gate.layer == "gold")
    return fitting, [_kept(m, names[m.name], gate).alias(m.name) for m in gate.plan.schema.members]


def _state(df: DataFrame, gate: Gate) -> State | None:
    spark, table = df.sparkSession, TABLES[gate.target.format]
    return table.state(spark, gate.target) if table.exists(spark, gate.target) else None


def _known(df: DataFrame, gate: Gate, state: State | None) -> Passage | None:
    """The passage of a batch that is in the table already."""
    if state is None or not gate.batch_id:
        return None
    commit = TABLES[gate.target.format].committed(df.sparkSession, gate.target, gate.tag(0))
    return (
        Passage(
            outcomes=(),
            verdict=Verdict.WRITE,
            schema_version=gate.edition.on(state)[0],
            rows=commit.rows,
            written=commit.rows,
            before=state.snapshot,
            after=state.snapshot,
            location=state.location,
            repeated=commit,
            notes=(f"run {commit.run_id} committed it; what it found then is not recorded here",),
        )
        if commit
        else None
    )


def _unfit(gate: Gate, fitting: Fit, state: State | None) -> Passage:
    skipped = [unmeasured(e, "the schema does not match") for e in gate.plan.expectations if e.gated]
    outcomes = (*gate.inputs, *fitting.faults, *skipped)
    before = state.snapshot if state else None
    return Passage(
        outcomes=outcomes,
        verdict=gate.decide(outcomes),
        schema_version=fitting.version,
        before=before,
        after=before,
        notes=fitting.notes,
    )


def _stage(df: DataFrame, gate: Gate, fitting: Fit, chosen: list[Column]) -> Staged:
    """Write the batch once, and read back just those files: what is judged is what is written."""
    if fitting.faults and gate.layer != "bronze":
        return stage(df.select(*chosen), gate.staging, None)
    return stage(df.select(*chosen), gate.staging, fitting.schema, () if fitting.faults else _telling(gate))


def _telling(gate: Gate) -> tuple[Expectation, ...]:
    """The rules that no written row may break, where rows that do are set apart."""
    if not gate.quarantine or gate.shadow or gate.layer == "bronze":
        return ()
    strict = (one for one in gate.plan.expectations if one.gated and one.sql and one.operators == {"mustBe": 0})
    return tuple(one for one in strict if gate.decide((judged(one, Measured(1, 1), "scan"),)) is Verdict.REFUSE)


def _kept(member: Member, name: str, gate: Gate) -> Column:
    """A column of the batch as the table will keep it."""
    column = sql.col(quote(name))
    kind = member.type == Atomic("string") or isinstance(member.type, Text)
    return TABLES[gate.target.format].partition_value(column) if kind and member.name in gate.plan.partition else column


def _judge(staged: Staged, gate: Gate, fitting: Fit, state: State | None) -> Passage:
    if fitting.faults:
        return replace(_unfit(gate, fitting, state), rows=staged.rows.count())
    statistics = file_statistics(staged.files, readable(fitting.schema))
    rows, measured = _measure(staged, gate, statistics, state)
    nulls = null_counts(statistics)
    unusual = gate.unusual(rows, nulls)
    outcomes = (*gate.inputs, *schema_outcomes(gate.plan.dataset, [], gate.layer), *measured, *unusual)
    before = state.snapshot if state else None
    return Passage(
        outcomes=outcomes,
        verdict=gate.decide(outcomes),
        schema_version=fitting.version,
        rows=rows,
        nulls=nulls,
        before=before,
        after=before,
        notes=fitting.notes,
    )


def _measure(
    staged: Staged, gate: Gate, statistics: tuple[FileStatistics, ...], state: State | None
) -> tuple[int, list[Outcome]]:
    """What came of each expectation: kept ones by the footers of the staged files, the others by reading them."""
    asked = [one for one in gate.plan.expectations if one.gated and staged.files]
    kept = {one.id: one for one in prove(asked, statistics) if one.outcome == PASS}
    rows = row_count(statistics) if staged.files else None
    if rows is not None:
        kept |= _told(staged, gate, [one for one in staged.rules if one.id not in kept], rows)
    left = tuple(one for one in gate.plan.expectations if one.id not in kept)
    if rows is None or any(one.gated for one in left):
        plan = replace(gate.plan, expectations=left)
        others, existing = read_all(staged.rows.sparkSession, gate.references), existing_rows(staged.rows, gate, state)
        rows, found = measure(
            Scene(
                rows=staged.rows,
                plan=plan,
                salt=gate.salt,
                existing=existing,
                references=others,
                total=rows,
                bounds=bounds_of(statistics),
                apart=apart(statistics, {name for one in left for name in one.keys}),
                common=of_file(staged.files[0], searched(left, gate.plan.masked)) if staged.files else {},
            )
        )
    else:
        found = [unmeasured(one) for one in left]
    by_id = {**kept, **{one.id: one for one in found}}
    return rows, [by_id[one.id] for one in gate.plan.expectations]


def _told(staged: Staged, gate: Gate, rules: list[Expectation], rows: int) -> dict[str, Outcome]:
    """What came of the rules that told bad rows from good ones: only files of bad rows can break them."""
    if staged.bad is None or not rules:
        return {}
    if not staged.bad_files:
        return {one.id: judged(one, Measured(0, rows), "scan", empty_passes=True) for one in rules}
    plan = replace(gate.plan, expectations=tuple(rules))
    _, found = measure(Scene(rows=staged.bad, plan=plan, salt=gate.salt, total=rows))
    return {one.id: one for one in found}
