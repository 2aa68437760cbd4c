"""What may happen to an Iceberg table."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JJavaError
from pyiceberg.table import Table

from floe.model.table import Target
from floe.tables.iceberg.metadata import open_table
from tests.helpers.storm.columns import COLUMNS, Row, arrow_table
from tests.helpers.storm.statements import EVENTS, Event, SqlHistory, gate_and_rename, swap, swap_members

PROPERTIES = {"write.delete.mode", "write.update.mode", "write.merge.mode"}


class IcebergHistory(SqlHistory):
    """A table of the session's Iceberg catalog."""

    format = "iceberg"

    @property
    def table(self) -> str:
        return f"ice.storm.{self.name}"

    @property
    def sql(self) -> str:
        return self.table

    def rows(self) -> list[Row]:
        self.spark.sql(f"REFRESH TABLE {self.table}")
        return super().rows()

    def begin(self) -> None:
        columns = ", ".join(f"{name} {COLUMNS[name].type}" for name in self.all_columns)
        divided = self.draw.choice(["", "", " PARTITIONED BY (n)"])
        mode = self.draw.choice(["copy-on-write", "merge-on-read"])
        properties = ", ".join(f"'{name}' = '{mode}'" for name in sorted(PROPERTIES))
        self.run(f"CREATE TABLE {self.table} ({columns}) USING iceberg{divided} TBLPROPERTIES ({properties})")
        self.more(odd=self.draw.random() < 0.5)

    def drop(self) -> None:
        self.spark.sql(f"DROP TABLE IF EXISTS {self.table} PURGE")

    def undivided(self) -> bool:
        """Let new files go to no partition; False where that cannot be."""
        for field in self.opened().spec().fields:
            self.run(f"ALTER TABLE {self.sql} DROP PARTITION FIELD {field.name}")
        return self.opened().spec().is_unpartitioned()

    def opened(self) -> Table:
        """The table as pyiceberg knows it."""
        found = open_table(Target("iceberg", self.table), self.incremental)
        assert found
        return found

    def call(self, procedure: str, arguments: str) -> bool:
        return self.run(f"CALL ice.system.{procedure}(table => 'storm.{self.name}', {arguments})")


def restore(table: IcebergHistory) -> None:
    snapshots = [row[0] for row in table.spark.sql(f"SELECT snapshot_id FROM {table.sql}.snapshots").collect()]
    if snapshots:
        table.call("set_current_snapshot", f"snapshot_id => {table.draw.choice(snapshots)}")


def compact(table: IcebergHistory) -> None:
    table.call("rewrite_data_files", "options => map('rewrite-all', 'true')")


def repartition(table: IcebergHistory) -> None:
    """New files are partitioned in another way than old ones."""
    change = table.draw.choice(["ADD PARTITION FIELD n", "DROP PARTITION FIELD n", "ADD PARTITION FIELD bucket(2, id)"])
    table.run(f"ALTER TABLE {table.sql} {change}")


def other_writer(table: IcebergHistory) -> None:
    """A writer without Spark, which counts no NaN."""
    if not table.whole or not table.undivided():
        return
    opened = table.opened()
    rows = arrow_table(table.made(table.draw.randint(2, 4), odd=True), table.types)
    table.tell(f"append by pyiceberg of {rows.to_pylist()}")
    opened.append(rows.cast(opened.schema().as_arrow()))


def _landed(table: IcebergHistory, path: Path, odd: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(arrow_table(table.made(3, odd), table.types), path)


def _add(table: IcebergHistory, source: Path) -> bool:
    table.rename_keeps_values = False
    return table.call("add_files", f"source_table => '`parquet`.`{source}`'")


def add_file(table: IcebergHistory) -> None:
    """A file of others, without field ids, becomes part of the table."""
    if table.whole and table.undivided():
        path = table.root / f"landing-{table.name}-{table.next_id}.parquet"
        _landed(table, path, odd=table.draw.random() < 0.5)
        _add(table, path)


def add_file_and_rename(table: IcebergHistory) -> None:
    """Its columns go by the names of now from then on, whatever its statistics say."""
    if table.whole and table.undivided():
        _landed(table, path := table.root / f"landing-{table.name}-{table.next_id}.parquet", odd=True)
        if _add(table, path):
            swap(table)
            swap_members(table)


def add_file_again(table: IcebergHistory) -> None:
    """A file that was added is deleted, written anew with other rows, and added again under its path."""
    if not table.whole or not table.undivided():
        return
    path = table.root / f"again-{table.name}-{table.next_id}.parquet"
    _landed(table, path, odd=False)
    if _add(table, path):
        table.check()
        table.run(f"DELETE FROM {table.sql}")
        _landed(table, path, odd=True)
        table.tell("another file at its path")
        _add(table, path)


def add_folder(table: IcebergHistory) -> None:
    """Files that hold a column which their folder names too: the folder's value counts."""
    if not table.whole or not (_by_number(table) or table.run(f"ALTER TABLE {table.sql} ADD PARTITION FIELD n")):
        return
    if not _by_number(table):
        return
    folder = table.root / f"hive-{table.name}-{table.next_id}"
    value = table.draw.choice([500, -1])
    _landed(table, folder / f"n={value}" / "day.parquet", odd=False)
    table.tell(f"n is {value} by its folder")
    _add(table, folder)


def _by_number(table: IcebergHistory) -> bool:
    return [field.name for field in table.opened().spec().fields] == ["n"]


def equality_delete(table: IcebergHistory) -> None:
    """Rows are deleted by value, as Flink does."""
    if not table.undivided():
        return
    jvm = table.spark._jvm
    found = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(table.spark._jsparkSession, table.table)
    number = found.schema().findField("id").fieldId()
    path = Path(found.location().replace("file:", "")) / "data" / f"eq-{table.draw.randrange(10**9)}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    ids = [table.draw.randrange(table.next_id)]
    metadata = {b"PARQUET:field_id": str(number).encode()}
    schema = pa.schema([pa.field("id", pa.int64(), metadata=metadata)])
    pq.write_table(pa.table({"id": ids}, schema=schema), path)
    numbers = table.spark.sparkContext._gateway.new_array(jvm.int, 1)
    numbers[0] = number
    builder = jvm.org.apache.iceberg.FileMetadata.deleteFileBuilder(found.spec()).ofEqualityDeletes(numbers)
    builder = builder.withPath(str(path)).withFormat(jvm.org.apache.iceberg.FileFormat.PARQUET)
    built = builder.withFileSizeInBytes(path.stat().st_size).withRecordCount(len(ids)).build()
    try:
        found.newRowDelta().addDeletes(built).commit()
    except Py4JJavaError as error:
        table.tell(f"refused: equality delete: {error.java_exception}")
        return
    table.tell(f"equality delete of {ids}")


ICEBERG_EVENTS: dict[Event, tuple[str, ...]] = {
    **EVENTS,
    gate_and_rename: ("null", "pattern"),
    restore: (),
    compact: (),
    repartition: ("minimum", "sql_least"),
    other_writer: ("listed", "multiple", "sql_above", "sql_most"),
    add_file: ("null", "listed", "sql_above", "sql_most"),
    add_file_and_rename: ("null", "pattern", "member", "sql_null"),
    add_file_again: ("null", "pattern", "minimum"),
    add_folder: ("minimum", "sql_number", "sql_least", "sql_highest"),
    equality_delete: ("rows", "key"),
}
