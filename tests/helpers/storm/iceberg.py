"""Events of Iceberg tables."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JJavaError
from pyiceberg.table import Table

from floe.model.contract import Target
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
        partitioned = self.draw.choice(["", "", " PARTITIONED BY (n)"])
        mode = self.draw.choice(["copy-on-write", "merge-on-read"])
        properties = ", ".join(f"'{name}' = '{mode}'" for name in sorted(PROPERTIES))
        self.run(f"CREATE TABLE {self.table} ({columns}) USING iceberg{partitioned} TBLPROPERTIES ({properties})")
        self.append(odd=self.draw.random() < 0.5)

    def drop(self) -> None:
        self.spark.sql(f"DROP TABLE IF EXISTS {self.table} PURGE")

    def unpartition(self) -> bool:
        """Drop the partition fields; False where that is refused."""
        for field in self.open().spec().fields:
            self.run(f"ALTER TABLE {self.sql} DROP PARTITION FIELD {field.name}")
        return self.open().spec().is_unpartitioned()

    def open(self) -> Table:
        """The table, opened by pyiceberg."""
        table = open_table(Target("iceberg", self.table), self.incremental)
        assert table
        return table

    def call(self, procedure: str, arguments: str) -> bool:
        return self.run(f"CALL ice.system.{procedure}(table => 'storm.{self.name}', {arguments})")


def restore(table: IcebergHistory) -> None:
    snapshots = [row[0] for row in table.spark.sql(f"SELECT snapshot_id FROM {table.sql}.snapshots").collect()]
    if snapshots and table.can_restore:
        table.call("set_current_snapshot", f"snapshot_id => {table.draw.choice(snapshots)}")


def compact(table: IcebergHistory) -> None:
    table.call("rewrite_data_files", "options => map('rewrite-all', 'true')")


def repartition(table: IcebergHistory) -> None:
    """Change the partition spec: new files are partitioned in another way than old ones."""
    change = table.draw.choice(["ADD PARTITION FIELD n", "DROP PARTITION FIELD n", "ADD PARTITION FIELD bucket(2, id)"])
    table.run(f"ALTER TABLE {table.sql} {change}")


def other_writer(table: IcebergHistory) -> None:
    """Write with pyiceberg, which counts no NaN."""
    if not table.has_all_columns or not table.unpartition():
        return
    iceberg = table.open()
    rows = arrow_table(table.new_rows(table.draw.randint(2, 4), odd=True), table.types)
    table.note(f"append by pyiceberg of {rows.to_pylist()}")
    iceberg.append(rows.cast(iceberg.schema().as_arrow()))


def _write_file(table: IcebergHistory, path: Path, odd: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(arrow_table(table.new_rows(3, odd), table.types), path)


def _add_files(table: IcebergHistory, source: Path) -> bool:
    table.renames_keep_values = False
    return table.call("add_files", f"source_table => '`parquet`.`{source}`'")


def add_file(table: IcebergHistory) -> None:
    """Add a file without field ids, written by somebody else."""
    if table.has_all_columns and table.unpartition():
        path = table.root / f"landing-{table.name}-{table.next_id}.parquet"
        _write_file(table, path, odd=table.draw.random() < 0.5)
        _add_files(table, path)


def add_file_and_rename(table: IcebergHistory) -> None:
    """Add a file without field ids, then exchange names: readers find its columns by the new names, statistics do not."""
    if table.has_all_columns and table.unpartition():
        _write_file(table, path := table.root / f"landing-{table.name}-{table.next_id}.parquet", odd=True)
        if _add_files(table, path):
            swap(table)
            swap_members(table)


def add_file_again(table: IcebergHistory) -> None:
    """Add a file, delete its rows, and add another file with other rows under the same path."""
    if not table.has_all_columns or not table.unpartition():
        return
    path = table.root / f"again-{table.name}-{table.next_id}.parquet"
    _write_file(table, path, odd=False)
    if _add_files(table, path):
        table.check()
        table.run(f"DELETE FROM {table.sql}")
        _write_file(table, path, odd=True)
        table.can_restore = False
        table.note("another file at the same path")
        _add_files(table, path)


def add_folder(table: IcebergHistory) -> None:
    """Add a hive folder whose files hold the partition column too: readers take the value from the folder."""
    if not table.has_all_columns or not (
        _partitioned_by_n(table) or table.run(f"ALTER TABLE {table.sql} ADD PARTITION FIELD n")
    ):
        return
    if not _partitioned_by_n(table):
        return
    folder = table.root / f"hive-{table.name}-{table.next_id}"
    value = table.draw.choice([500, -1])
    _write_file(table, folder / f"n={value}" / "day.parquet", odd=False)
    table.note(f"a file in the folder n={value}")
    _add_files(table, folder)


def _partitioned_by_n(table: IcebergHistory) -> bool:
    return [field.name for field in table.open().spec().fields] == ["n"]


def equality_delete(table: IcebergHistory) -> None:
    """Commit an equality delete, as Flink does."""
    if not table.unpartition():
        return
    jvm = table.spark._jvm
    iceberg = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(table.spark._jsparkSession, table.table)
    field_id = iceberg.schema().findField("id").fieldId()
    path = Path(iceberg.location().replace("file:", "")) / "data" / f"eq-{table.draw.randrange(10**9)}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    ids = [table.draw.randrange(table.next_id)]
    metadata = {b"PARQUET:field_id": str(field_id).encode()}
    schema = pa.schema([pa.field("id", pa.int64(), metadata=metadata)])
    pq.write_table(pa.table({"id": ids}, schema=schema), path)
    field_ids = table.spark.sparkContext._gateway.new_array(jvm.int, 1)
    field_ids[0] = field_id
    builder = jvm.org.apache.iceberg.FileMetadata.deleteFileBuilder(iceberg.spec()).ofEqualityDeletes(field_ids)
    builder = builder.withPath(str(path)).withFormat(jvm.org.apache.iceberg.FileFormat.PARQUET)
    delete_file = builder.withFileSizeInBytes(path.stat().st_size).withRecordCount(len(ids)).build()
    try:
        iceberg.newRowDelta().addDeletes(delete_file).commit()
    except Py4JJavaError as error:
        table.note(f"refused: equality delete: {error.java_exception}")
        return
    table.note(f"equality delete of {ids}")


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
