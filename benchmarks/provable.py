"""What `floe test` takes, cold and as a command, where metadata proves every rule: Delta and Iceberg, any number of rows.

    python benchmarks/provable.py [--rows 60000000] [--files 100] [--rounds 5] [--data FOLDER]

8 not-null rules, 3 ranges, a row count, freshness by commit and the schema. PATH has no java, so that a JVM cannot
start. Beside it: python -c pass, and the two libraries' import. Exits 1 where a rule was not proved or a bar is missed.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import pyarrow as pa

BARS = {"delta": 1.5, "iceberg": 1.5}
NAMES = ("id", "customer", "product", "quantity", "price", "discount", "tax", "day")
CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: urn:provable
name: sales
version: 1.0.0
status: active
domain: shop
dataProduct: p
slaProperties: [{property: freshness, value: 365d}]
schema:
  - name: sales
    quality: [{metric: rowCount, mustBeGreaterThan: 1000}]
    properties:
      - {name: id, physicalType: bigint, required: true}
      - {name: customer, physicalType: bigint, required: true}
      - {name: product, physicalType: int, required: true}
      - {name: quantity, physicalType: int, required: true, logicalType: integer, logicalTypeOptions: {minimum: 1, maximum: 50}}
      - {name: price, physicalType: bigint, required: true, logicalType: integer, logicalTypeOptions: {minimum: 0}}
      - {name: discount, physicalType: int, required: true, logicalType: integer, logicalTypeOptions: {maximum: 10}}
      - {name: tax, physicalType: int, required: true}
      - {name: day, physicalType: date, required: true}
"""


def some(first: int, rows: int) -> pa.Table:
    """Rows from a number on; little on disk, so that many are made soon."""
    ids = numpy.arange(first, first + rows, dtype=numpy.int64)
    small = (ids % 50 + 1).astype(numpy.int32)
    columns = [ids, ids // 7, small, small, ids % 100_000, (ids % 11).astype(numpy.int32), small]
    day = pa.array((ids % 365 + 20_000).astype(numpy.int32)).cast(pa.date32())
    return pa.table([*map(pa.array, columns), day], names=NAMES)


def make(folder: Path, rows: int, files: int) -> None:
    """Both tables, file by file."""
    from deltalake import write_deltalake
    from pyiceberg.catalog.sql import SqlCatalog

    folder.mkdir(parents=True)
    (folder / "sales.yaml").write_text(CONTRACT)
    (folder / ".floe").mkdir()
    each = rows // files
    catalog = SqlCatalog(
        "ice", uri=f"sqlite:///{folder}/.floe/catalog.db", warehouse=f"file://{folder}/.floe/warehouse"
    )
    catalog.create_namespace("shop")
    table = catalog.create_table("shop.sales", schema=some(0, 1).schema)
    for number in range(files):
        batch = some(number * each, each)
        write_deltalake(str(folder / "sales"), batch, mode="append")
        table.append(batch)


def seconds(words: list[str], cwd: Path, rounds: int) -> tuple[float, str]:
    """The median of some runs of a command, and what it said."""
    taken, said = [], ""
    clean = {"PATH": "/nowhere", "HOME": os.environ.get("HOME", "/")}
    for _ in range(rounds):
        started = time.perf_counter()
        done = subprocess.run(words, cwd=cwd, env=clean, capture_output=True, text=True, check=False)
        taken.append(time.perf_counter() - started)
        said = done.stdout
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
    return statistics.median(taken), said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=60_000_000)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "floe-provable")
    given = parser.parse_args()
    folder = given.data / f"{given.rows}-{given.files}"
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        make(folder, given.rows, given.files)
        (folder / "done").touch()
    python, floe = sys.executable, str(Path(sys.executable).parent / "floe")
    bare, _ = seconds([python, "-c", "pass"], folder, given.rounds)
    print(f"{given.rows:,} rows in {given.files:,} files; python -c pass {bare:.2f} s")
    fine = True
    for format_, table in (("delta", "./sales"), ("iceberg", "ice.shop.sales")):
        words = [floe, "test", "sales.yaml", "--table", table, "--format", "json"]
        taken, said = seconds(words, folder, given.rounds)
        (result,) = json.loads(said)["results"]
        proved = [one["outcome"] == "pass" and one["how"] in ("metadata", None) for one in result["expectations"]]
        right = all(proved) and result["rows"] == given.rows // given.files * given.files
        kept = taken <= BARS[format_]
        fine &= right and kept
        print(
            f"{format_:<8} {taken:5.2f} s  bar {BARS[format_]} s  {'holds' if kept else 'MISSED'}  "
            f"{len(proved)} promises {'proved' if right else 'NOT ALL PROVED'} without a JVM"
        )
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
