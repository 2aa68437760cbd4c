"""TPC-H lineitem and orders as Parquet, with a known number of bad rows: each breaks one rule, spread over the files."""

import datetime
import json
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ROWS_PER_FILE = 750_000
BATCH = 250_000
COPIED = {"lineitem": 5, "orders": 3}
# rule -> (column, bad value, how many rows); a key in the gaps that TPC-H leaves, and a date before another, by name
PLANTED: dict[str, tuple[str, Any, int]] = {
    "partkey null": ("l_partkey", None, 11),
    "suppkey null": ("l_suppkey", None, 7),
    "extendedprice null": ("l_extendedprice", None, 5),
    "commitdate null": ("l_commitdate", None, 3),
    "shipmode null": ("l_shipmode", None, 13),
    "quantity range": ("l_quantity", Decimal("51.00"), 17),
    "discount range": ("l_discount", Decimal("0.50"), 9),
    "tax range": ("l_tax", Decimal("-0.01"), 4),
    "returnflag listed": ("l_returnflag", "X", 21),
    "linestatus listed": ("l_linestatus", "Z", 8),
    "shipinstruct pattern": ("l_shipinstruct", "deliver in person", 6),
    "comment pattern": ("l_comment", "write to someone@example.org", 10),
    "order found": ("l_orderkey", "gap", 12),
    "dates in order": ("l_receiptdate", "before", 19),
}
CLEAN = ("orderkey null", "linenumber null", "quantity null", "volume", "freshness")
EXPECTED = {
    **{rule: count for rule, (_, _, count) in PLANTED.items()},
    **dict.fromkeys(CLEAN, 0),
    "lineitem key": COPIED["lineitem"],
    "orders key": COPIED["orders"],
}


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
