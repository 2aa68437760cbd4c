"""What queries cost, and what they are called in Spark's pages; a Connect session shows neither."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from floe.tables.spark.errors import ENGINE_ERRORS

Cost = dict[str, int | None]
UNKNOWN: Cost = dict.fromkeys(("queries", "jobs", "scans", "files_read", "bytes_read"))
_LATEST = 200
_DESCRIPTION = "spark.job.description"
_FILES = ("number of files read", "number of result data files")


@contextmanager
def running(spark: SparkSession) -> Iterator[None]:
    """What pyspark stumbles over where somebody stopped its context is told as what it is."""
    try:
        yield
    except (AttributeError, AssertionError):
        if hasattr(spark, "_jsparkSession") and not _context(spark):
            raise PySparkException("the Spark session was stopped while floe used it") from None
        raise


@contextmanager
def described(spark: SparkSession, text: str) -> Iterator[None]:
    """Name the jobs of a block; the name that stood there before is put back."""
    context = _context(spark)
    before = context.getLocalProperty(_DESCRIPTION) if context else None
    if context:
        context.setLocalProperty(_DESCRIPTION, f"floe {text}")
    try:
        with running(spark):
            yield
    finally:
        if context and _context(spark):
            context.setLocalProperty(_DESCRIPTION, before)


@contextmanager
def metered(spark: SparkSession, name: str) -> Iterator[Cost]:
    """Count what runs under a name, by this thread or for it; the numbers stand there when the block has ended."""
    cost, context, tag = dict(UNKNOWN), _context(spark), f"floe-{uuid.uuid4().hex}"
    if context is None:
        yield cost
        return
    store = spark._jsparkSession.sharedState().statusStore()
    before = max((value.executionId() for value in _latest(store, 1)), default=-1) + 1
    context.addJobTag(tag)
    try:
        with described(spark, name):
            yield cost
    finally:
        if _context(spark):
            context.removeJobTag(tag)
            cost |= _known(context, tag, store, (before, f"floe {name}"))


def _context(spark: SparkSession) -> Any:
    """The context of a classic session that runs; None on Connect, and where it was stopped or lost."""
    try:
        context: Any = spark.sparkContext
        return None if context._jsc is None or context._jsc.sc().isStopped() else context
    except ENGINE_ERRORS:
        return None


def _known(context: Any, tag: str, store: Any, since: tuple[int, str]) -> Cost:
    """What ran; unknown where Spark no longer keeps it."""
    try:
        return _ran(context, tag, store, since)
    except ENGINE_ERRORS:
        return dict(UNKNOWN)


def _latest(store: Any, number: int) -> Iterator[Any]:
    """The latest queries; Spark keeps a thousand or so."""
    return _each(store.executionsList(max(int(store.executionsCount()) - number, 0), number))


def _ran(context: Any, tag: str, store: Any, since: tuple[int, str]) -> Cost:
    spark = context._jsc.sc()
    spark.listenerBus().waitUntilEmpty()
    jobs = list(spark.statusTracker().getJobIdsForTag(tag))
    queries = sorted(
        (_of_others(value), value.executionId()) for value in _latest(store, _LATEST) if _ours(value, since)
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


def _ours(execution: Any, since: tuple[int, str]) -> bool:
    first, name = since
    return bool(execution.executionId() >= first and str(execution.description()).startswith(name))


def _of_others(execution: Any) -> int:
    """How much a query may read beside the table: row rules nothing, keys nothing but what they refer to."""
    words = str(execution.description())
    if "row rules" in words:
        return 0
    return 2 if "reference " in words else 1


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
    """What a stage read; skipped ones are not kept for long."""
    try:
        return int(app.lastStageAttempt(stage).inputBytes())
    except ENGINE_ERRORS:
        return 0


def _each(found: Any) -> Iterator[Any]:
    """The elements of a Scala sequence."""
    return (found.apply(index) for index in range(found.size()))
