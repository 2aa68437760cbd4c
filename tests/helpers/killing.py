"""A batch written by a process that dies at a place of the gate, again and again: forked, so that a hundred take minutes."""

import multiprocessing
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.helpers.orders import frame, order

FAILPOINTS = ("before-stage", "staged", "judged", "before-commit", "prepared", "after-commit")


def batch(spark: Any, mode: str, number: int) -> Any:
    """What batch `number` brings: two new rows; a changed and a new one; two rows for a partition."""
    if mode == "append":
        return frame(spark, order(number, status="shipped"), order(number + 1))
    if mode == "merge":
        return frame(spark, order(1, amount=Decimal(number)), order(number))
    return frame(spark, order(number, status="shipped"), order(number + 1, status="shipped"))


def after(before: list[tuple], mode: str, number: int) -> list[tuple]:
    """The table's rows after batch `number`, by hand."""
    if mode == "append":
        return [*before, (number, "shipped", "9.90"), (number + 1, "placed", "9.90")]
    if mode == "merge":
        return [(1, "placed", f"{number}.00"), *before[1:], (number, "placed", "9.90")]
    return [before[0], (number, "shipped", "9.90"), (number + 1, "shipped", "9.90")]


def write(values: dict[str, Any], root: str, table: str, mode: str, number: int, place: str) -> None:
    """Write batch `number`; die at `place`."""
    os.environ["FLOE_FAILPOINT"] = place
    import floe
    from floe.actions.load.settings import load_settings
    from floe.engine.spark.session import own_session

    settings = load_settings(values, start=Path(root))
    spark = own_session(settings)
    floe.enforce(batch(spark, mode, number), table, mode=mode, batch_id=f"b{number}", settings=settings)


def die(*given: Any) -> int:
    """The exit code of a process that writes and dies; it is forked from one that has imported all it needs."""
    fork = multiprocessing.get_context("forkserver")
    fork.set_forkserver_preload(
        ["tests.helpers.killing", "floe.actions.enforce", "pyspark.sql.connect.session", "deltalake"]
    )
    child = fork.Process(target=write, args=given)
    child.start()
    child.join(300)
    assert child.exitcode is not None, f"hangs: {given}"
    return child.exitcode
