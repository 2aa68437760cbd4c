"""Spark jobs: several at once, what they cost, and what they are called in Spark's pages; a Connect session shows neither.

Jobs carry tags: one of the run, by which its jobs are found again, and one of what their query reads.
"""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from threading import Thread
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.util import inheritable_thread_target

from floe.tables.spark.errors import ENGINE_ERRORS

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
            cost |= _known(context, tag, store)


def _context(spark: SparkSession) -> Any:
    """The context of a classic session that runs; None on Connect, and where it was stopped or lost."""
    try:
        context: Any = spark.sparkContext
        return None if context._jsc is None or context._jsc.sc().isStopped() else context
    except ENGINE_ERRORS:
        return None


def _known(context: Any, tag: str, store: Any) -> Cost:
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
