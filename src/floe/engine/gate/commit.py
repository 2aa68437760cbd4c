"""The commit of a checked batch: one commit onto the state it was checked against, bad rows to the quarantine, or nothing.

Why no row is lost or doubled: the plan fixes which rows are written and which go to the quarantine, and their numbers add up
to the rows that were staged; the quarantine is written first, under the run's id, so that a repeat replaces what a killed run
left there; the commit carries the run's id and is refused by the format if the table has changed since the check; and
an error of a commit does not mean that it failed: it is looked up in the table's history.

Memory: rows stay in Spark and in the staged files; the driver holds names of files and statistics.

Failure: an unknown state is reported as unknown and never undone; a plan of a killed run is kept (`.floe/pending`) and
looked up by the next run.

Gain: where the format allows it the staged files become the table's own, so a batch is written once. Where it does not, Spark
writes the staged rows again, and the result shows which (`way`).
"""

import time
from collections.abc import Sequence, Set
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession

from floe.engine.gate.as_of import newest_day
from floe.engine.gate.gate import existing_rows
from floe.engine.gate.quarantine import of_rows, split_batch, with_codes, write_quarantine
from floe.engine.gate.request import CommitPlan, GateResult, Judgement, Quarantine, Split, Staged, WriteRequest
from floe.engine.gate.schema_check import SchemaCheck
from floe.engine.gate.staging import places
from floe.engine.metadata.proof import row_count
from floe.lang.sql.literals import quote, text
from floe.model import TableError
from floe.model.result import Outcome, Verdict
from floe.model.types import Struct
from floe.system.failpoint import failpoint
from floe.tables.formats import read_all, writable
from floe.tables.parquet.footers import file_statistics, footers
from floe.tables.spark.errors import ENGINE_ERRORS, answer_lost, first_line
from floe.tables.spark.schema import run_on, struct_of
from floe.tables.state import Commit, State, TableMovedError, Tag
from floe.tables.storage import StoredFile, files_below

_RETRY_AFTER = (0, 1, 3)  # seconds before each search for a commit whose answer was lost


def plan_commit(judgement: Judgement, request: WriteRequest) -> CommitPlan | None:
    """The part of a checked batch that will be committed; None if it is refused."""
    staged, schema = judgement.staged, judgement.schema
    assert staged is not None
    assert schema is not None
    verdict = request.verdict(judgement.outcomes)
    split = None if request.shadow else _split(judgement, request)
    if verdict is Verdict.REFUSE and not split and not request.shadow:
        return None
    rows, files = staged.rows, staged.files
    if split:
        rows, files = split.good, staged.good_files if split.good is staged.good else ()
    quarantined = split.bad_rows if split else 0
    written = (judgement.rows or 0) - quarantined
    as_of = newest_day(rows, request.as_of, files) if request.as_of and written else None
    result = replace(
        judgement.result(verdict),
        written=written,
        quarantined=quarantined,
        created=judgement.state is None,
        as_of=as_of,
        let_through=request.shadow or split is not None,
    )
    tag = request.tag(written)._replace(schema=request.properties(schema.version))
    return CommitPlan(rows=rows, files=files, split=split, schema=schema, state=judgement.state, tag=tag, result=result)


def _split(judgement: Judgement, request: WriteRequest) -> Split | None:
    """Good and bad rows, if the contract has quarantine and all violations belong to single rows."""
    staged, state = judgement.staged, judgement.state
    if request.quarantine is Quarantine.NONE or request.layer == "bronze" or not judgement.rows or not staged:
        return None
    broken = _quarantining(judgement, request)
    if not broken:
        return None
    if split := _split_when_staged(staged, {outcome.id for outcome in broken}):
        return split
    references = read_all(staged.rows.sparkSession, request.references)
    existing = existing_rows(staged.rows, request, state)
    return split_batch(staged.rows, request.plan, broken, existing, references)


def _quarantining(judgement: Judgement, request: WriteRequest) -> list[Outcome]:
    """The outcomes whose rows go to the quarantine: those that refuse a batch, or every broken one of single rows."""
    refusing = [outcome for outcome in judgement.outcomes if request.verdict((outcome,)) is Verdict.REFUSE]
    if request.quarantine is not Quarantine.BROKEN:
        return refusing
    gated = {expectation.id: expectation for expectation in request.plan.expectations if expectation.gated}
    milder = [outcome for outcome in judgement.outcomes if outcome not in refusing and outcome.id in gated]
    return refusing + [outcome for outcome in milder if of_rows(outcome, gated[outcome.id])]


def _split_when_staged(staged: Staged, broken: Set[str]) -> Split | None:
    """The split by the files that bad rows were staged in, where no other rule than those they were staged by is broken."""
    if staged.bad is None or not broken <= {rule.id for rule in staged.rules}:
        return None
    bad = with_codes(staged.bad, [rule for rule in staged.rules if rule.id in broken], None, {})
    counted = row_count(file_statistics(footers(places(staged.bad_files)), Struct(()))) if staged.bad_files else None
    return Split(staged.good, bad, bad.count() if counted is None else counted)


def commit(plan: CommitPlan, request: WriteRequest) -> GateResult:
    """Commit the plan; TableMovedError if another writer committed since, so that it must be checked again."""
    spark, table, schema = plan.rows.sparkSession, writable(request.target), plan.schema
    if plan.split:
        write_quarantine(plan.split, request.target, request.contract, plan.tag)
    failpoint("before-commit")
    if plan.state is None:
        unchecked = schema.faults and request.layer != "bronze"
        columns = struct_of(plan.rows.schema) if unchecked else schema.schema
        there = _create(spark, request, columns, request.properties(schema.version))
    else:
        there = _bring(spark, request, schema, plan.state)
    failpoint("prepared")
    way = None
    if plan.result.written:
        tag = plan.tag._replace(attempt=table.next_attempt(spark, request.target, plan.tag))
        way = _commit_rows(plan, request, tag, there)
    failpoint("after-commit")
    return replace(plan.result, after=table.snapshot(spark, request.target), location=there.location, way=way)


def _commit_rows(plan: CommitPlan, request: WriteRequest, tag: Tag, there: State) -> str | None:
    """Commit the rows; how they were written, None where only the commit's answer was lost."""
    rows = plan.rows
    try:
        return _write(rows, request, tag, () if plan.schema.faults else plan.files, there)
    except (TableMovedError, TableError):
        raise  # already looked up: the commit is not there, or is there and wrong
    except Exception as error:
        if _found(rows, request, tag, error):
            return None
        if writable(request.target).state(rows.sparkSession, request.target) != there:
            raise TableMovedError from error
        raise


def _create(spark: SparkSession, request: WriteRequest, schema: Struct, properties: dict[str, str]) -> State:
    """Create the table, and return its state.

    It stays where the batch cannot be written afterwards: another writer may have put rows into it meanwhile.
    """
    table = writable(request.target)
    try:
        table.create(spark, request.target, schema, request.plan.partition, properties)
    except ENGINE_ERRORS as error:
        if table.exists(spark, request.target):
            raise TableMovedError from error
        raise
    state = table.state(spark, request.target)
    if not table.is_new(state):
        raise TableMovedError
    return state


def _write(rows: DataFrame, request: WriteRequest, tag: Tag, files: Sequence[StoredFile], state: State) -> str:
    """Write rows in one commit onto a table in this state; how they were written."""
    reason = f"mode {request.mode}" if request.mode != "append" else ""
    if not reason and not files:
        elsewhere = not files_below(request.staging.folder)
        reason = "the staged files cannot be listed here" if elsewhere else "a part of the batch"
    if not reason:
        unfit = _commit_files(files, request, tag, state)
        if unfit:
            reason = unfit
        else:
            rows.sparkSession.catalog.refreshByPath(state.location)
            return "the staged files were committed as they are"
    _write_by_spark(rows, request, tag, state)
    return f"Spark wrote the staged rows ({reason})"


def _commit_files(files: Sequence[StoredFile], request: WriteRequest, tag: Tag, state: State) -> str | None:
    """Make the staged files the table's own; else why not. An error that leaves the commit unknown leaves them in doubt."""
    area, table = request.staging, writable(request.target)
    area.in_doubt = area.in_table
    try:
        unfit = table.commit_files(request.target, files, request.plan, tag, state, request.settings)
    except TableMovedError:
        area.in_doubt = False
        raise
    area.in_doubt = False
    if unfit is None and area.in_table:
        area.committed = frozenset(places(files))
    return unfit


def _write_by_spark(rows: DataFrame, request: WriteRequest, tag: Tag, state: State) -> None:
    """Let Spark write rows in one commit, and hold what the commit counted against the batch."""
    table, spark, keys = writable(request.target), rows.sparkSession, request.unique_keys
    if table.state(spark, request.target) != state:
        raise TableMovedError
    if request.mode == "merge":
        table.merge(rows, request.target, request.plan.key, tag, state)
    elif request.mode == "overwrite_partition":
        table.overwrite_partitions(rows, request.target, tag, state)
    else:
        table.append(rows, request.target, tag, keys, state)
    commit = table.commit_of_run(spark, request.target, tag, request.mode)
    if commit is None:
        raise TableMovedError  # Delta skipped it: another run wrote this batch meanwhile
    if commit.rows != tag.rows:
        raise TableError(
            f"{request.target} has {commit.rows} rows of this batch, which has {tag.rows}: commit {commit.snapshot}",
            f"Restore the table to {state.snapshot}, find out what removes files below {request.staging.folder}, and run the batch again",
        )
    if request.mode == "overwrite_partition" and keys and not table.follows(commit, state):
        _check_keys(rows, request, commit, keys)


def _check_keys(rows: DataFrame, request: WriteRequest, commit: Commit, keys: Sequence[tuple[str, ...]]) -> None:
    """Another writer committed while partitions were overwritten: look for keys of the batch in its rows."""
    there = writable(request.target).read(rows.sparkSession, request.target, commit.snapshot)
    for key in keys:
        names = [quote(name) for name in key]
        ours = rows.select(*names).distinct()
        repeated = there.join(ours, list(key), "left_semi").groupBy(*names).count().where("count > 1").count()
        if repeated:
            raise TableError(
                f"{request.target} has {repeated} values of {', '.join(key)} twice: another writer committed rows with these values "
                f"while version {commit.snapshot} overwrote partitions (E551)",
                "Remove one of the two rows; `floe test` shows their keys",
            )


def _found(rows: DataFrame, request: WriteRequest, tag: Tag, error: Exception) -> bool:
    """Whether a commit that answered with an error is in the table all the same: looked up, never guessed.

    TableError where it cannot be known: the table cannot be read, or a catalog whose answer was lost may still be at work.
    """
    lost = answer_lost(error)
    try:
        for seconds in _RETRY_AFTER if lost else (0,):
            time.sleep(seconds)
            found = writable(request.target).committed(rows.sparkSession, request.target, tag)
            if found is not None and found.run_id == tag.run_id:
                return True
    except Exception:  # noqa: BLE001  (whatever keeps us from looking, the answer is unknown)
        lost = True
    if lost:
        raise TableError(
            f"Whether the batch was committed to {request.target} is unknown: {first_line(error)}",
            f"Look for {tag.text} in the history of the table. With a batch_id you can run the batch again: it is not written twice",
        ) from error
    return False


def _bring(spark: SparkSession, request: WriteRequest, schema: SchemaCheck, state: State) -> State:
    """Apply the contract's schema and properties to the table, and return its state."""
    statements = list(schema.changes)
    promised = request.properties(schema.version)
    missing = {key: value for key, value in promised.items() if state.properties.get(key) != value}
    if missing:
        pairs = ", ".join(f"{text(key)} = {text(value)}" for key, value in missing.items())
        statements.append(f"ALTER TABLE {request.target.sql} SET TBLPROPERTIES ({pairs})")
    if not statements:
        return state
    for statement in statements:
        run_on(spark, request.target, statement)
    table = writable(request.target)
    there = table.state(spark, request.target)
    if not table.advanced(state, there, len(statements)):
        raise TableMovedError  # another writer committed between our statements
    return there
