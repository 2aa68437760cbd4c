"""The write gate: stage once, judge what was staged, then publish just that or nothing."""

import shutil
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sql

from floe.data.plan.schema import columns, differences, schema_outcomes
from floe.data.plan.sql import quote, text
from floe.data.prove import prove, row_count
from floe.data.spark.as_of import newest_day
from floe.data.spark.capture import captured
from floe.data.spark.measure import Scene, measure
from floe.data.spark.quarantine import Split, part, quarantine_of
from floe.data.spark.said import ENGINE_ERRORS, first_line
from floe.data.spark.schema import readable, struct_of, struct_type
from floe.data.spark.schema_gate import Edition, Fit, fit
from floe.data.spark.write import TABLES, read_all
from floe.data.spark.write.state import State
from floe.data.spark.write.tag import Commit, Tag
from floe.data.tables.parquet import file_statistics
from floe.model import EngineError, TableError
from floe.model.decision import Verdict
from floe.model.failpoint import failpoint
from floe.model.outcome import unmeasured
from floe.model.plan import Plan
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Everything a gate needs besides the rows."""

    plan: Plan
    target: Target
    layer: str
    mode: str
    staging: Path
    salt: str
    contract: str
    edition: Edition
    run_id: str
    batch_id: str | None
    shadow: bool
    quarantine: bool
    as_of: str | None  # the column that dates a Gold snapshot
    inputs: tuple[Outcome, ...]  # what was found wrong with the frames the batch was made of
    references: Mapping[str, Target]
    decide: Callable[[tuple[Outcome, ...]], Verdict]
    lock: Callable[[], AbstractContextManager[None]]
    intend: Callable[["Passage"], None]  # keeps what is about to be committed, so that a killed run can be told
    settings: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What happened at the gate."""

    outcomes: tuple[Outcome, ...]
    verdict: Verdict
    schema_version: int
    rows: int | None = None
    written: int = 0
    quarantined: int = 0
    created: bool = False
    before: str | None = None
    after: str | None = None
    location: str = ""
    repeated: Commit | None = None
    way: str | None = None
    as_of: date | None = None  # the newest day of the written rows
    let: bool = False  # through in shadow, or with its bad rows in quarantine
    notes: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether nothing was written because of what was found."""
        return self.verdict is Verdict.REFUSE and not self.let


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
                return _publish(staged, gate, fitting, passage, state)
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
    commit = TABLES[gate.target.format].committed(df.sparkSession, gate.target, _tag(gate, 0))
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


def _stage(df: DataFrame, gate: Gate, fitting: Fit, chosen: list[Column]) -> DataFrame:
    """Write the batch once, and read back just those files: what is judged is what is written."""
    df.select(*chosen).write.mode("error").parquet(str(gate.staging))
    reader = df.sparkSession.read
    if not fitting.faults or gate.layer == "bronze":
        reader = reader.schema(struct_type(fitting.schema))
    return reader.parquet(str(gate.staging))


def _kept(member: Member, name: str, gate: Gate) -> Column:
    """A column of the batch as the table will keep it."""
    column = sql.col(quote(name))
    kind = member.type == Atomic("string") or isinstance(member.type, Text)
    return TABLES[gate.target.format].partition_value(column) if kind and member.name in gate.plan.partition else column


def _judge(staged: DataFrame, gate: Gate, fitting: Fit, state: State | None) -> Passage:
    if fitting.faults:
        return replace(_unfit(gate, fitting, state), rows=staged.count())
    rows, measured = _measure(staged, gate, fitting, state)
    outcomes = (*gate.inputs, *schema_outcomes(gate.plan.dataset, [], gate.layer), *measured)
    before = state.snapshot if state else None
    return Passage(
        outcomes=outcomes,
        verdict=gate.decide(outcomes),
        schema_version=fitting.version,
        rows=rows,
        before=before,
        after=before,
        notes=fitting.notes,
    )


def _measure(staged: DataFrame, gate: Gate, fitting: Fit, state: State | None) -> tuple[int, list[Outcome]]:
    """What came of each expectation: kept ones by the footers of the staged files, the others by reading them."""
    files = _files(gate)  # none where Spark runs elsewhere and writes to a disk that is not ours
    statistics = file_statistics(files, readable(fitting.schema))
    asked = [one for one in gate.plan.expectations if one.gated and files]
    kept = {one.id: one for one in prove(asked, statistics) if one.outcome == PASS}
    left = tuple(one for one in gate.plan.expectations if one.id not in kept)
    rows = row_count(statistics) if files else None
    if rows is None or any(one.gated for one in left):
        plan = replace(gate.plan, expectations=left)
        others, existing = read_all(staged.sparkSession, gate.references), _existing(staged, gate, state)
        rows, found = measure(Scene(rows=staged, plan=plan, salt=gate.salt, existing=existing, references=others))
    else:
        found = [unmeasured(one) for one in left]
    by_id = {**kept, **{one.id: one for one in found}}
    return rows, [by_id[one.id] for one in gate.plan.expectations]


def _files(gate: Gate) -> list[Path]:
    return sorted(gate.staging.glob("*.parquet"))


def _existing(staged: DataFrame, gate: Gate, state: State | None) -> DataFrame | None:
    """The rows that stay beside the batch, whose keys may not come again."""
    if state is None or state.snapshot is None or gate.mode == "merge":
        return None
    there: DataFrame = TABLES[gate.target.format].read(staged.sparkSession, gate.target, state.snapshot)
    if gate.mode == "append":
        return there
    replaced = staged.select(*(sql.col(quote(name)).alias(f"floe {name}") for name in gate.plan.partition)).distinct()
    same = [sql.col(quote(name)).eqNullSafe(sql.col(quote(f"floe {name}"))) for name in gate.plan.partition]
    return there.join(replaced, same, "left_anti")


def _tag(gate: Gate, rows: int) -> Tag:
    return Tag(gate.run_id, gate.batch_id, rows)


def _publish(staged: DataFrame, gate: Gate, fitting: Fit, passage: Passage, state: State | None) -> Passage:
    if passage.verdict is Verdict.REFUSE and not gate.shadow:
        split = _split(staged, gate, passage, state)
        if split is None:
            return passage
        return _commit(split.good, gate, fitting, replace(passage, quarantined=split.bad_rows, let=True), state, split)
    return _commit(staged, gate, fitting, replace(passage, let=gate.shadow), state, None)


def _split(staged: DataFrame, gate: Gate, passage: Passage, state: State | None) -> Split | None:
    """Good and bad rows, where the contract asks for quarantine and rows are all that is wrong."""
    refusing = [one for one in passage.outcomes if gate.decide((one,)) is Verdict.REFUSE]
    if not gate.quarantine or not passage.rows:
        return None
    references = read_all(staged.sparkSession, gate.references)
    return part(staged, gate.plan, refusing, _existing(staged, gate, state), references)


def _commit(
    rows: DataFrame, gate: Gate, fitting: Fit, passage: Passage, state: State | None, split: Split | None
) -> Passage:
    spark, table = rows.sparkSession, TABLES[gate.target.format]
    written = (passage.rows or 0) - passage.quarantined
    tag = _tag(gate, written)._replace(schema=_properties(gate, fitting))
    as_of = newest_day(rows, gate.as_of, () if split else _files(gate)) if gate.as_of and written else None
    intended = replace(passage, written=written, created=state is None, as_of=as_of)
    gate.intend(intended)
    if split:
        quarantine_of(split, gate.target, gate.contract, tag)
    failpoint("before-commit")
    if state is None:
        properties = _properties(gate, fitting)
        schema = struct_of(rows.schema) if fitting.faults and gate.layer != "bronze" else fitting.schema
        table.create(spark, gate.target, schema, gate.plan.partition, properties)
    else:
        _bring(spark, gate, fitting, state)
    failpoint("prepared")
    way = None
    if written:
        try:
            way = _write(rows, gate, tag, whole=split is None and not fitting.faults)
        except Exception as error:
            if not _found(rows, gate, tag, error):
                if state is None:
                    table.drop(spark, gate.target)
                raise
    failpoint("after-commit")
    now = table.state(spark, gate.target)
    return replace(intended, after=now.snapshot, location=now.location, way=way)


def _write(rows: DataFrame, gate: Gate, tag: Tag, whole: bool) -> str:
    """Publish rows in one commit; by what way is said."""
    table = TABLES[gate.target.format]
    reason = f"mode {gate.mode}" if gate.mode != "append" else "" if whole else "a part of the batch"
    if not reason and not _files(gate):
        reason = "the staged files are not on this machine"
    if not reason:
        state = table.state(rows.sparkSession, gate.target)
        reason = table.commit_files(gate.target, _files(gate), gate.plan, tag, state, gate.settings)
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


def _bring(spark: SparkSession, gate: Gate, fitting: Fit, state: State) -> None:
    """Bring the table to the contract's schema, and let it say which contract holds it."""
    for statement in fitting.changes:
        gate.settings.say(f"· {statement}")
        spark.sql(statement)
    missing = {key: value for key, value in _properties(gate, fitting).items() if state.properties.get(key) != value}
    if missing:
        pairs = ", ".join(f"{text(key)} = {text(value)}" for key, value in missing.items())
        spark.sql(f"ALTER TABLE {gate.target.sql} SET TBLPROPERTIES ({pairs})")
