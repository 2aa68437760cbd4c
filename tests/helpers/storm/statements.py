"""Events of Delta and Iceberg tables: SQL statements on rows and columns, batches through floe's gate, zones and clocks."""

import datetime
import shutil
from collections import Counter
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floe
from floe.actions.enforce import enforce_file
from floe.actions.enforce.context import WriteOptions
from floe.tables.locate import TableSelector
from tests.helpers.storm.columns import COLUMNS, Row, arrow_table
from tests.helpers.storm.history import CLOCKS, ZONES, History


class SqlHistory(History):
    """A table that Spark reads and writes by SQL."""

    @property
    def sql(self) -> str:
        """The table in a statement."""
        raise NotImplementedError

    @property
    def types(self) -> dict[str, str]:
        return {field.name: field.dataType.simpleString() for field in self.spark.table(self.sql).schema.fields}

    def rows(self) -> list[Row]:
        types = self.types
        columns = (f"unix_micros({name}) AS {name}" if type_ == "timestamp" else name for name, type_ in types.items())
        rows = self.spark.sql(f"SELECT {', '.join(columns)} FROM {self.sql}").collect()
        return [row.asDict(recursive=True) for row in rows]

    def allow_renames(self) -> bool:
        """Make the table one whose columns can be renamed and dropped; False where that is refused."""
        return True

    def append(self, odd: bool) -> None:
        self.run(f"INSERT INTO {self.sql} {self.query(self.new_rows(self.draw.randint(1, 4), odd))}")


def insert(table: History) -> None:
    table.append(odd=False)


def insert_odd(table: History) -> None:
    table.append(odd=True)


def delete(table: SqlHistory) -> None:
    table.run(f"DELETE FROM {table.sql} WHERE id % 3 = {table.draw.randint(0, 2)}")


def delete_odd(table: SqlHistory) -> None:
    """Delete all rows that may break a rule."""
    usual = {"code": "= 'A'", "amount": "= 0.1", "v": "= 14", "n": "= 5"}
    conditions = [f"{name} {test}" for name, test in usual.items() if name in table.types]
    if conditions:
        table.run(f"DELETE FROM {table.sql} WHERE NOT coalesce({' AND '.join(conditions)}, false)")


def update(table: SqlHistory) -> None:
    if "code" in table.types:
        table.run(f"UPDATE {table.sql} SET code = 'bad 1' WHERE id % 4 = {table.draw.randint(0, 3)}")


def merge(table: SqlHistory) -> None:
    if table.has_all_columns:
        source = table.query(table.new_rows(3, odd=table.draw.random() < 0.5))
        table.run(
            f"MERGE INTO {table.sql} AS t USING ({source}) AS s ON t.id = s.id + 1 "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )


def delete_all(table: SqlHistory) -> None:
    table.run(f"DELETE FROM {table.sql}")


def drop(table: SqlHistory) -> None:
    column = table.draw.choice(["code", "raw"])
    if column in table.types and table.allow_renames():
        table.run(f"ALTER TABLE {table.sql} DROP COLUMN {column}")


def drop_and_add(table: SqlHistory) -> None:
    """Drop a column and add one of the same name, which must be empty."""
    column = table.draw.choice([name for name in ("code", "v", "n", "amount") if name in table.all_columns])
    if column not in table.types or not table.allow_renames():
        return
    if not table.run(f"ALTER TABLE {table.sql} DROP COLUMN {column}"):
        return
    added = table.run(f"ALTER TABLE {table.sql} ADD COLUMN {column} {COLUMNS[column].type}")
    if added and table.renames_keep_values:
        values = {row[column] for row in table.rows()}
        assert values <= {None}, f"the new {column} has values of the dropped one"


def swap(table: SqlHistory) -> None:
    """Exchange the names of two columns, which must keep their values."""
    if {"code", "raw"} <= set(table.types) and table.allow_renames():
        _swap(table, "", "code", "raw")


def swap_members(table: SqlHistory) -> None:
    """Exchange the names of two members of a struct."""
    if "price" in table.types and table.allow_renames():
        _swap(table, "price.", "n", "m")


def _swap(table: SqlHistory, parent: str, first: str, second: str) -> None:
    def pairs(first_name: str, second_name: str) -> Counter[Any]:
        rows = [row["price"] or {} for row in table.rows()] if parent else table.rows()
        return Counter((row.get(first_name), row.get(second_name)) for row in rows)

    before = pairs(first, second)
    for old, new in ((first, "between"), (second, first), ("between", second)):
        if not table.run(f"ALTER TABLE {table.sql} RENAME COLUMN {parent}{old} TO {new}"):
            return
    if table.renames_keep_values:
        assert pairs(second, first) == before, "renamed columns have other values"


def widen(table: SqlHistory) -> None:
    """Change an int column to bigint; older files keep int."""
    if table.types.get("n") == "int":
        if table.format == "delta":
            table.run(f"ALTER TABLE {table.sql} SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
        table.run(f"ALTER TABLE {table.sql} ALTER COLUMN n TYPE bigint")


def other_zone(table: History) -> None:
    """Run the next checks in another session time zone."""
    zone = table.draw.choice(ZONES)
    table.spark.conf.set("spark.sql.session.timeZone", zone)
    table.note(f"session in {zone}")
    table.append(odd=True)


def other_clock(table: History) -> None:
    """Run the next checks with a clock that is years behind the commits, or days ahead."""
    table.clock = table.draw.choice(CLOCKS)
    table.note(f"clock off by {datetime.timedelta(seconds=table.clock)}")


def gate(table: SqlHistory) -> None:
    """Write rows through floe's gate, which must refuse keys that the table has."""
    if not table.has_all_columns:
        return
    rows = table.new_rows(3)
    ids = [row["id"] for row in table.rows()]
    duplicate = bool(ids) and table.draw.random() < 0.5
    if duplicate:
        rows[1]["id"] = table.draw.choice(ids)
    table.note(f"floe.enforce, {'with a duplicate key' if duplicate else 'new keys'}")
    frame = table.spark.sql(table.query(rows))
    if duplicate:
        with pytest.raises(floe.ViolationError) as caught:
            floe.enforce(frame, table.key_contract, table=table.table, layer="silver", settings=table.incremental)
        assert caught.value.code == "E551"
    else:
        floe.enforce(frame, table.key_contract, table=table.table, layer="silver", settings=table.incremental)
    assert len(table.rows()) == len(ids) + (0 if duplicate else 3)


def gate_and_rename(table: SqlHistory) -> None:
    """Rename or drop columns after a gate wrote files: they must behave as files that Spark wrote."""
    gate(table)
    table.draw.choice([swap, drop_and_add])(table)


def gate_folder(table: SqlHistory) -> None:
    """Write a folder of files through the gate, which must refuse an extra column, also if only one file has it."""
    if not table.has_all_columns:
        return
    file_with_extra = table.draw.choice([None, "a", "b"])
    folder = table.root / f"batch-{table.draw.randrange(10**9)}"
    folder.mkdir()
    for name in ("a", "b"):
        rows = arrow_table(table.new_rows(1), table.types)
        rows = rows.append_column("extra", pa.array(["x"])) if name == file_with_extra else rows
        pq.write_table(rows, folder / f"{name}.parquet")
    contract = table.root / "batch.yaml"
    contract.write_text(table.key_contract)
    table.note(f"floe enforce on a folder, extra column in file {file_with_extra}")
    options = WriteOptions(way=TableSelector(table=table.table), layer="silver")
    before = len(table.rows())
    if file_with_extra:
        with pytest.raises(floe.ViolationError) as caught:
            enforce_file(str(folder), str(contract), options, table.incremental)
        assert caught.value.code == "E532"
    else:
        enforce_file(str(folder), str(contract), options, table.incremental)
    assert len(table.rows()) == before + (0 if file_with_extra else 2)
    shutil.rmtree(folder)


Event = Callable[[Any], None]
# each event with the rules that it endangers: the histories that it leads have some of them
EVENTS: dict[Event, tuple[str, ...]] = {
    insert_odd: ("multiple", "listed", "maximum"),
    delete: (),
    delete_odd: (),
    update: ("pattern", "null"),
    merge: (),
    delete_all: (),
    drop: ("null", "pattern", "sql_null"),
    drop_and_add: ("null", "filled", "minimum", "maximum", "sql_least", "sql_null"),
    swap: ("null", "pattern", "sql_null"),
    swap_members: ("member", "sql_nested"),
    widen: ("minimum", "sql_least", "sql_highest"),
    other_zone: ("after_wall", "after_day", "wall_after_day"),
    other_clock: ("fresh",),
    gate: ("key",),
    gate_folder: (),
}
