"""Queries that do not wait for one another: while one is planned or ends, others have the cores."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pyspark.sql import SparkSession
from pyspark.util import inheritable_thread_target

_AT_ONCE = 4


def together(spark: SparkSession, calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """What calls answer, in their order; jobs keep the tags and the name that this thread gives them."""
    # each call gets a copy of its own: what a thread names its jobs stands there
    ways = [inheritable_thread_target(spark) for _ in calls]
    if len(calls) < 2 or not all(map(callable, ways)):  # pyspark without a thread of the JVM for each of Python's
        return [call() for call in calls]
    pool = ThreadPoolExecutor(_AT_ONCE, "floe")
    try:
        begun = [pool.submit(way(call)) for way, call in zip(ways, calls, strict=True)]
        return [one.result() for one in begun]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
