"""Iceberg tables, by catalog name; by a metadata file only to read."""

from pyspark.sql import Column, DataFrame, SparkSession

from floe.data.spark.write.delta import create_statement
from floe.data.tables.iceberg import metadata_file
from floe.model.table import Target
from floe.model.types import Array, Atomic, MapOf, Member, Struct, Text, Type


def stored(type_: Type) -> Type:
    """The type as Iceberg stores it: it knows no byte, short, char or varchar."""
    match type_:
        case Atomic("tinyint" | "smallint"):
            return Atomic("int")
        case Text():
            return Atomic("string")
        case Array(element, nullable):
            return Array(stored(element), nullable)
        case MapOf(key, value, nullable):
            return MapOf(stored(key), stored(value), nullable)
        case Struct(members):
            return Struct(tuple(Member(m.name, stored(m.type), m.nullable) for m in members))
    return type_


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
    main = spark.sql(f"SELECT snapshot_id FROM {target.sql}.refs WHERE name = 'main'").head()
    return str(main["snapshot_id"]) if main else None


def location(spark: SparkSession, target: Target) -> str:
    """Where the files are."""
    rows = spark.sql(f"DESCRIBE TABLE EXTENDED {target.sql}").collect()
    return next((str(row["data_type"]) for row in rows if row["col_name"] == "Location"), str(target))


def create(
    spark: SparkSession, target: Target, schema: Struct, partition: tuple[str, ...], properties: dict[str, str]
) -> None:
    """Create the table, empty, and its namespace where that is missing."""
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {Target('iceberg', str(target.name).rsplit('.', 1)[0]).sql}")
    spark.sql(create_statement(target, "iceberg", schema, partition, properties))


def drop(spark: SparkSession, target: Target) -> None:
    """Take back a table that was created for rows that then could not be written."""
    spark.sql(f"DROP TABLE IF EXISTS {target.sql} PURGE")


def append(rows: DataFrame, target: Target) -> None:
    """Add rows in one commit; what is required was judged on the rows, not on Spark's flags."""
    rows.writeTo(target.sql).option("check-nullability", "false").append()
