"""What may happen to a table of a catalog or a log: rows come and go, columns change, floe's own gate writes."""

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
    """A table that Spark reads and writes by its name."""

    @property
    def sql(self) -> str:
        """The table in a statement."""
        raise NotImplementedError

    @property
    def types(self) -> dict[str, str]:
        return {field.name: field.dataType.simpleString() for field in self.spark.table(self.sql).schema.fields}

    def rows(self) -> list[Row]:
        types = self.types
        listed = (f"unix_micros({name}) AS {name}" if type_ == "timestamp" else name for name, type_ in types.items())
        found = self.spark.sql(f"SELECT {', '.join(listed)} FROM {self.sql}").collect()
        return [row.asDict(recursive=True) for row in found]

    @property
    def renames(self) -> bool:
        """Whether columns can be renamed and dropped."""
        return True

    def more(self, odd: bool) -> None:
        self.run(f"INSERT INTO {self.sql} {self.query(self.made(self.draw.randint(1, 4), odd))}")


def insert(table: History) -> None:
    table.more(odd=False)


def insert_odd(table: History) -> None:
    table.more(odd=True)


def delete(table: SqlHistory) -> None:
    table.run(f"DELETE FROM {table.sql} WHERE id % 3 = {table.draw.randint(0, 2)}")


def delete_odd(table: SqlHistory) -> None:
    """All rows that rules may not like are gone."""
    usual = {"code": "= 'A'", "amount": "= 0.1", "v": "= 14", "n": "= 5"}
    there = [f"{name} {test}" for name, test in usual.items() if name in table.types]
    if there:
        table.run(f"DELETE FROM {table.sql} WHERE NOT coalesce({' AND '.join(there)}, false)")


def update(table: SqlHistory) -> None:
    if "code" in table.types:
        table.run(f"UPDATE {table.sql} SET code = 'bad 1' WHERE id % 4 = {table.draw.randint(0, 3)}")


def merge(table: SqlHistory) -> None:
    if table.whole:
        source = table.query(table.made(3, odd=table.draw.random() < 0.5))
        table.run(
            f"MERGE INTO {table.sql} AS t USING ({source}) AS s ON t.id = s.id + 1 "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )


def delete_all(table: SqlHistory) -> None:
    table.run(f"DELETE FROM {table.sql}")


def drop(table: SqlHistory) -> None:
    column = table.draw.choice(["code", "raw"])
    if column in table.types and table.renames:
        table.run(f"ALTER TABLE {table.sql} DROP COLUMN {column}")


def drop_and_add(table: SqlHistory) -> None:
    """A new column under an old name is empty."""
    column = table.draw.choice([name for name in ("code", "v", "n", "amount") if name in table.all_columns])
    if column not in table.types or not table.renames or not table.run(f"ALTER TABLE {table.sql} DROP COLUMN {column}"):
        return
    if table.run(f"ALTER TABLE {table.sql} ADD COLUMN {column} {COLUMNS[column].type}") and table.rename_keeps_values:
        assert {row[column] for row in table.rows()} <= {None}, f"values of a dropped {column} are back\n{table.story}"


def swap(table: SqlHistory) -> None:
    """Two columns change names, and keep their values."""
    if {"code", "raw"} <= set(table.types) and table.renames:
        _swap(table, "", "code", "raw")


def swap_members(table: SqlHistory) -> None:
    """The same inside a struct."""
    if "price" in table.types and table.renames:
        _swap(table, "price.", "n", "m")


def _swap(table: SqlHistory, parent: str, first: str, second: str) -> None:
    def values() -> list[Row]:
        return [row["price"] or {} for row in table.rows()] if parent else table.rows()

    def pairs(one: str, two: str) -> Counter[Any]:
        return Counter((row.get(one), row.get(two)) for row in values())

    before = pairs(first, second)
    for old, new in ((first, "between"), (second, first), ("between", second)):
        if not table.run(f"ALTER TABLE {table.sql} RENAME COLUMN {parent}{old} TO {new}"):
            return
    if table.rename_keeps_values:
        assert pairs(second, first) == before, f"renamed columns have values of others\n{table.story}"


def widen(table: SqlHistory) -> None:
    """A column of whole numbers gets a wider type; older files keep the narrow one."""
    if table.types.get("n") == "int":
        if table.format == "delta":
            table.run(f"ALTER TABLE {table.sql} SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
        table.run(f"ALTER TABLE {table.sql} ALTER COLUMN n TYPE bigint")


def other_zone(table: History) -> None:
    """The next checks run in a session of another zone."""
    zone = table.draw.choice(ZONES)
    table.spark.conf.set("spark.sql.session.timeZone", zone)
    table.tell(f"session in {zone}")
    table.more(odd=True)


def other_clock(table: History) -> None:
    """The next checks run years before the commits, or days after them."""
    table.clock = table.draw.choice(CLOCKS)
    table.tell(f"clock off by {datetime.timedelta(seconds=table.clock)}")


def gate(table: SqlHistory) -> None:
    """Rows come through floe's own gate, which refuses keys that are there."""
    if not table.whole:
        return
    rows = table.made(3)
    there = [row["id"] for row in table.rows()]
    again = bool(there) and table.draw.random() < 0.5
    if again:
        rows[1]["id"] = table.draw.choice(there)
    table.tell(f"floe.enforce, {'with a key that is there' if again else 'new keys'}")
    frame = table.spark.sql(table.query(rows))
    if again:
        with pytest.raises(floe.ViolationError) as caught:
            floe.enforce(frame, table.bare_contract, table=table.table, layer="silver", settings=table.incremental)
        assert caught.value.code == "E551", table.story
    else:
        floe.enforce(frame, table.bare_contract, table=table.table, layer="silver", settings=table.incremental)
    assert len(table.rows()) == len(there) + (0 if again else 3), table.story


def gate_and_rename(table: SqlHistory) -> None:
    """Files that floe wrote are those of the table: renamed columns keep their values, dropped ones lose them."""
    gate(table)
    table.draw.choice([swap, drop_and_add])(table)


def gate_folder(table: SqlHistory) -> None:
    """A folder of files comes through the gate, which refuses a column that only one of them has."""
    if not table.whole:
        return
    sneaked = table.draw.choice([None, "a", "b"])
    folder = table.root / f"batch-{table.draw.randrange(10**9)}"
    folder.mkdir()
    for name in ("a", "b"):
        rows = arrow_table(table.made(1), table.types)
        rows = rows.append_column("sneaked", pa.array(["x"])) if name == sneaked else rows
        pq.write_table(rows, folder / f"{name}.parquet")
    contract = table.root / "batch.yaml"
    contract.write_text(table.bare_contract)
    table.tell(f"floe enforce on a folder, a column more in {sneaked}")
    options = WriteOptions(way=TableSelector(table=table.table), layer="silver")
    before = len(table.rows())
    if sneaked:
        with pytest.raises(floe.ViolationError) as caught:
            enforce_file(str(folder), str(contract), options, table.incremental)
        assert caught.value.code == "E532", table.story
    else:
        enforce_file(str(folder), str(contract), options, table.incremental)
    assert len(table.rows()) == before + (0 if sneaked else 2), table.story
    shutil.rmtree(folder)


Event = Callable[[Any], None]
# each with the rules that it endangers; a history has one of them at least
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
