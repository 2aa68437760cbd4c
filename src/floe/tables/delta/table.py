"""Delta Lake tables, by path or by catalog name."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError
from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession, functions as sql

from floe.lang.sql.literals import quote, text
from floe.model import TableCause, TableError
from floe.model.contract import Target
from floe.model.plan import Expectation, Plan
from floe.model.types import Array, MapOf, Struct, Type
from floe.settings import Settings
from floe.tables.delta.history import LogEntry, standing
from floe.tables.delta.log import added_files, is_absent, open_log, was_never_created
from floe.tables.spark.errors import ENGINE_ERRORS, cause_of
from floe.tables.spark.schema import Protection, ddl, run_on, struct_of
from floe.tables.state import Commit, State, Tag, commit_of, conf, insert_new_statement, merge_statement, view
from floe.tables.storage import StoredFile, is_remote, is_s3, join, local_path

_NEWEST = 20  # how far back the commit is looked for that was made a moment ago
_UNFIT = re.compile(r"[ ,;{}()\n\t=]")


def stored(type_: Type) -> Type:
    """The type as Delta stores it."""
    return type_


def partition_value(column: Column) -> Column:
    """Text as Delta keeps it in a partition column: empty text is null there."""
    return sql.nullif(column, sql.lit(""))


def exists(spark: SparkSession, target: Target) -> bool:
    """Whether the table exists; TableError if something else is at its path."""
    if target.name:
        return spark.catalog.tableExists(target.sql)
    path = str(target.path)
    if not is_remote(path) or is_s3(path):
        return not is_absent(path)
    try:
        read(spark, target)
    except ENGINE_ERRORS as error:
        if cause_of(error) is TableCause.MISSING:
            return False
        raise
    return True


def read(spark: SparkSession, target: Target, snapshot: str | None = None) -> DataFrame:
    """The table's rows now, or at a version."""
    if snapshot is not None:
        reader = spark.read.format("delta").option("versionAsOf", snapshot)
        return reader.table(target.sql) if target.name else reader.load(str(target.path))
    return spark.table(target.sql) if target.name else spark.read.format("delta").load(str(target.path))


def read_state(spark: SparkSession, target: Target, state: State) -> DataFrame:
    """The rows of the table at a snapshot."""
    return read(spark, target, state.snapshot)


def snapshot(spark: SparkSession, target: Target) -> str | None:
    """The version readers see."""
    log = _log(spark, target)
    if log:
        return str(log.version())
    newest = run_on(spark, target, f"DESCRIBE HISTORY {target.sql} LIMIT 1").head()
    return str(newest["version"]) if newest else None


def create(
    spark: SparkSession, target: Target, schema: Struct, partition: tuple[str, ...], properties: dict[str, str]
) -> None:
    """Create the table, empty; TableError where Delta cannot hold its names."""
    unfit = [name for name in _names(schema) if _UNFIT.search(name)]
    if unfit:
        raise TableError(
            f"Delta does not allow the column names {', '.join(map(repr, unfit))}: they contain spaces or one of , ; {{ }} ( ) =",
            "Give these fields a physicalName without these characters, or use Iceberg (tables.format: iceberg)",
        )
    if target.path and not is_remote(target.path):
        _remove_unfinished(Path(target.path))
    if target.name and target.name.count("."):
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {Target('delta', target.name.rsplit('.', 1)[0]).sql}")
    run_on(spark, target, create_statement(target, "delta", schema, partition, properties))


def _remove_unfinished(path: Path) -> None:
    """Remove what a create that was cut off left at a path, where Spark would find a table that is not there.

    Only its temporary files are named; a folder that has got a commit meanwhile is not empty and stays.
    """
    if not was_never_created(path):
        return
    log = path / "_delta_log"
    with suppress(OSError):
        for entry in log.iterdir():
            if entry.name == "_staged_commits":
                entry.rmdir()
            elif entry.name.startswith("."):
                entry.unlink()
        log.rmdir()


def _names(type_: Type) -> Iterator[str]:
    """The names in a type, at any depth."""
    match type_:
        case Struct(members):
            for member in members:
                yield member.name
                yield from _names(member.type)
        case Array(element):
            yield from _names(element)
        case MapOf(key, value):
            yield from _names(key)
            yield from _names(value)


def create_statement(
    target: Target, provider: str, schema: Struct, partition: tuple[str, ...], properties: dict[str, str]
) -> str:
    """The CREATE TABLE of a contract."""
    by = f" PARTITIONED BY ({', '.join(map(quote, partition))})" if partition else ""
    pairs = ", ".join(f"{text(key)} = {text(value)}" for key, value in properties.items())
    return f"CREATE TABLE {target.sql} ({ddl(schema)}) USING {provider}{by} TBLPROPERTIES ({pairs})"


def location(spark: SparkSession, target: Target, settings: Settings) -> str:
    """Where the table is, or will be."""
    del settings
    if target.path:
        return target.path
    if exists(spark, target):
        return _location(spark, target)
    warehouse = local_path(str(spark.conf.get("spark.sql.warehouse.dir", "spark-warehouse")))
    namespace, _, table = str(target.name).rpartition(".")
    database = namespace.rpartition(".")[2]
    return f"{warehouse}/{table}" if database in ("", "default") else f"{warehouse}/{database}.db/{table}"


def data_folder(spark: SparkSession, target: Target, location: str) -> str | None:
    """The table's own folder, once it is there: Delta creates no table in a folder that has files."""
    return location if exists(spark, target) else None


def data_files(target: Target, location: str, run_id: str, settings: Settings) -> list[str] | None:
    """The files of the newest version, and those that commits of a run added: RESTORE may bring them back."""
    del target, settings
    if is_absent(location):
        return []
    log = open_log(location)
    found: list[str] = log.file_uris()
    for entry in map(LogEntry.of, log.history()):
        if entry.marks.get("floe.run_id") == run_id:
            names = added_files(location, entry.version)
            if names is None:
                return None
            found += [join(location, name) for name in names]
    return found


def field_ids(target: Target, schema: Struct, created: bool, settings: Settings) -> None:
    """Files of Delta tables carry no field ids."""
    del target, schema, created, settings


def advanced(state: State, there: State, statements: int) -> bool:
    """Whether only statements of floe, one commit each, are between two states of a table."""
    return there.identity == state.identity and int(there.snapshot or 0) == int(state.snapshot or 0) + statements


def is_new(state: State) -> bool:
    """Whether a table that was just created is as it was created."""
    return state.snapshot == "0"


def append(rows: DataFrame, target: Target, tag: Tag, keys: Sequence[tuple[str, ...]], state: State) -> None:
    """Add rows in one commit; the schema never evolves here, and keys that others wrote meanwhile fail it."""
    if not keys or state.snapshot is None:
        _save(_writer(rows, tag).mode("append"), target)
        return
    with conf(rows.sparkSession, _merge_settings(tag)), view(rows, tag) as source:
        run_on(rows.sparkSession, target, insert_new_statement(target.sql, source, keys[0][0], keys))


def overwrite_partitions(rows: DataFrame, target: Target, tag: Tag, state: State) -> None:
    """Put rows in the place of everything in their partitions, in one commit."""
    del state
    _save(_writer(rows, tag).mode("overwrite").option("partitionOverwriteMode", "dynamic"), target)


def _writer(rows: DataFrame, tag: Tag) -> DataFrameWriter:
    writer = rows.write.format("delta").option("mergeSchema", "false").option("userMetadata", tag.text)
    return writer.option("txnAppId", tag.app).option("txnVersion", str(tag.attempt)) if tag.app else writer


def _save(writer: DataFrameWriter, target: Target) -> None:
    if target.name:
        writer.saveAsTable(target.sql)
    else:
        writer.save(str(target.path))


def merge(rows: DataFrame, target: Target, keys: tuple[str, ...], tag: Tag, state: State) -> None:
    """Update rows by key and add the others, in one commit."""
    del state
    with conf(rows.sparkSession, _merge_settings(tag)), view(rows, tag) as source:
        run_on(rows.sparkSession, target, merge_statement(target.sql, source, keys))


def _merge_settings(tag: Tag) -> dict[str, str]:
    """What a MERGE takes from the session: its mark, its transaction, and that the schema never evolves."""
    settings = {
        "spark.databricks.delta.commitInfo.userMetadata": tag.text,
        "spark.databricks.delta.schema.autoMerge.enabled": "false",
    }
    if tag.app:
        settings |= {
            "spark.databricks.delta.write.txnAppId": tag.app,
            "spark.databricks.delta.write.txnVersion": str(tag.attempt),
        }
    return settings


def next_attempt(spark: SparkSession, target: Target, tag: Tag) -> int:
    """The number of the next transaction of a batch: Delta silently skips one whose number it has seen."""
    if not tag.app:
        return 1
    log = _log(spark, target)
    if log:
        return (log.transaction_version(tag.app) or 0) + 1
    return 1 + sum(tag.fits(entry.marks) for entry in _history(spark, target, None))


def commit_of_run(spark: SparkSession, target: Target, tag: Tag, mode: str) -> Commit | None:
    """The commit that this run has just made, with the rows that Delta counted in it; None where it made none."""
    log = _log(spark, target)
    for entry in _history(spark, target, log, _NEWEST):
        if entry.marks.get("floe.run_id") == tag.run_id:
            rows = entry.metrics.get("numSourceRows" if mode == "merge" else "numOutputRows")
            # an insert that is a MERGE counts the rows it inserted as its output
            return Commit(str(entry.version), tag.run_id, tag.rows if rows is None else int(rows))
    return None


def follows(commit: Commit, state: State) -> bool:
    """Whether a commit was made onto a state, with nothing of others between them."""
    return int(commit.snapshot) == int(state.snapshot or 0) + 1


def committed(spark: SparkSession, target: Target, tag: Tag) -> Commit | None:
    """The commit of a batch, else of a run, where the table still holds it.

    A commit that RESTORE undid is not held. A batch whose commit the log no longer shows, because the log was cleaned up,
    is held where Delta's transaction record names it.
    """
    log = _log(spark, target)
    recorded = log.transaction_version(tag.app) if log and tag.app else None
    if log and tag.app and recorded is None:
        return None
    history = _history(spark, target, log)
    held = [entry for entry in standing(history, log) if tag.fits(entry.marks)]
    if held:
        return commit_of(held[0].version, held[0].marks)
    undone = any(tag.fits(entry.marks) for entry in history)
    cleaned = history and history[-1].version > 0
    return Commit(str(history[0].version), "", 0) if recorded is not None and cleaned and not undone else None


def forgotten_before(spark: SparkSession, target: Target) -> datetime | None:
    """Never: Delta keeps the transaction of a batch longer than its commit, and `committed` reads it."""
    del spark, target
    return None


def _history(spark: SparkSession, target: Target, log: DeltaTable | None, newest: int | None = None) -> list[LogEntry]:
    """The commits that the log shows, newest first."""
    if log:
        return [LogEntry.of(entry) for entry in log.history(newest)]
    limit = f" LIMIT {newest}" if newest else ""
    rows = run_on(spark, target, f"DESCRIBE HISTORY {target.sql}{limit}").orderBy("version", ascending=False)
    chosen = rows.select("version", "operation", "operationParameters", "operationMetrics", "userMetadata")
    return [LogEntry.of(row.asDict()) for row in chosen.toLocalIterator()]


def _log(spark: SparkSession, target: Target) -> DeltaTable | None:
    """The table's log, where it can be read without Spark."""
    where = target.path or _location(spark, target)
    if is_remote(where) and not is_s3(where):
        return None
    try:
        return open_log(where)
    except (DeltaError, OSError):
        return None


def _location(spark: SparkSession, target: Target) -> str:
    detail = run_on(spark, target, f"DESCRIBE DETAIL {target.sql}").collect()[0]
    return local_path(str(detail["location"]))


def state(spark: SparkSession, target: Target) -> State:
    """The current state of the table."""
    log = _log(spark, target)
    schema = struct_of(read(spark, target).schema)
    if log:
        about = log.metadata()
        return State(
            schema=schema,
            snapshot=str(log.version()),
            identity=str(about.id),
            properties=dict(about.configuration),
            partition=tuple(about.partition_columns),
            location=target.path or local_path(str(log.table_uri)).rstrip("/"),
        )
    detail = run_on(spark, target, f"DESCRIBE DETAIL {target.sql}").collect()[0]
    return State(
        schema=schema,
        snapshot=snapshot(spark, target),
        identity=str(detail["id"]),
        properties=dict(detail["properties"] or {}),
        partition=tuple(detail["partitionColumns"] or ()),
        location=str(detail["location"]),
    )


def commit_files(
    target: Target, files: Sequence[StoredFile], plan: Plan, tag: Tag, state: State, settings: Settings
) -> str | None:
    """Make staged files the table's own; else why Spark must write them."""
    from floe.tables.delta import commit as delta_files  # noqa: PLC0415

    del target, settings
    if is_remote(state.location) and not is_s3(state.location):
        return "its storage has no commit that two writers cannot both win, except by Spark"
    return delta_files.commit_files(state.location, files, plan, tag, state.snapshot)


def protect(spark: SparkSession, target: Target, rules: Sequence[Expectation], settings: Settings) -> list[Protection]:
    """Make the table itself enforce rules."""
    from floe.tables.delta import protect as protection  # noqa: PLC0415  (it reads tables by this module)

    return protection.protect(spark, target, rules, settings)


def unprotect(spark: SparkSession, target: Target, settings: Settings) -> list[str]:
    """Remove what `protect` added."""
    from floe.tables.delta import protect as protection  # noqa: PLC0415  (as above)

    return protection.unprotect(spark, target, settings)
