"""Expectations on the rows of a frame: one pass for all row rules, one shuffle per key set, one join per reference.

Jobs run several at once and carry tags: one of the run, by which its jobs are found again to tell what they cost, and one of
what their query reads. A Connect session shows neither.
"""

import uuid
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from threading import Thread
from typing import Any, NamedTuple

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.util import inheritable_thread_target

from floe.engine.plan.expectations import broken_text, rows_text
from floe.engine.spark.keys.bits import dense
from floe.engine.spark.keys.check import check_keys
from floe.engine.spark.keys.columns import whole_keys
from floe.engine.spark.keys.orphans import find_orphans
from floe.engine.spark.keys.result import DuplicateKeys, Edges, KeyStatistics, OrphanKeys, key_statistics
from floe.engine.spark.measure_query import by_table
from floe.engine.spark.row_pass import RowPassRequest, RowPassResult, SampleKey, count_rows, key_of, shown
from floe.model.age import age_outcome
from floe.model.plan import (
    Bounds,
    CommitAge,
    Expectation,
    ForeignKey,
    NotEvaluable,
    Plan,
    Reference,
    RowAge,
    RowCount,
    RowRule,
    RowsPerDay,
    SqlQuery,
    UniqueKey,
)
from floe.model.result import Measured, Outcome, judged_outcome, not_evaluated, without_value
from floe.tables.spark.errors import ENGINE_ERRORS, first_line

Cost = dict[str, int | None]
UNKNOWN: Cost = dict.fromkeys(("queries", "jobs", "scans", "files_read", "bytes_read"))
_LATEST = 200
_DESCRIPTION = "spark.job.description"
_FILES = ("number of files read", "number of result data files")


class QueryReads(IntEnum):
    """What a query may read: the less besides the table, the surer its first scan is the table's."""

    ROWS = 0  # rows of the table, for rules about single rows
    TABLE = 1  # the table, and existing keys
    REFERENCES = 2  # other tables too

    @property
    def tag(self) -> str:
        """The tag of its jobs."""
        return f"floe-reads-{self.name.lower()}"


@contextmanager
def running(spark: SparkSession) -> Iterator[None]:
    """Errors of pyspark after its context was stopped, as one clear error."""
    try:
        yield
    except (AttributeError, AssertionError):
        if hasattr(spark, "_jsparkSession") and not _context(spark):
            raise PySparkException("the Spark session was stopped during the run") from None
        raise


@contextmanager
def described(spark: SparkSession, text: str, reads: QueryReads) -> Iterator[None]:
    """Name the jobs of a block and tag them by what they read; afterwards the previous name is restored."""
    with _labelled(spark, text, reads.tag), running(spark):
        yield


@contextmanager
def _labelled(spark: SparkSession, text: str, tag: str) -> Iterator[None]:
    context = _context(spark)
    before = context.getLocalProperty(_DESCRIPTION) if context else None
    if context:
        context.setLocalProperty(_DESCRIPTION, f"floe {text}")
        context.addJobTag(tag)
    try:
        yield
    finally:
        if context and _context(spark):
            context.removeJobTag(tag)
            context.setLocalProperty(_DESCRIPTION, before)


@contextmanager
def metered(spark: SparkSession, name: str) -> Iterator[Cost]:
    """Count what runs under a name, by this thread or for it; the numbers are available after the block."""
    cost, context, tag = dict(UNKNOWN), _context(spark), f"floe-{uuid.uuid4().hex}"
    if context is None:
        yield cost
        return
    store = spark._jsparkSession.sharedState().statusStore()
    try:
        with _labelled(spark, name, tag), running(spark):
            yield cost
    finally:
        if _context(spark):
            cost |= _known_cost(context, tag, store)


def _context(spark: SparkSession) -> Any:
    """The context of a classic session that runs; None on Connect, and where it was stopped or lost."""
    try:
        context: Any = spark.sparkContext
        return None if context._jsc is None or context._jsc.sc().isStopped() else context
    except ENGINE_ERRORS:
        return None


def _known_cost(context: Any, tag: str, store: Any) -> Cost:
    """What ran; unknown where Spark no longer keeps it."""
    try:
        return _ran(context, tag, store)
    except ENGINE_ERRORS:
        return dict(UNKNOWN)


def _latest(store: Any, number: int) -> Iterator[Any]:
    """The latest queries; Spark keeps a thousand or so."""
    return _each(store.executionsList(max(int(store.executionsCount()) - number, 0), number))


def _ran(context: Any, tag: str, store: Any) -> Cost:
    spark = context._jsc.sc()
    spark.listenerBus().waitUntilEmpty()
    tracker = spark.statusTracker()
    jobs = set(tracker.getJobIdsForTag(tag))
    kinds = {reads: jobs.intersection(tracker.getJobIdsForTag(reads.tag)) for reads in QueryReads}
    queries = sorted(
        (_reads(ran, kinds), execution.executionId())
        for execution in _latest(store, _LATEST)
        if (ran := jobs.intersection(_jobs(execution)))
    )
    scans = {query: _scans(store, query) for _, query in queries}
    first = next((found for found in scans.values() if found), [])
    app = spark.statusStore()
    stages = {stage for job in jobs for stage in _each(app.job(job).stageIds())}
    return {
        "queries": len(queries),
        "jobs": len(jobs),
        "scans": sum(map(len, scans.values())),
        "files_read": None if None in first else max((files or 0 for files in first), default=0),
        "bytes_read": sum(_bytes(app, stage) for stage in stages),
    }


def _jobs(execution: Any) -> set[int]:
    """The ids of a query's jobs."""
    return set(_each(execution.jobs().keys().toSeq()))


def _reads(jobs: set[int], kinds: dict[QueryReads, set[int]]) -> QueryReads:
    """What the query of some jobs reads; one without description may read anything of the table."""
    return next((reads for reads, tagged in kinds.items() if not jobs.isdisjoint(tagged)), QueryReads.TABLE)


def _scans(store: Any, query: int) -> list[int | None]:
    """The scans of a query's plan, each with the number of files it read."""
    values = store.executionMetrics(query)
    nodes = [node for node in _each(store.planGraph(query).allNodes()) if "Scan" in node.name()]
    return [_files(node, values) for node in nodes if not node.name().startswith("LocalTable")]


def _files(node: Any, values: Any) -> int | None:
    found = (values.get(value.accumulatorId()) for value in _each(node.metrics()) if value.name() in _FILES)
    texts = [str(value.get()) for value in found if value.isDefined()]
    return int(texts[0].replace(",", "")) if texts else None


def _bytes(app: Any, stage: int) -> int:
    """What a stage read; skipped stages are not kept for long."""
    try:
        return int(app.lastStageAttempt(stage).inputBytes())
    except ENGINE_ERRORS:
        return 0


def _each(found: Any) -> Iterator[Any]:
    """The elements of a Scala sequence."""
    return (found.apply(index) for index in range(found.size()))


_BESIDE = 3  # threads besides the calling one


def run_concurrently(spark: SparkSession, calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """The results of calls in their order; this thread runs the last one, others keep the tags and names of its jobs.

    If one fails, waiting calls are not started, and running ones are waited for; if the user stops
    this thread, nothing is.
    """
    if len(calls) < 2:
        return [call() for call in calls]
    with running(spark):
        # each call gets its own copy, which has the names of the thread's jobs
        ways = [inheritable_thread_target(spark) for _ in calls[:-1]]
        if not all(map(callable, ways)):  # pyspark without a thread of the JVM for each of Python's
            return [call() for call in calls]
        return _Calls([way(call) for way, call in zip(ways, calls, strict=False)]).answered(calls[-1])


class _Calls:
    """Calls that some threads take one after the other; these do not keep a process from ending."""

    def __init__(self, calls: Sequence[Callable[[], Any]]) -> None:
        self.answers: list[Any] = [None] * len(calls)
        self.failures: list[BaseException] = []
        self.waiting = list(enumerate(calls))

    def answered(self, last: Callable[[], Any]) -> list[Any]:
        """All answers; the last call is made meanwhile."""
        threads = [Thread(target=self._work, name="floe", daemon=True) for _ in self.waiting[:_BESIDE]]
        for thread in threads:
            thread.start()
        self.answers.append(self._asked(last))
        try:
            for thread in threads:
                thread.join()
        except BaseException:
            self.waiting.clear()
            raise
        if self.failures:
            raise self.failures[0]
        return self.answers

    def _asked(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except Exception as failure:  # noqa: BLE001  (raised again, by the thread that asks, when no other runs)
            self.waiting.clear()
            self.failures.append(failure)
        except BaseException:
            self.waiting.clear()
            raise

    def _work(self) -> None:
        while self.waiting:
            try:
                place, call = self.waiting.pop(0)
            except IndexError:  # another thread was first
                return
            self.answers[place] = self._asked(call)


_Answers = dict[str, DuplicateKeys | OrphanKeys | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRequest:
    """The rows to check and their expectations.

    `existing` are the rows in the table already, whose keys may not come again; at a `gate` the rows are a batch's,
    and rules on the whole table are left out. `unread` has the reason why a referenced table could not be read.
    `total` is how many rows there are, where that is known; those that break nothing need not be among the rows then.
    `bounds` contain all values of columns, where they are known; `clustered` is whether each file
    of a column has its own range of values; `common` are frequent values of text columns.
    """

    rows: DataFrame
    plan: Plan
    salt: str
    existing: DataFrame | None = None
    references: Mapping[str, DataFrame] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    gate: bool = True
    now: int = 0
    total: int | None = None
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    clustered: Mapping[str, bool] = field(default_factory=dict)
    common: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Measurements(NamedTuple):
    """The results of the queries: the row pass, the key in its samples, and by id the result of keys, or its error."""

    counted: RowPassResult
    key: SampleKey
    answers: Mapping[str, DuplicateKeys | OrphanKeys | str]


def measure(scene: MeasureRequest) -> tuple[int, list[Outcome]]:
    """The number of rows, and the outcome of each expectation."""
    asked = [expectation for expectation in scene.plan.expectations if expectation.gated or not scene.gate]
    key = key_of(scene.rows, scene.plan.key)
    rules = [expectation for expectation in asked if isinstance(expectation.check, RowRule | RowAge)]
    unfollowed = {
        expectation.id: cause
        for expectation in asked
        if isinstance(expectation.check, ForeignKey) and (cause := _no_target(scene, expectation.check.target))
    }
    edges, keyed = (
        _edges(scene, asked),
        [
            expectation
            for expectation in asked
            if isinstance(expectation.check, UniqueKey | ForeignKey) and expectation.id not in unfollowed
        ],
    )
    rows = partial(_counted_rows, scene, key, rules, edges)
    if edges or scene.total is None:  # how a key is checked depends on the result of the row pass
        counted = rows()
        calls = _key_calls(scene, key, keyed, counted)
        found = run_concurrently(scene.rows.sparkSession, calls)
    else:
        calls = _key_calls(scene, key, keyed, RowPassResult(scene.total, {}))
        *found, counted = run_concurrently(scene.rows.sparkSession, [*calls, rows])
    seen = Measurements(counted, key, {**counted.causes, **unfollowed, **ChainMap(*found)})
    return counted.rows, [_measured(scene, each_expectation, seen) for each_expectation in scene.plan.expectations]


def _counted_rows(scene: MeasureRequest, key: SampleKey, rules: list[Expectation], edges: list[str]) -> RowPassResult:
    """The row pass; nothing is read if everything is known."""
    if scene.total is not None and not rules and not edges:
        return RowPassResult(scene.total, {})
    with described(scene.rows.sparkSession, f"{scene.plan.contract}: {len(rules)} row rules", QueryReads.ROWS):
        return count_rows(RowPassRequest(scene.rows, key, rules, scene.now, edges, scene.total, scene.common))


def _measured(scene: MeasureRequest, expectation: Expectation, seen: Measurements) -> Outcome:
    answer, total = seen.answers.get(expectation.id), seen.counted.rows
    if scene.gate and not expectation.gated:
        return not_evaluated(expectation)
    if isinstance(answer, str):
        return not_evaluated(expectation, answer)
    if isinstance(answer, OrphanKeys):
        return _referring(scene, expectation, answer, total)
    if isinstance(answer, DuplicateKeys):
        return _unique(scene, expectation, answer, total)
    match expectation.check:
        case RowRule() | RowAge():
            return _counted(scene, expectation, seen)
        case SqlQuery() | RowsPerDay():
            return by_table(scene, expectation)
        case RowCount():
            return outcome(scene, expectation, (total, total), f"'{expectation.field}' has {rows_text(total)}")
        case NotEvaluable(cause):
            return not_evaluated(expectation, None if scene.gate else cause)
        case CommitAge():
            return not_evaluated(expectation, None if scene.gate else "the time of the last commit is unknown")
    return not_evaluated(expectation)


def _counted(scene: MeasureRequest, expectation: Expectation, seen: Measurements) -> Outcome:
    number = seen.counted.numbers[expectation.id]
    if isinstance(expectation.check, RowAge):
        return _aged(scene, expectation, number)
    samples = shown(seen.counted.samples.get(expectation.id), seen.key, scene.plan, scene.salt)
    return outcome(scene, expectation, (number or 0, seen.counted.rows), broken_text(expectation, number or 0), samples)


def _edges(scene: MeasureRequest, asked: list[Expectation]) -> list[str]:
    """The whole-number key columns whose minimum and maximum show how dense they are, unless they are known."""
    keys = [
        key_of(scene.rows, expectation.check.columns)
        for expectation in asked
        if isinstance(expectation.check, ForeignKey)
        or (isinstance(expectation.check, UniqueKey) and scene.existing is None)
    ]
    columns = {
        name for sample_key in keys if len(sample_key.whole) == len(sample_key.names) for name in sample_key.names
    }
    return sorted(columns - set(scene.bounds))


def _dense(scene: MeasureRequest, columns: Sequence[str], counted: RowPassResult) -> Edges:
    """The bounds of a whole-number key if one bit per possible key is cheap; they become part of a query."""
    if scene.plan.masked & set(columns) or len(key_of(scene.rows, columns).whole) < len(columns):
        return None
    return dense([scene.bounds.get(column) or counted.edges(column) for column in columns], counted.rows)


def _known(scene: MeasureRequest, columns: Sequence[str], counted: RowPassResult) -> KeyStatistics:
    seen = {name: edges for name in columns if (edges := counted.edges(name))}
    between, bounds = _dense(scene, columns, counted), {**seen, **scene.bounds}
    return key_statistics(columns, between, counted.rows, scene.clustered, bounds, scene.plan.masked)


def _key_calls(
    scene: MeasureRequest, key: SampleKey, asked: list[Expectation], counted: RowPassResult
) -> list[Callable[[], _Answers]]:
    """One query per distinct key set, with the references from just these columns; one per other reference."""
    sets = dict.fromkeys(_set(expectation) for expectation in asked if not expectation.reference)
    calls: list[Callable[[], _Answers]] = []
    for columns in sets:
        mine = [expectation for expectation in asked if _set(expectation) == columns and not expectation.reference]
        along = [expectation for expectation in asked if _set(expectation) == columns and expectation.reference]
        calls.append(partial(_key_set, scene, columns, mine, along, counted))
    others = [expectation for expectation in asked if expectation.reference and _set(expectation) not in sets]
    # what has most stages begins first
    return [*(partial(_reference, scene, key, other, counted) for other in others), *calls]


def _set(expectation: Expectation) -> tuple[str, ...]:
    return tuple(sorted(expectation.key))


def _key_set(
    scene: MeasureRequest,
    columns: tuple[str, ...],
    mine: list[Expectation],
    along: list[Expectation],
    counted: RowPassResult,
) -> _Answers:
    targets = [_target(scene, expectation, columns) for expectation in along]
    try:
        words = [f"key ({', '.join(columns)})", *(f"reference {expectation.reference}" for expectation in along)]
        reads = QueryReads.REFERENCES if along else QueryReads.TABLE
        with described(scene.rows.sparkSession, f"{scene.plan.contract}: {', '.join(words)}", reads):
            known = _known(scene, columns, counted)
            repeated, lost = check_keys(scene.rows, key_of(scene.rows, columns), scene.existing, targets, known)
    except ENGINE_ERRORS as error:
        return dict.fromkeys([expectation.id for expectation in (*mine, *along)], f"Spark: {first_line(error)}")
    found = {one.id: answer for one, answer in zip(along, lost, strict=True)}
    return {**dict.fromkeys([expectation.id for expectation in mine], repeated), **found}


def _reference(scene: MeasureRequest, key: SampleKey, expectation: Expectation, counted: RowPassResult) -> _Answers:
    try:
        text = f"{scene.plan.contract}: reference {expectation.reference}"
        with described(scene.rows.sparkSession, text, QueryReads.REFERENCES):
            target = _target(scene, expectation, expectation.key)
            edges = _dense(scene, expectation.key, counted)
            return {expectation.id: find_orphans(scene.rows, key, expectation.key, target, edges)}
    except ENGINE_ERRORS as error:
        return {expectation.id: f"Spark: {first_line(error)}"}


def _target(scene: MeasureRequest, expectation: Expectation, columns: tuple[str, ...]) -> DataFrame:
    """The keys that the columns, in this order, may refer to."""
    assert expectation.reference is not None
    column = dict(zip(expectation.key, expectation.reference.columns, strict=True))
    return whole_keys(scene.references[expectation.reference.dataset], [column[name] for name in columns])


def _no_target(scene: MeasureRequest, target: Reference) -> str | None:
    """Why a reference cannot be followed."""
    if target.dataset in scene.unread:
        return f"'{target.dataset}' cannot be read: {scene.unread[target.dataset]}"
    others = scene.references.get(target.dataset)
    if others is None:
        return f"no table found for '{target.dataset}': pass --reference {target.dataset}=TABLE"
    missing = [column for column in target.columns if column not in others.columns]
    return f"'{target.dataset}' has no column '{missing[0]}'" if missing else None


def outcome(
    scene: MeasureRequest,
    expectation: Expectation,
    numbers: tuple[int, int],
    message: str,
    samples: tuple[Any, ...] = (),
    method: str | None = None,
) -> Outcome:
    """The outcome of an expectation whose number is known, of how many rows."""
    return judged_outcome(expectation, Measured(*numbers, message, samples, method), "scan", empty_passes=scene.gate)


def _unique(scene: MeasureRequest, expectation: Expectation, found: DuplicateKeys, total: int) -> Outcome:
    of_batch = " of the batch" if scene.gate else ""
    said = [f"'{expectation.field}' is duplicated in {rows_text(found.twice)}{of_batch}"] * bool(found.twice)
    said += [f"'{expectation.field}' of {rows_text(found.there)} is already in the table"] * bool(found.there)
    samples = shown(found.samples, found.key, scene.plan, scene.salt)
    # a row counts once: of a key that is in the table all rows are bad, of another one all but the first
    return outcome(
        scene, expectation, (found.twice + found.keys_there, total), " and ".join(said), samples, found.method
    )


def _referring(scene: MeasureRequest, expectation: Expectation, found: OrphanKeys, total: int) -> Outcome:
    message = broken_text(expectation, found.rows)
    samples = shown(found.samples, found.key, scene.plan, scene.salt)
    return outcome(scene, expectation, (found.rows, total), message, samples, found.method)


def _aged(scene: MeasureRequest, expectation: Expectation, then: int | None) -> Outcome:
    if then is None:
        return without_value(expectation)
    return age_outcome(expectation, scene.now - int(then), "scan")
