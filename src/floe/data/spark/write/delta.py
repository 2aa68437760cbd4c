"""Delta Lake tables, by path or by catalog name."""

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError
from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
from pyspark.sql import functions as sql

from floe.data.plan.sql import quote, text
from floe.data.spark.schema import ddl, struct_of
from floe.data.spark.write.state import State
from floe.data.spark.write.tag import Commit, Tag, commit_of, conf, merge_statement, view
from floe.model import TableError
from floe.model.plan import Plan
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Array, MapOf, Struct, Type

_UNFIT = re.compile(r"[ ,;{}()\n\t=]")


def stored(type_: Type) -> Type:
    """The type as Delta stores it."""
    return type_


def partition_value(column: Column) -> Column:
    """Text as Delta keeps it in a partition column: empty text is null there."""
    return sql.nullif(column, sql.lit(""))


def exists(spark: SparkSession, target: Target) -> bool:
    """Whether the table is there; TableError where something else stands in its place."""
    if target.name:
        return spark.catalog.tableExists(target.name)
    path = Path(str(target.path))
    if (path / "_delta_log").is_dir():
        return True
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        raise TableError(
            f"{path} is there, but it is no Delta table", "Name another table with --table, or move what stands there"
        )
    return False


def read(spark: SparkSession, target: Target, snapshot: str | None = None) -> DataFrame:
    """The table's rows now, or at a version."""
    if snapshot is not None:
        reader = spark.read.format("delta").option("versionAsOf", snapshot)
        return reader.table(target.name) if target.name else reader.load(str(target.path))
    return spark.table(target.name) if target.name else spark.read.format("delta").load(str(target.path))


def snapshot(spark: SparkSession, target: Target) -> str | None:
    """The version readers see."""
    log = _log(spark, target)
    if log:
        return str(log.version())
    newest = spark.sql(f"DESCRIBE HISTORY {target.sql} LIMIT 1").head()
    return str(newest["version"]) if newest else None


def create(
    spark: SparkSession, target: Target, schema: Struct, partition: tuple[str, ...], properties: dict[str, str]
) -> None:
    """Create the table, empty; TableError where Delta cannot hold its names."""
    unfit = [name for name in _names(schema) if _UNFIT.search(name)]
    if unfit:
        raise TableError(
            f"Delta cannot hold the column names {', '.join(map(repr, unfit))}: they have spaces or one of , ; {{ }} ( ) =",
            "Give these fields a physicalName without them, or keep the table in Iceberg (tables.format: iceberg)",
        )
    if target.name and target.name.count("."):
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {Target('delta', target.name.rsplit('.', 1)[0]).sql}")
    spark.sql(create_statement(target, "delta", schema, partition, properties))


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


def drop(spark: SparkSession, target: Target) -> None:
    """Take back a table that was created for rows that then could not be written."""
    if target.name:
        spark.sql(f"DROP TABLE IF EXISTS {target.sql}")
    else:
        shutil.rmtree(str(target.path), ignore_errors=True)


def append(rows: DataFrame, target: Target, tag: Tag) -> None:
    """Add rows in one commit; the schema never evolves here."""
    _save(_writer(rows, tag).mode("append"), target)


def overwrite_partitions(rows: DataFrame, target: Target, tag: Tag) -> None:
    """Put rows in the place of everything in their partitions, in one commit."""
    _save(_writer(rows, tag).mode("overwrite").option("partitionOverwriteMode", "dynamic"), target)


def _writer(rows: DataFrame, tag: Tag) -> DataFrameWriter:
    writer = rows.write.format("delta").option("mergeSchema", "false").option("userMetadata", tag.text)
    return writer.option("txnAppId", tag.app).option("txnVersion", "1") if tag.app else writer


def _save(writer: DataFrameWriter, target: Target) -> None:
    if target.name:
        writer.saveAsTable(target.name)
    else:
        writer.save(str(target.path))


def merge(rows: DataFrame, target: Target, keys: tuple[str, ...], tag: Tag) -> None:
    """Update rows by key and add the others, in one commit."""
    settings = {
        "spark.databricks.delta.commitInfo.userMetadata": tag.text,
        "spark.databricks.delta.schema.autoMerge.enabled": "false",
    }
    if tag.app:
        settings |= {
            "spark.databricks.delta.write.txnAppId": tag.app,
            "spark.databricks.delta.write.txnVersion": "1",
        }
    with conf(rows.sparkSession, settings), view(rows, tag) as source:
        rows.sparkSession.sql(merge_statement(target.sql, source, keys))


def committed(spark: SparkSession, target: Target, tag: Tag) -> Commit | None:
    """The commit of a batch, else of a run, where the table has it."""
    log = _log(spark, target)
    if log and tag.app and log.transaction_version(tag.app) is None:
        return None
    for version, said in _marked(spark, target, log):
        try:
            marks = json.loads(said)
        except ValueError:
            continue
        if isinstance(marks, dict) and tag.fits(marks):
            return commit_of(version, marks)
    return None


def _marked(spark: SparkSession, target: Target, log: DeltaTable | None) -> Iterator[tuple[int, str]]:
    """Versions with what their writers said of them, newest first."""
    if log:
        for entry in log.history():
            if "floe.run_id" in str(entry.get("userMetadata")):
                yield int(entry["version"]), str(entry["userMetadata"])
        return
    history = spark.sql(f"DESCRIBE HISTORY {target.sql}").where("userMetadata LIKE '%floe.run_id%'")
    for row in history.select("version", "userMetadata").orderBy("version", ascending=False).toLocalIterator():
        yield int(row["version"]), str(row["userMetadata"])


def _log(spark: SparkSession, target: Target) -> DeltaTable | None:
    """The table's log, where it can be read without Spark."""
    where = target.path or _location(spark, target)
    if "://" in where:
        return None
    try:
        return DeltaTable(where)
    except (DeltaError, OSError):
        return None


def _location(spark: SparkSession, target: Target) -> str:
    detail = spark.sql(f"DESCRIBE DETAIL {target.sql}").collect()[0]
    return str(detail["location"]).removeprefix("file:")


def state(spark: SparkSession, target: Target) -> State:
    """The table as it stands now."""
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
            location=target.path or str(log.table_uri).removeprefix("file://").rstrip("/"),
        )
    detail = spark.sql(f"DESCRIBE DETAIL {target.sql}").collect()[0]
    return State(
        schema=schema,
        snapshot=snapshot(spark, target),
        identity=str(detail["id"]),
        properties=dict(detail["properties"] or {}),
        partition=tuple(detail["partitionColumns"] or ()),
        location=str(detail["location"]),
    )


def commit_files(
    target: Target, files: Sequence[Path], plan: Plan, tag: Tag, state: State, settings: Settings
) -> str | None:
    """Make staged files the table's own; else why Spark must write them."""
    from floe.data.spark.write import delta_files  # noqa: PLC0415

    del target, settings
    local = "://" not in state.location
    return (
        delta_files.commit_files(state.location, files, plan, tag, state.snapshot)
        if local
        else "it is not on a local disk"
    )
