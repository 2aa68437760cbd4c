"""A batch written once and read back: what is checked is what is written.

Staging is in the table's own storage, in the folder of the table, because executors write it and the driver reads it back: on a disk
of the driver only, executors on other machines would fill their own disks, and an empty batch would be read back. The rows
that the write tasks count are compared with the rows read back in every run, so such a disk is an error and never a batch of
no rows.
"""

import shutil
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, DataFrameReader, Observation, SparkSession, functions as sql
from pyspark.sql.types import BooleanType, StructType

from floe.engine.spark.session import own_session
from floe.model import TableError
from floe.model.plan import Expectation
from floe.model.types import Struct
from floe.settings import Settings
from floe.system.private_files import STAGING, private_folder
from floe.tables.parquet.folder import list_files
from floe.tables.parquet.table import rows_of
from floe.tables.spark.errors import ENGINE_ERRORS, conditions, first_line
from floe.tables.spark.schema import FieldIds, by_name, struct_type, with_field_ids

_PROBE_TASKS = 8
_SHARED = (
    "Set tables.staging to a folder on S3, HDFS or a shared mount that the driver and all executors can read and write, "
    "or keep the table on such storage"
)


@dataclass(frozen=True, slots=True)
class Staged:
    """The staged rows; if rules separated bad rows from good ones, both are in different files.

    `produced` is how many rows the write tasks counted. There are no files where Spark runs elsewhere and writes to a disk
    that is not ours.
    """

    rows: DataFrame
    good: DataFrame
    bad: DataFrame | None
    files: tuple[Path, ...]
    good_files: tuple[Path, ...]
    produced: int
    rules: tuple[Expectation, ...] = ()

    @property
    def bad_files(self) -> tuple[Path, ...]:
        """The files of rows that break a rule."""
        good = set(self.good_files)
        return tuple(file for file in self.files if file not in good)


def staging_folder(location: str, chosen: str, run_id: str) -> str:
    """The staging folder of a run: below the folder of the settings, else in the folder of the table."""
    parent = chosen or f"{location.rstrip('/').rpartition('/')[0]}/{STAGING}"
    return f"{parent}/{run_id}"


def check_shared(spark: SparkSession, folder: str) -> None:
    """TableError where executors write to another disk than the driver reads, before anything is written.

    A session that runs in one process shares its disk with itself, and other file systems are shared by nature. A folder of
    local disks on a cluster is tried out: a few tasks write a file each, and the driver counts them.
    """
    master = spark.conf.get("spark.master", "local") or "local"
    if "://" in folder or master == "local" or master.startswith("local["):
        return
    place = f"{folder}-probe-{uuid.uuid4().hex[:8]}"
    try:
        spark.range(0, _PROBE_TASKS, 1, _PROBE_TASKS).write.parquet(place)
        found = _exact(by_name(spark)).schema("id long").parquet(place).count()
    except ENGINE_ERRORS as error:
        raise TableError(f"The staging folder {folder} cannot be used: {first_line(error)}", _SHARED) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)
    if found != _PROBE_TASKS:
        raise TableError(
            f"The executors of {master} do not share the staging folder {folder} with the driver: "
            f"they wrote {_PROBE_TASKS} rows there, but the driver read {found}",
            _SHARED,
        )


def _keep_private(spark: SparkSession, folder: str) -> None:
    """Hide staged rows from other users of this machine; on a cluster executors may be other users."""
    if "://" not in folder and str(spark.conf.get("spark.master", "local")).startswith("local"):
        with suppress(OSError):  # Spark reports why it cannot write there
            private_folder(Path(folder).parent)


def remove_staging(spark: SparkSession, folder: str) -> None:
    """Take away what a run staged, as far as this process can reach it."""
    if "://" not in folder:
        shutil.rmtree(folder, ignore_errors=True)
        if Path(folder).parent.name == STAGING:
            _remove_empty(Path(folder).parent)
        return
    java = getattr(spark, "_jvm", None)
    if java is None:  # Spark Connect has no way to file systems
        return
    try:
        path = java.org.apache.hadoop.fs.Path(folder)
        path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).delete(path, True)
    except ENGINE_ERRORS:
        return  # what is left there is not visible to any reader of the table


def _remove_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # another run stages there


def stage(
    df: DataFrame, folder: str, schema: Struct | None, rules: Sequence[Expectation] = (), ids: FieldIds | None = None
) -> Staged:
    """Write a frame once below a folder; rows that violate one of the rules into separate files.

    Args:
        df: the batch.
        folder: where; it is not there yet.
        schema: to read it back with; as Spark finds it, unless given.
        rules: the rules that separate rows.
        ids: the field ids that the files shall carry.
    """
    _keep_private(df.sparkSession, folder)
    reader, here = _exact(by_name(df.sparkSession)), Path(folder)
    counted = Observation(f"floe staged {uuid.uuid4().hex}")
    df = with_field_ids(df, ids) if ids else df
    if not rules or schema is None:
        df.observe(counted, sql.count(sql.lit(1)).alias("rows")).write.mode("error").parquet(folder)
        rows = (reader.schema(struct_type(schema)) if schema else reader).parquet(folder)
        files = tuple(sorted(here.glob("*.parquet")))
        return Staged(rows, rows, None, files, files, counted.get["rows"])
    sign = "floe_ok"
    while sign in {name.casefold() for name in df.columns}:
        sign += "_"
    broken = " OR ".join(f"coalesce({expectation.row_rule}, false)" for expectation in rules)
    marked = df.withColumn(sign, sql.expr(f"NOT ({broken})")).observe(counted, sql.count(sql.lit(1)).alias("rows"))
    marked.write.partitionBy(sign).mode("error").parquet(folder)
    signed = StructType([*struct_type(schema).fields]).add(sign, BooleanType())
    rows = reader.schema(signed).parquet(folder)
    good, bad = (rows.where(sql.col(sign) == sql.lit(ok)).drop(sign) for ok in (True, False))
    files = tuple(sorted(here.glob("*/*.parquet")))
    good_files = tuple(sorted(here.glob(f"{sign}=true/*.parquet")))
    return Staged(rows.drop(sign), good, bad, files, good_files, counted.get["rows"], tuple(rules))


def _exact(reader: DataFrameReader) -> DataFrameReader:
    """A reader that fails if a file is missing or damaged, whatever the session allows."""
    return reader.option("ignoreMissingFiles", "false").option("ignoreCorruptFiles", "false")


# Spark's conditions, and what then helps
_ADVICE = {
    "PARQUET_TYPE_ILLEGAL": "Write its timestamps in microseconds, e.g. to_parquet(…, coerce_timestamps='us') in pandas",
    "COLUMN_ALREADY_EXISTS": "Rename one of the two columns; Spark does not distinguish names by case",
    "CANNOT_MERGE_SCHEMAS": "Write its files again, so that each column has one type in all of them",
}


def parquet(path: str, settings: Settings) -> DataFrame:
    """The rows of a Parquet file or folder, with the columns of all its files: Spark itself reads the schema of one file."""
    reader = by_name(own_session(settings)).option("mergeSchema", "true")
    try:
        # Spark's own folder is where its JVM was started, which is not always ours
        whole = path if "://" in path else str(Path(path).absolute())
        folder = list_files(whole) if Path(whole).is_dir() else None
        return rows_of(reader, folder) if folder else reader.parquet(whole)
    except ENGINE_ERRORS as error:
        known = (_ADVICE.get(condition.name) for condition in conditions(error))
        advice = next(filter(None, known), "Write it again as Parquet")
        raise TableError(f"The batch {path} cannot be read as Parquet: {first_line(error)}", advice) from None
