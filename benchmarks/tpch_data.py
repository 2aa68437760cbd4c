"""TPC-H lineitem and orders as Parquet, with a known number of bad rows: each breaks one rule, spread over the files."""

import datetime
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parent))
from tpch_rules import COPIED, PLANTED

ROWS_PER_FILE = 750_000
BATCH = 250_000


def generate(scale: float, root: Path) -> Path:
    """The folder of a scale factor, made once."""
    out, raw = root / f"sf{scale:g}", root / f"raw-sf{scale:g}"
    if (out / "rows.json").exists():
        return out
    shutil.rmtree(out, ignore_errors=True)
    tool = Path(sys.executable).parent / "tpchgen-cli"
    words = ["parquet", "-s", f"{scale:g}", "-T", "lineitem,orders", "-o", str(raw), "-q", "--overwrite"]
    subprocess.run([str(tool), *words], check=True)
    rows = {"lineitem": _lineitem(raw / "lineitem.parquet", out), "orders": _orders(raw / "orders.parquet", out)}
    (out / "rows.json").write_text(json.dumps(rows))
    shutil.rmtree(raw)
    return out


def _lineitem(raw: Path, out: Path) -> int:
    source = pq.ParquetFile(raw)
    waiting = [rule for rule, (_, _, count) in PLANTED.items() for _ in range(count)]
    numpy.random.default_rng(7).shuffle(waiting)
    step = source.metadata.num_rows // (len(waiting) + 2)
    at = {(n + 1) * step: rule for n, rule in enumerate(waiting)}
    twice = [(n + 1) * step + 1 for n in range(COPIED["lineitem"])]
    files, copies, seen = _Files(out / "lineitem"), [], 0
    for batch in source.iter_batches(batch_size=BATCH):
        table = _plain(pa.Table.from_batches([batch]))
        copies += [table.slice(row - seen, 1) for row in twice if seen <= row < seen + len(table)]
        here = {row - seen: rule for row, rule in at.items() if seen <= row < seen + len(table)}
        for rule in set(here.values()):
            table = _planted(table, rule, [row for row, planted in here.items() if planted == rule])
        seen += len(table)
        files.add(table)
    files.add(*copies)
    return files.close()


def _orders(raw: Path, out: Path) -> int:
    table = _plain(pq.read_table(raw))
    step = len(table) // (COPIED["orders"] + 2)
    files = _Files(out / "orders")
    files.add(table, *(table.slice((n + 1) * step, 1) for n in range(COPIED["orders"])))
    return files.close()


def _planted(table: pa.Table, rule: str, rows: list[int]) -> pa.Table:
    name, bad, _ = PLANTED[rule]
    column = table[name].combine_chunks()
    mask = numpy.zeros(len(table), dtype=bool)
    mask[rows] = True
    values = pa.array([_bad(table, bad, row) for row in sorted(rows)], type=column.type)
    return table.set_column(table.column_names.index(name), name, pc.replace_with_mask(column, pa.array(mask), values))


def _bad(table: pa.Table, bad: Any, row: int) -> Any:
    if bad == "gap":
        key = table["l_orderkey"][row].as_py()
        return key - key % 32 + 20
    if bad == "before":
        return table["l_shipdate"][row].as_py() - datetime.timedelta(days=1)
    return bad


def _plain(table: pa.Table) -> pa.Table:
    """With plain strings, every column nullable."""
    fields = [pa.field(f.name, pa.string() if pa.types.is_string_view(f.type) else f.type) for f in table.schema]
    return table.cast(pa.schema(fields))


def uncopied(folder: Path, copies: int) -> str:
    """SQL for Spark that leaves out the copied rows of a table: they are the last of its last file."""
    last = max(folder.glob("*.parquet"))
    rows = pq.read_metadata(last).num_rows
    return f"_metadata.file_name <> '{last.name}' OR _metadata.row_index < {rows - copies}"


class _Files:
    """Parquet files of a fixed number of rows."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder, self.count, self.rows = folder, 0, 0
        self.waiting: list[pa.Table] = []

    def add(self, *tables: pa.Table) -> None:
        self.waiting += tables
        while sum(map(len, self.waiting)) >= ROWS_PER_FILE:
            whole = pa.concat_tables(self.waiting)
            self._write(whole.slice(0, ROWS_PER_FILE))
            self.waiting = [whole.slice(ROWS_PER_FILE)]

    def close(self) -> int:
        self._write(pa.concat_tables(self.waiting))
        return self.rows

    def _write(self, table: pa.Table) -> None:
        path = self.folder / f"part-{self.count:05d}.parquet"
        pq.write_table(table, path, compression="snappy", row_group_size=BATCH)
        self.count, self.rows = self.count + 1, self.rows + len(table)
