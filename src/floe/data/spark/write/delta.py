"""Delta Lake tables, by path or by catalog name."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sql

from floe.data.plan.sql import quote, text
from floe.data.spark.schema import ddl
from floe.model import TableError
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
    newest = spark.sql(f"DESCRIBE HISTORY {target.sql} LIMIT 1").head()
    return str(newest["version"]) if newest else None


def location(spark: SparkSession, target: Target) -> str:
    """Where the files are."""
    if target.path:
        return target.path
    detail = spark.sql(f"DESCRIBE DETAIL {target.sql}").head()
    return str(detail["location"]) if detail else str(target)


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


def append(rows: DataFrame, target: Target) -> None:
    """Add rows in one commit; the schema never evolves here."""
    writer = rows.write.format("delta").mode("append").option("mergeSchema", "false")
    if target.name:
        writer.saveAsTable(target.name)
    else:
        writer.save(str(target.path))
