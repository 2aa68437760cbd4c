"""Iceberg tables, by catalog name; by a metadata file only to read."""

import re
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import Column, DataFrame, DataFrameWriterV2, SparkSession

from floe.data.plan.sql import text
from floe.data.spark.schema import struct_of
from floe.data.spark.write.delta import create_statement
from floe.data.spark.write.state import State
from floe.data.spark.write.tag import Commit, Tag, commit_of, conf, merge_statement, view
from floe.data.tables.iceberg import metadata_file, stored  # noqa: F401  (each format says how it stores types)
from floe.model.plan import Plan
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Struct

_PART = re.compile(r"Part \d+")


def partition_value(column: Column) -> Column:
    """Text as Iceberg keeps it in a partition column: as it is."""
    return column


def exists(spark: SparkSession, target: Target) -> bool:
    """Whether the table is there."""
    return spark.catalog.tableExists(target.name) if target.name else metadata_file(str(target.path)) is not None


def read(spark: SparkSession, target: Target, snapshot: str | None = None) -> DataFrame:
    """The table's rows now, or at a snapshot."""
    if not target.name:
        reader = spark.read.format("iceberg")
        reader = reader.option("versionAsOf", snapshot) if snapshot is not None else reader
        return reader.load(metadata_file(str(target.path)))
    spark.sql(f"REFRESH TABLE {target.sql}")
    if snapshot is not None:
        return spark.sql(f"SELECT * FROM {target.sql} VERSION AS OF {int(snapshot)}")
    return spark.table(target.sql)


def snapshot(spark: SparkSession, target: Target) -> str | None:
    """The snapshot readers see."""
    if not target.name:
        main = spark.sql(f"SELECT snapshot_id FROM {target.sql}.refs WHERE name = 'main'").head()
        return str(main["snapshot_id"]) if main else None
    spark.sql(f"REFRESH TABLE {target.sql}")
    return _current(_properties(spark, target))


def _properties(spark: SparkSession, target: Target) -> dict[str, str]:
    return {row["key"]: row["value"] for row in spark.sql(f"SHOW TBLPROPERTIES {target.sql}").collect()}


def _current(properties: dict[str, str]) -> str | None:
    current = properties.get("current-snapshot-id", "none")
    return None if current == "none" else current


def create(
    spark: SparkSession, target: Target, schema: Struct, partition: tuple[str, ...], properties: dict[str, str]
) -> None:
    """Create the table, empty, and its namespace where that is missing."""
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {Target('iceberg', str(target.name).rsplit('.', 1)[0]).sql}")
    spark.sql(create_statement(target, "iceberg", schema, partition, properties))


def drop(spark: SparkSession, target: Target) -> None:
    """Take back a table that was created for rows that then could not be written."""
    spark.sql(f"DROP TABLE IF EXISTS {target.sql} PURGE")


def append(rows: DataFrame, target: Target, tag: Tag) -> None:
    """Add rows in one commit; what is required was judged on the rows, not on Spark's flags."""
    _writer(rows, target.sql, tag).append()


def overwrite_partitions(rows: DataFrame, target: Target, tag: Tag) -> None:
    """Put rows in the place of everything in their partitions, in one commit."""
    _writer(rows, target.sql, tag).overwritePartitions()


def _writer(rows: DataFrame, name: str, tag: Tag) -> DataFrameWriterV2:
    writer = rows.writeTo(name).option("check-nullability", "false")
    for key, value in tag.marks.items():
        writer = writer.option(f"snapshot-property.{key}", value)
    return writer


def merge(rows: DataFrame, target: Target, keys: tuple[str, ...], tag: Tag) -> None:
    """Update rows by key and add the others, in one commit."""
    settings = {f"spark.sql.iceberg.snapshot-property.{key}": value for key, value in tag.marks.items()}
    settings["spark.sql.iceberg.check-nullability"] = "false"
    with conf(rows.sparkSession, settings), view(rows, tag) as source:
        rows.sparkSession.sql(merge_statement(target.sql, source, keys))


def committed(spark: SparkSession, target: Target, tag: Tag) -> Commit | None:
    """The commit of a batch, else of a run, where the readers' view holds it; a picked snapshot names the one it came from."""
    spark.sql(f"REFRESH TABLE {target.sql}")
    key = "floe.batch_id" if tag.batch_id else "floe.run_id"
    marked = f"SELECT snapshot_id, summary FROM {target.sql}.snapshots WHERE summary['{key}'] = {text(tag.marks[key])}"
    if not spark.sql(marked).head():  # as nearly always, and cheaper than the join
        return None
    found = spark.sql(
        f"SELECT now.snapshot_id AS here, marked.summary AS marks FROM {target.sql}.history AS seen "
        f"JOIN {target.sql}.snapshots AS now ON now.snapshot_id = seen.snapshot_id "
        f"JOIN ({marked}) AS marked ON marked.snapshot_id = now.snapshot_id "
        "OR CAST(marked.snapshot_id AS STRING) = now.summary['source-snapshot-id'] "
        "WHERE seen.is_current_ancestor"
    ).head()
    return commit_of(found["here"], found["marks"]) if found else None


def state(spark: SparkSession, target: Target) -> State:
    """The table as it stands now, by statements that start no job."""
    schema = struct_of(read(spark, target).schema)
    properties = _properties(spark, target)
    described = [
        (row["col_name"], row["data_type"]) for row in spark.sql(f"DESCRIBE TABLE EXTENDED {target.sql}").collect()
    ]
    partition = tuple(kind for name, kind in described if _PART.fullmatch(name))
    location = next((kind for name, kind in described if name == "Location"), str(target))
    return State(
        schema=schema,
        snapshot=_current(properties),
        identity=location,
        properties=properties,
        partition=partition,
        location=location,
    )


def commit_files(
    target: Target, files: Sequence[Path], plan: Plan, tag: Tag, state: State, settings: Settings
) -> str | None:
    """Make staged files the table's own; else why Spark must write them."""
    from floe.data.spark.write import iceberg_files  # noqa: PLC0415  (pyiceberg takes its time)

    return iceberg_files.commit_files(target, files, plan, tag, state.snapshot, settings)
