"""The table of one MAJOR of a contract, among its possible names."""

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from floe.engine.spark.session import own_session
from floe.model import TableError
from floe.model.contract import Target, Version
from floe.settings import Settings
from floe.tables import reader_of
from floe.tables.formats import readable, writable
from floe.tables.spark.errors import ENGINE_ERRORS, cause_of, first_line


def read_pinned(
    targets: Sequence[Target], name: str, major: int, snapshot: str | None, settings: Settings
) -> DataFrame:
    """The rows of the first table that exists and has the MAJOR, or does not name any."""
    spark, others = own_session(settings), []
    for target in targets:
        try:
            if not readable(target).exists(spark, target):
                continue
            holds = _recorded(spark, target)
            said = Version.read(holds.rpartition(":")[2])
            if said is None or said.major == major:
                return _rows(spark, target, snapshot)
        except ENGINE_ERRORS as error:
            raise TableError(
                f"{target} cannot be read: {first_line(error)}",
                "Check the table and the snapshot",
                cause=cause_of(error),
            ) from None
        others.append(f"{target} belongs to {holds}")
    raise TableError(
        f"There is no table of {name} {major}.x: {'; '.join(others) or f'{targets[0]} does not exist'}",
        "Write it with floe.enforce, migrate it with `floe migrate`, or pass it as table=",
        "E534" if others else "E531",
    )


def _recorded(spark: SparkSession, target: Target) -> str:
    """The contract in the properties of a table; files without a log have none."""
    if not reader_of(target).can_commit(target):
        return ""
    return writable(target).state(spark, target).properties.get("floe.contract", "")


def _rows(spark: SparkSession, target: Target, snapshot: str | None) -> DataFrame:
    """The rows, with an error for a wrong snapshot now and not at the first use."""
    rows: DataFrame = readable(target).read(spark, target, snapshot)
    _ = rows.schema
    return rows
