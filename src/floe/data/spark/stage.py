"""A batch written once and read back: what is judged is what is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as sql
from pyspark.sql.types import BooleanType, StructType

from floe.data.spark.schema import by_name, struct_type
from floe.model.plan import Expectation
from floe.model.types import Struct


@dataclass(frozen=True, slots=True)
class Staged:
    """The staged rows; where rules told bad rows from good ones on the way, both stand in files of their own.

    There are no files where Spark runs elsewhere and writes to a disk that is not ours.
    """

    rows: DataFrame
    good: DataFrame
    bad: DataFrame | None
    files: tuple[Path, ...]
    good_files: tuple[Path, ...]
    rules: tuple[Expectation, ...] = ()

    @property
    def bad_files(self) -> tuple[Path, ...]:
        """The files of rows that break a rule."""
        good = set(self.good_files)
        return tuple(file for file in self.files if file not in good)


def stage(df: DataFrame, folder: Path, schema: Struct | None, rules: Sequence[Expectation] = ()) -> Staged:
    """Write a frame once below a folder; rows that break one of the rules apart from the others.

    Args:
        df: the batch.
        folder: where; it is not there yet.
        schema: to read it back with; as Spark finds it, unless given.
        rules: by which rows are told.
    """
    reader = by_name(df.sparkSession)
    if not rules or schema is None:
        df.write.mode("error").parquet(str(folder))
        rows, files = (
            (reader.schema(struct_type(schema)) if schema else reader).parquet(str(folder)),
            tuple(sorted(folder.glob("*.parquet"))),
        )
        return Staged(rows, rows, None, files, files)
    sign = "floe_ok"
    while sign in {name.casefold() for name in df.columns}:
        sign += "_"
    broken = " OR ".join(f"coalesce({one.sql}, false)" for one in rules)
    df.withColumn(sign, sql.expr(f"NOT ({broken})")).write.partitionBy(sign).mode("error").parquet(str(folder))
    signed = StructType([*struct_type(schema).fields]).add(sign, BooleanType())
    rows = reader.schema(signed).parquet(str(folder))
    good, bad = (rows.where(sql.col(sign) == sql.lit(ok)).drop(sign) for ok in (True, False))
    files = tuple(sorted(folder.glob("*/*.parquet")))
    return Staged(rows.drop(sign), good, bad, files, tuple(sorted(folder.glob(f"{sign}=true/*.parquet"))), tuple(rules))
