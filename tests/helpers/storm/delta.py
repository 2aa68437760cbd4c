"""Events of Delta tables."""

import json
import shutil
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError

from tests.helpers.storm.columns import COLUMNS, arrow_table
from tests.helpers.storm.statements import EVENTS, Event, SqlHistory, swap


class DeltaHistory(SqlHistory):
    """A Delta table, by its path."""

    format = "delta"

    @property
    def table(self) -> str:
        return str(self.root / self.name)

    @property
    def sql(self) -> str:
        return f"delta.`{self.table}`"

    def begin(self) -> None:
        columns = ", ".join(f"{name} {COLUMNS[name].type}" for name in self.all_columns)
        partitioned = self.draw.choice(["", "", " PARTITIONED BY (n)"])
        vectors = self.draw.choice(["true", "false"])
        interval = self.draw.choice([3, 1000, 1000])  # checkpoints take most of the time of a commit
        properties = f"'delta.enableDeletionVectors' = '{vectors}', 'delta.checkpointInterval' = '{interval}'"
        self.run(f"CREATE TABLE {self.sql} ({columns}) USING delta{partitioned} TBLPROPERTIES ({properties})")
        self.append(odd=self.draw.random() < 0.5)

    def drop(self) -> None:
        shutil.rmtree(self.table)

    def allow_renames(self) -> bool:
        return self.run(
            f"ALTER TABLE {self.sql} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name', "
            "'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')"
        )

    @property
    def has_column_mapping(self) -> bool:
        configuration = DeltaTable(self.table).metadata().configuration
        return configuration.get("delta.columnMapping.mode", "none") != "none"


def restore(table: DeltaHistory) -> None:
    version = table.draw.randint(0, DeltaTable(table.table).version())
    if table.can_restore:
        table.run(f"RESTORE TABLE {table.sql} TO VERSION AS OF {version}")


def optimize(table: DeltaHistory) -> None:
    table.run(f"OPTIMIZE {table.sql}")


def map_columns(table: DeltaHistory) -> None:
    """Enable column mapping, or drop it: then columns are found by name again."""
    if table.has_column_mapping:
        table.run(f"ALTER TABLE {table.sql} DROP FEATURE columnMapping")
    else:
        assert table.allow_renames()


def swap_and_unmap(table: DeltaHistory) -> None:
    """Exchange the names of two columns and drop column mapping, all between two checks."""
    if not table.has_column_mapping:
        swap(table)
        map_columns(table)


def lying_rewrite(table: DeltaHistory) -> None:
    """Overwrite the table with other rows in a commit that claims dataChange=false."""
    if not table.has_all_columns:
        return
    count = max(len(table.rows()), 1) + table.draw.choice([0, 0, 1])
    rows = table.spark.sql(table.query(table.new_rows(count, odd=True)))
    table.note(f"overwrite with dataChange=false, {count} rows")
    rows.write.format("delta").mode("overwrite").option("dataChange", "false").save(table.table)


def other_writer(table: DeltaHistory) -> None:
    """Write with delta-rs, whose statistics hold decimals as doubles and leave NaN out."""
    if not table.has_all_columns:
        return
    rows = arrow_table(table.new_rows(table.draw.randint(2, 4), odd=True), table.types)
    table.note(f"append by delta-rs of {rows.to_pylist()}")
    try:
        if table.draw.random() < 0.3:
            write_deltalake(table.table, rows, mode="overwrite")
        else:
            write_deltalake(table.table, rows, mode="append")
    except (DeltaError, OSError, ValueError) as error:  # a feature of the table that this writer does not know
        table.note(f"refused: {type(error).__name__}")


def same_path(table: DeltaHistory) -> None:
    """Remove a file, and add another one with as many rows under its path."""
    if table.has_column_mapping or not table.has_all_columns:
        return
    log = DeltaTable(table.table)
    adds = [add for add in pa.table(log.get_add_actions()).to_pylist() if add["num_records"] and "%" not in add["path"]]
    vectors = "deletionVectors" in (log.protocol().reader_features or ()) and pa.table(log.deletion_vectors()).num_rows
    if not adds or vectors:
        return
    add, version = table.draw.choice(adds), log.version()
    path, partition = Path(table.table) / add["path"], add.get("partition") or {}
    types = {name: type_ for name, type_ in table.types.items() if name not in partition}
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)  # Hadoop's checksum of the earlier file
    pq.write_table(arrow_table(table.new_rows(add["num_records"], odd=True), types), path)
    changed = int(time.time() * 1000) + 5000
    values = {name: None if value is None else str(value) for name, value in partition.items()}
    remove_action = {"path": add["path"], "deletionTimestamp": changed, "dataChange": True, "size": add["size_bytes"]}
    add_action = {"path": add["path"], "partitionValues": values, "size": path.stat().st_size}
    add_action |= {
        "modificationTime": changed,
        "dataChange": True,
        "stats": json.dumps({"numRecords": add["num_records"]}),
    }
    for number, action in enumerate(({"remove": remove_action}, {"add": add_action}), version + 1):
        commit = {"commitInfo": {"timestamp": changed, "operation": "WRITE"}}
        (Path(table.table) / "_delta_log" / f"{number:020}.json").write_text(
            f"{json.dumps(commit)}\n{json.dumps(action)}\n"
        )
    table.can_restore = False
    table.note(f"another file of {add['num_records']} rows at {add['path']}")


DELTA_EVENTS: dict[Event, tuple[str, ...]] = {
    **EVENTS,
    restore: (),
    optimize: (),
    map_columns: (),
    swap_and_unmap: ("null", "pattern"),
    lying_rewrite: ("null", "pattern", "minimum"),
    other_writer: ("maximum", "nested", "listed", "multiple", "sql_amount", "sql_nested", "sql_above", "sql_most"),
    same_path: ("null", "pattern", "minimum"),
}
