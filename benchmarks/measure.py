"""A session and what Spark did in it: time, task CPU, queries, jobs, rows read, bytes shuffled; needs pyspark alone."""

import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

# floe's own code for Spark's JVM, as sessions that floe starts have it; nobody else asks for it
_JAR = Path(__file__).parent.parent / "src" / "floe" / "engine" / "spark" / "jar" / "floe.jar"
_SCANS = ("Scan ", "BatchScan", "InMemoryTableScan")


@dataclass(frozen=True, slots=True)
class Round:
    """What one call cost."""

    cpu: float
    wall: float
    queries: float
    jobs: float
    scanned: float  # rows that came out of files and caches
    shuffled: float  # MB


def session(name: str = "floe benchmark") -> Any:
    """Two cores, four GB, eight partitions: the same for everyone who is measured."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    conf = {
        "spark.jars": str(_JAR),
        "spark.driver.memory": "4g",
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.files.maxPartitionBytes": "32m",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local[2]").appName(name)
    for key, value in conf.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def timed(spark: Any, call: Callable[[], Any]) -> tuple[Any, Round]:
    """A call's answer, and what Spark did from its begin to its end."""
    engine = spark.sparkContext._jsc.sc()
    app, store = engine.statusStore(), spark._jsparkSession.sharedState().statusStore()
    engine.listenerBus().waitUntilEmpty()
    last, queries = _newest_job(app), store.executionsCount()
    started = time.perf_counter()
    answer = call()
    wall = time.perf_counter() - started
    engine.listenerBus().waitUntilEmpty()
    jobs = [job for job in _each(app.jobsList(None)) if job.jobId() > last]
    stages = [app.lastStageAttempt(one) for one in {one for job in jobs for one in _each(job.stageIds())}]
    ran = store.executionsCount() - queries
    return answer, Round(
        cpu=sum(stage.executorCpuTime() for stage in stages) / 1e9,
        wall=wall,
        queries=ran,
        jobs=len(jobs),
        scanned=sum(_scanned(store, one.executionId()) for one in _each(store.executionsList(queries, ran))),
        shuffled=sum(stage.shuffleWriteBytes() for stage in stages) / 1e6,
    )


def _each(found: Any) -> Iterator[Any]:
    """What a Scala sequence holds."""
    return (found.apply(index) for index in range(found.size()))


def _newest_job(app: Any) -> int:
    return max((int(job.jobId()) for job in _each(app.jobsList(None))), default=-1)


def _scanned(store: Any, query: int) -> int:
    """Rows that the scans of a query gave."""
    nodes = [node for node in _each(store.planGraph(query).allNodes()) if node.name().startswith(_SCANS)]
    wanted = [one.accumulatorId() for node in nodes for one in _each(node.metrics()) if _is_rows(one)]
    values = store.executionMetrics(query)
    said = [values.get(one) for one in wanted]
    return sum(int(one.get().replace(",", "")) for one in said if one.isDefined())


def _is_rows(metric: Any) -> bool:
    return bool(metric.name() == "number of output rows")


def race(spark: Any, calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, tuple[Any, Round]]:
    """Every call's answer and median round, after one to warm up."""
    answers = {name: call() for name, call in calls.items()}
    taken: dict[str, list[Round]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            answers[name], done = timed(spark, call)
            taken[name].append(done)
    return {name: (answers[name], median(done)) for name, done in taken.items()}


def median(rounds: list[Round]) -> Round:
    """The median of each number."""
    return Round(*(statistics.median(getattr(one, part.name) for one in rounds) for part in fields(Round)))


class PeakMemory:
    """The most memory that this process and all it started held at once, in MB; 0 where /proc is not there."""

    def __init__(self) -> None:
        self.peak, self._over = 0.0, threading.Event()
        self._watching = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "PeakMemory":
        self._watching.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watching.join()

    def _watch(self) -> None:
        while not self._over.wait(0.2):
            self.peak = max(self.peak, sum(map(_resident, _family(os.getpid()))))


def _family(process: int) -> Iterator[int]:
    yield process
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = path.read_text().split()
        except OSError:  # it ended
            continue
        for child in children:
            yield from _family(int(child))


def _resident(process: int) -> float:
    try:
        said = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) / 1e3 for line in said.splitlines() if line.startswith("VmRSS"))
