"""The staging area: where a run writes its batch once, so that just what was judged is what the table gets.

It lies in the table's own storage, because executors write it and the driver reads it back. On local disks, and for new tables,
it is `.floe-staging/RUN` beside the table, and files move into the table when they are committed. An object store cannot move
files, so there the batch of an existing table is staged below the table itself (`floe-RUN`), where the commit names the files
as they lie: no row is copied. What a commit has not named no reader of the table sees, and VACUUM knows it as garbage.

Why no committed file is removed: an area removes what the table has not got. It is told before a commit that its files are in
doubt, and after it which of them are the table's; where the answer was lost it removes nothing. A run that is killed leaves a
record (`.floe/pending`, and for files below a table one in the store, too); whoever finds it looks into the table first.
"""

import json
import shutil
import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from pyspark.sql import DataFrame, DataFrameReader, Observation, SparkSession, functions as sql
from pyspark.sql.types import BooleanType, StructType

from floe.engine.gate.request import Staged
from floe.model import TableError
from floe.model.contract import Target
from floe.model.plan import Expectation
from floe.model.types import Struct
from floe.settings import Settings
from floe.system.private_files import STAGING, private_folder
from floe.tables import storage
from floe.tables.formats import writable
from floe.tables.spark.errors import ENGINE_ERRORS, first_line
from floe.tables.spark.schema import FieldIds, by_name, struct_type, with_field_ids
from floe.tables.storage import StoredFile

_PROBE_TASKS = 8
_SHARED = (
    "Set tables.staging to a folder on S3, HDFS or a shared mount that the driver and all executors can read and write, "
    "or keep the table on such storage"
)
_OLD = timedelta(days=7)  # as long as VACUUM waits


@dataclass(slots=True)
class StagingArea:
    """The folder of one run, and which of its files the table has."""

    folder: str
    record: str = ""  # the file in the table's store that names an area below a table
    in_doubt: bool = False
    committed: frozenset[str] = field(default_factory=frozenset)

    @property
    def in_table(self) -> bool:
        """Whether its files become the table's where they lie."""
        return bool(self.record)

    def remove(self, spark: SparkSession | None) -> None:
        """Remove what the table has not got, as far as this process can reach it."""
        if self.in_doubt:
            return
        if self.committed:
            kept = {storage.name_below(self.folder, place) for place in self.committed}
            with suppress(TableError):  # what is left no reader of the table sees
                staged = storage.files_below(self.folder)
                storage.remove_files(
                    file.place for file in staged if storage.name_below(self.folder, file.place) not in kept
                )
        else:
            _remove_folder(spark, self.folder)
        if self.record:
            with suppress(TableError):  # the sweep of a later run finds it
                storage.remove_files([self.record])


def staging_area(spark: SparkSession, target: Target, location: str, settings: Settings, run_id: str) -> StagingArea:
    """Where a run stages its batch for the table at a location."""
    chosen = settings.tables.staging
    if chosen:
        return StagingArea(storage.join(settings.place(chosen), run_id))
    beside = storage.join(storage.parent(location), STAGING)
    if storage.is_s3(location):
        inside = writable(target).data_folder(spark, target, location)
        if inside:
            return StagingArea(storage.join(inside, storage.STAGED + run_id), storage.join(beside, f"{run_id}.json"))
    return StagingArea(storage.join(beside, run_id))


def open_area(
    spark: SparkSession, target: Target, location: str, area: StagingArea, batch_id: str | None, settings: Settings
) -> None:
    """Put the area on record in the store, and remove what runs staged there that ended long ago without removing it.

    Ages are measured by the store's clock, from the record that was just written to what lies beside it; a run that takes
    longer than `_OLD` is none that anybody has seen.
    """
    if not area.in_table:
        return
    run_id = area.folder.rpartition("/")[2].removeprefix(storage.STAGED)
    entry = {"run_id": run_id, "batch_id": batch_id, "location": location, "staging": area.folder}
    storage.write_text(area.record, json.dumps(entry))
    beside = storage.parent(area.record)
    found = storage.files_below(beside)
    now = next((file.changed for file in found if file.place == area.record), None)
    groups: dict[str, list[StoredFile]] = {}
    for file in found:
        groups.setdefault(str(storage.name_below(beside, file.place)).split("/", 1)[0], []).append(file)
    for name, files in groups.items():
        if now is None or any(file.changed is None or now - file.changed < _OLD for file in files):
            continue
        if not name.endswith(".json"):
            _remove_folder(spark, storage.join(beside, name))
            continue
        with suppress(TableError, *ENGINE_ERRORS):  # a later run tries again; this one has a batch to write
            _sweep_record(spark, target, location, files[0].place, settings)


def _sweep_record(spark: SparkSession, target: Target, location: str, record: str, settings: Settings) -> None:
    """Remove what is on record as staged below this table; records of other tables wait for their own writers."""
    try:
        entry = json.loads(storage.read_text(record) or "{}")
    except ValueError:  # cut off while it was written, so nothing was staged yet
        storage.remove_files([record])
        return
    if entry.get("location") == location and writable(target).exists(spark, target):
        area = StagingArea(entry["staging"], record)
        remove_leftover(spark, target, location, area, entry["run_id"], settings)


def remove_leftover(
    spark: SparkSession, target: Target, location: str, area: StagingArea, run_id: str, settings: Settings
) -> None:
    """Remove what a killed run staged; what the table has, or may get back from its history, stays."""
    if storage.name_below(location, area.folder) is not None:
        files = writable(target).data_files(target, location, run_id, settings)
        if files is None:
            return  # nobody knows any more which of them the table has; VACUUM does
        area.committed = frozenset(file for file in files if storage.name_below(area.folder, file) is not None)
    area.remove(spark)


def check_shared(spark: SparkSession, folder: str) -> None:
    """TableError where executors write to another disk than the driver reads, before anything is written.

    A session that runs in one process shares its disk with itself, and other file systems are shared by nature. A folder of
    local disks on a cluster is tried out: a few tasks write a file each, and the driver counts them.
    """
    master = spark.conf.get("spark.master", "local") or "local"
    if storage.is_remote(folder) or master == "local" or master.startswith("local["):
        return
    place = f"{folder}-probe-{uuid.uuid4().hex[:8]}"
    try:
        spark.range(0, _PROBE_TASKS, 1, _PROBE_TASKS).write.parquet(place)
        found = exact(by_name(spark)).schema("id long").parquet(place).count()
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
    if not storage.is_remote(folder) and str(spark.conf.get("spark.master", "local")).startswith("local"):
        with suppress(OSError):  # Spark reports why it cannot write there
            private_folder(Path(folder).parent)


def _remove_folder(spark: SparkSession | None, folder: str) -> None:
    if not storage.is_remote(folder):
        shutil.rmtree(folder, ignore_errors=True)
        if Path(folder).parent.name == STAGING:
            with suppress(OSError):  # another run stages there
                Path(folder).parent.rmdir()
        return
    if storage.is_s3(folder):
        with suppress(TableError, OSError):  # what is left there is not visible to any reader of the table
            storage.remove_folder(folder)
        return
    java = getattr(spark, "_jvm", None)
    if spark is None or java is None:  # Spark Connect has no way to file systems
        return
    with suppress(*ENGINE_ERRORS):  # as above
        path = java.org.apache.hadoop.fs.Path(folder)
        path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).delete(path, True)


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
    reader = exact(by_name(df.sparkSession))
    counted = Observation(f"floe staged {uuid.uuid4().hex}")
    df = with_field_ids(df, ids) if ids else df
    if not rules or schema is None:
        df.observe(counted, sql.count(sql.lit(1)).alias("rows")).write.mode("error").parquet(folder)
        rows = (reader.schema(struct_type(schema)) if schema else reader).parquet(folder)
        files = _parquet_files(folder)
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
    files = _parquet_files(folder)
    good_files = tuple(file for file in files if f"/{sign}=true/" in file.place)
    return Staged(rows.drop(sign), good, bad, files, good_files, counted.get["rows"], tuple(rules))


def _parquet_files(folder: str) -> tuple[StoredFile, ...]:
    """The files that Spark wrote; none where this process cannot list them, and Spark alone reads them."""
    if storage.is_remote(folder) and not storage.is_s3(folder):
        return ()
    try:
        files = storage.files_below(folder)
    except TableError:
        return ()
    return tuple(file for file in files if file.place.endswith(".parquet"))


def exact(reader: DataFrameReader) -> DataFrameReader:
    """A reader that fails if a file is missing or damaged, whatever the session allows."""
    return reader.option("ignoreMissingFiles", "false").option("ignoreCorruptFiles", "false")


def places(files: Iterable[StoredFile]) -> list[str]:
    """Where files are."""
    return [file.place for file in files]
