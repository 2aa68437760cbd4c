"""Queries that do not wait for one another: while one is planned or ends, others have the cores."""

from collections.abc import Callable, Sequence
from threading import Thread
from typing import Any

from pyspark.sql import SparkSession
from pyspark.util import inheritable_thread_target

from floe.engine.spark.cost import running

_BESIDE = 3  # threads beside the one that asks


def run_concurrently(spark: SparkSession, calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """What calls answer, in their order; the last is asked by this thread, others keep the tags and names of its jobs.

    Where one fails, those that wait are not asked any more, and those that run are waited for; where the user stops
    this thread, nothing is.
    """
    if len(calls) < 2:
        return [call() for call in calls]
    with running(spark):
        # each call gets a copy of its own: what a thread names its jobs stands there
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
