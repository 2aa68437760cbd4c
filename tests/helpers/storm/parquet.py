"""Events of folders of Parquet files."""

import datetime
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import floe
from floe.model.result import NOT_EVALUATED
from tests.helpers.storm.columns import COLUMNS, Row, arrow_table
from tests.helpers.storm.history import History
from tests.helpers.storm.statements import Event, insert, insert_odd, other_clock, other_zone


class ParquetHistory(History):
    """A folder of Parquet files, which pyarrow reads."""

    format = "parquet"

    @property
    def table(self) -> str:
        return str(self.root / self.name)

    @property
    def folder(self) -> Path:
        return self.root / self.name

    @property
    def files(self) -> list[Path]:
        return sorted(self.folder.rglob("*.parquet"))

    @property
    def types(self) -> dict[str, str]:
        return {name: COLUMNS[name].type for name in self.all_columns}

    def spellings(self) -> set[str]:
        """The columns as files and folders spell them."""
        names = {name for file in self.files for name in pq.read_schema(file).names}
        return names | {part.split("=")[0] for file in self.files for part in file.parts if "=" in part}

    def rows(self) -> list[Row]:
        return [row for file in self.files for row in _read(file)]

    def begin(self) -> None:
        self.folder.mkdir()
        self.append(odd=self.draw.random() < 0.5)

    def append(self, odd: bool) -> None:
        write(self, odd)

    def drop(self) -> None:
        shutil.rmtree(self.folder)

    def check(self, full: bool = True) -> int:
        """Compare as for other formats; nothing may be evaluated while a column has two spellings."""
        names = self.spellings()
        if len({name.casefold() for name in names}) == len(names):
            result = floe.verify(self.table, self.contract, self.full, full=True)
            extra = {outcome.field for outcome in result.expectations if outcome.code == "E532"}
            assert extra == {f"{self.name}.{name}" for name in names - self.contract_columns}
            return super().check(full)
        for settings in (self.incremental, self.full):
            result = floe.verify(self.table, self.contract, settings)
            assert {outcome.outcome for outcome in result.expectations} == {NOT_EVALUATED}
        return 0


def _read(file: Path) -> list[Row]:
    """The rows of one file; the values of its partition folders count."""
    partitions = dict(part.split("=") for part in file.parts if "=" in part)
    rows: list[Row] = pq.read_table(file, partitioning=None).to_pylist()
    for row in rows:
        row |= {name: int(value) for name, value in partitions.items()}
        for name in COLUMNS:
            row.setdefault(name, None)
        if row["at"] is not None:
            row["at"] = (row["at"] - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)) // datetime.timedelta(
                microseconds=1
            )
    return rows


def _new_path(table: ParquetHistory) -> Path:
    """The path of a new file; in a partitioned folder, in one of its partitions."""
    parents = sorted({file.parent for file in table.files}) or [table.folder]
    return table.draw.choice(parents) / f"{table.draw.choice('abcxyz')}{table.next_id}.parquet"


def write(table: ParquetHistory, odd: bool, without: str = "") -> None:
    path = _new_path(table)
    rows = arrow_table(
        table.new_rows(table.draw.randint(2, 4), odd),
        {name: type_ for name, type_ in table.types.items() if name != without},
    )
    pq.write_table(rows, path)
    table.note(f"{path.relative_to(table.folder)}: {rows.to_pylist()}")


def add_narrow_file(table: ParquetHistory) -> None:
    """Add a file that lacks a column: its values are null."""
    write(table, odd=False, without=table.draw.choice([name for name in table.all_columns if name != "id"]))


def add_wide_file(table: ParquetHistory) -> None:
    """Add a file that has an extra column."""
    path = _new_path(table)
    rows = arrow_table(table.new_rows(2), table.types)
    pq.write_table(rows.append_column("extra", pa.array(["x", "y"])), path)
    table.note(f"{path.name} with an extra column")


def add_file_in_other_letters(table: ParquetHistory) -> None:
    """Add a file that spells a column in upper case."""
    path, column = _new_path(table), table.draw.choice(table.all_columns)
    rows = arrow_table(table.new_rows(2, odd=True), table.types)
    pq.write_table(rows.rename_columns([name.upper() if name == column else name for name in rows.column_names]), path)
    table.note(f"{path.name} spells {column.upper()}")


def remove_file(table: ParquetHistory) -> None:
    if len(table.files) > 1:
        path = table.draw.choice(table.files)
        path.unlink()
        table.note(f"{path.name} is removed")


def rewrite_file(table: ParquetHistory) -> None:
    """Write other rows to an existing file."""
    path = table.draw.choice(table.files)
    before = path.stat()
    pq.write_table(arrow_table(table.new_rows(2, odd=True), table.types), path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000))
    table.note(f"{path.name} has other rows")


def partition(table: ParquetHistory) -> None:
    """Move all files into partition folders; files may hold the partition column too."""
    if any("=" in str(file) for file in table.files):
        return
    name = table.draw.choice(["n", "n", "n", "N"])
    for file in table.files:
        folder = table.folder / f"{name}={table.draw.choice([5, -1, 500])}"
        folder.mkdir(exist_ok=True)
        file.rename(folder / file.name)
        table.note(f"{folder.name}/{file.name}")


PARQUET_EVENTS: dict[Event, tuple[str, ...]] = {
    insert: (),
    insert_odd: ("listed", "multiple", "sql_above", "sql_most"),
    add_narrow_file: ("null", "filled", "minimum"),
    add_wide_file: (),
    add_file_in_other_letters: ("null", "minimum", "pattern"),
    remove_file: (),
    rewrite_file: (),
    partition: ("minimum", "sql_number", "sql_highest"),
    other_zone: ("after_wall", "after_day", "wall_after_day"),
    other_clock: ("fresh",),
}
