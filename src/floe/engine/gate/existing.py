"""The rows of the table that stay beside a batch, with whose keys those of the batch may not collide."""

from pyspark.sql import DataFrame, functions as sql

from floe.engine.gate.request import WriteRequest
from floe.lang.sql.literals import quote
from floe.tables.formats import writable
from floe.tables.state import State


def existing_rows(staged: DataFrame, request: WriteRequest, state: State | None) -> DataFrame | None:
    """The rows that stay beside the batch, whose keys may not come again."""
    if state is None or state.snapshot is None or request.mode == "merge":
        return None
    there = writable(request.target).read_state(staged.sparkSession, request.target, state)
    if request.mode == "append":
        return there
    replaced = staged.select(
        *(sql.col(quote(name)).alias(f"floe {name}") for name in request.plan.partition)
    ).distinct()
    same = [sql.col(quote(name)).eqNullSafe(sql.col(quote(f"floe {name}"))) for name in request.plan.partition]
    return there.join(replaced, same, "left_anti")
