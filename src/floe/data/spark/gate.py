"""The write gate: stage once, judge what was staged, then publish just that or nothing."""

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sql

from floe.data.plan.schema import columns, differences, schema_outcomes
from floe.data.plan.searches import searched
from floe.data.plan.sql import quote
from floe.data.prove import apart, bounds_of, null_counts, prove, row_count
from floe.data.spark.capture import captured
from floe.data.spark.measure import Scene, measure
from floe.data.spark.passage import Gate, Passage, Quarantine
from floe.data.spark.publish import existing_rows, publish
from floe.data.spark.said import ENGINE_ERRORS, first_line
from floe.data.spark.schema import readable, struct_of
from floe.data.spark.schema_gate import Fit, fit, identity_outcomes
from floe.data.spark.stage import Staged, check_shared, remove_staging, stage, staging_folder
from floe.data.spark.write import TABLES, read_all
from floe.data.spark.write.state import State, TableMovedError, rows_lost
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
from floe.model.settings import Settings
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


def location_of(spark: SparkSession, target: Target, settings: Settings) -> str:
    """Where the table is, or will be."""
    return str(TABLES[target.format].location(spark, target, settings))


def staging_of(location: str, settings: Settings, run_id: str) -> str:
    """The folder where a run stages its batch for the table at a location."""
    chosen = str(settings["tables.staging"])
    if chosen and "://" not in chosen:
        chosen = str(settings.path("tables.staging"))
    return staging_folder(location, chosen, run_id)


def forgotten_before(spark: SparkSession, target: Target) -> datetime | None:
    """The moment before which the table's own history tells nothing of batches any more."""
    found: datetime | None = TABLES[target.format].forgotten_before(spark, target)
    return found


def batch_commit(spark: SparkSession, target: Target, batch_id: str) -> Commit | None:
    """The commit of a batch that the table still holds."""
    if not exists(spark, target):
        return None
    found: Commit | None = TABLES[target.format].committed(spark, target, Tag("", batch_id, 0))
    return found


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
        remove_staging(df.sparkSession, gate.staging)


class _Ready(NamedTuple):
    """A batch that was staged and judged against one state of the table."""

    staged: Staged
    fitting: Fit
    passage: Passage


def _pass(df: DataFrame, gate: Gate) -> Passage:
    state = _state(df, gate)
    created = state is None
    ready = _prepare(df, gate, state, None)
    if isinstance(ready, Passage):
        return ready
    with gate.lock():
        for _ in range(ROUNDS):
            now = _state(df, gate)
            if now != state:
                # another writer was faster: what it wrote may hold our keys, or be of another schema
                state, ready = now, _prepare(df, gate, now, ready)
                if isinstance(ready, Passage):
                    return ready
            try:
                return replace(publish(ready.staged, gate, ready.fitting, ready.passage, state), created=created)
            except TableMovedError:
                continue
    raise TableError(
        f"{gate.target} was changed by others {ROUNDS} times while the batch was judged",
        "Nothing was written; repeat when it is quieter",
    )


def _prepare(df: DataFrame, gate: Gate, state: State | None, before: _Ready | None) -> _Ready | Passage:
    """Stage and judge a batch against the table's state; the answer itself where there is nothing to write.

    What was staged before is judged again as it is, unless the schema to write changed since.
    """
    known = _known(df, gate, state)
    if known:
        return known
    fitting, chosen = _fit(df, gate, state)
    if fitting.faults and not gate.shadow:
        unfit = _unfit(gate, fitting, state)
        if unfit.verdict is Verdict.REFUSE:
            return unfit
    if before and fitting.schema == before.fitting.schema:
        staged = before.staged
    else:
        failpoint("before-stage")
        if before:
            remove_staging(df.sparkSession, gate.staging)
        else:
            check_shared(df.sparkSession, gate.staging)
        staged = _stage(df, gate, fitting, chosen, state)
        failpoint("staged")
    passage = _judge(staged, gate, fitting, state)
    failpoint("judged")
    return _Ready(staged, fitting, passage)


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
    if state:
        changed = identity_outcomes(gate.plan, state, gate.edition, gate.mode)
        fitting = replace(fitting, faults=(*changed, *fitting.faults))
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


def _stage(df: DataFrame, gate: Gate, fitting: Fit, chosen: list[Column], state: State | None) -> Staged:
    """Write the batch once, and read back just those files: what is judged is what is written."""
    if fitting.faults and gate.layer != "bronze":
        return stage(df.select(*chosen), gate.staging, None)
    rules = () if fitting.faults else _telling(gate)
    ids = None
    if gate.mode == "append":
        ids = TABLES[gate.target.format].field_ids(gate.target, fitting.schema, state is None, gate.settings)
    return stage(df.select(*chosen), gate.staging, fitting.schema, rules, ids)


def _telling(gate: Gate) -> tuple[Expectation, ...]:
    """The rules that no written row may break, where rows that do are set apart."""
    if gate.quarantine is Quarantine.NONE or gate.shadow or gate.layer == "bronze":
        return ()
    strict = [one for one in gate.plan.expectations if one.gated and one.sql and one.operators == {"mustBe": 0}]
    if gate.quarantine is Quarantine.BROKEN:
        return tuple(strict)
    return tuple(one for one in strict if gate.decide((judged(one, Measured(1, 1), "scan"),)) is Verdict.REFUSE)


def _kept(member: Member, name: str, gate: Gate) -> Column:
    """A column of the batch as the table will keep it."""
    column = sql.col(quote(name))
    kind = member.type == Atomic("string") or isinstance(member.type, Text)
    return TABLES[gate.target.format].partition_value(column) if kind and member.name in gate.plan.partition else column


def _judge(staged: Staged, gate: Gate, fitting: Fit, state: State | None) -> Passage:
    if fitting.faults:
        return replace(_unfit(gate, fitting, state), rows=_conserved(staged, staged.rows.count(), gate))
    statistics = file_statistics(staged.files, readable(fitting.schema))
    rows, measured = _measure(staged, gate, statistics, state)
    _conserved(staged, rows, gate)
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


def _conserved(staged: Staged, rows: int, gate: Gate) -> int:
    """The rows that were read back, which must be the rows that the write tasks produced."""
    if rows != staged.produced:
        raise rows_lost(staged.produced, rows, f"what was read back from the staging folder {gate.staging}")
    return rows


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
