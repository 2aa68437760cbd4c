"""What `floe test` takes, cold and as a command, where metadata proves every rule: Delta and Iceberg, any number of rows.

    python benchmarks/provable.py [--rows 60000000] [--files 100] [--rounds 5] [--data FOLDER] [--peer]

8 not-null rules, 3 ranges, a row count, freshness by commit and the schema. PATH has no java, so that a JVM cannot
start. Beside it: python -c pass, and with --peer a cold start of Spark with cuallee, which checks the same not-nulls and
ranges on the same table. Exits 1 where a rule was not proved or a bar is missed.
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
from typing import TYPE_CHECKING

import numpy
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parent))
if TYPE_CHECKING:
    from deltalake.transaction import AddAction

BARS = {"delta": 0.8, "iceberg": 1.5}
BARS_OF_MANY_FILES = {"delta": 1.5, "iceberg": 2.5}
FASTER = 25  # times, than the peer
JARS = {"delta": ("delta-",), "iceberg": ("iceberg-", "sqlite-")}
OPTIONS = {  # of a session that reads the table
    "delta": (
        "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog",
    ),
    "iceberg": (
        "spark.sql.catalog.ice=org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type=jdbc",
        "spark.sql.catalog.ice.uri=jdbc:sqlite:{folder}/.floe/catalog.db",
        "spark.sql.catalog.ice.jdbc.schema-version=V1",
        "spark.sql.catalog.ice.warehouse={folder}/.floe/warehouse",
    ),
}
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
    """Both tables of the same files, a hundred to a commit: few tables of 10,000 files were made by 10,000 commits."""
    from deltalake import DeltaTable
    from pyiceberg.catalog.sql import SqlCatalog

    folder.mkdir(parents=True)
    (folder / "sales.yaml").write_text(CONTRACT)
    (folder / ".floe").mkdir()
    each, schema = rows // files, some(0, 1).schema
    catalog = SqlCatalog(
        "ice", uri=f"sqlite:///{folder}/.floe/catalog.db", warehouse=f"file://{folder}/.floe/warehouse"
    )
    catalog.create_namespace("shop")
    iceberg = catalog.create_table("shop.sales", schema=schema)
    delta = DeltaTable.create(str(folder / "sales"), schema)
    for start in range(0, files, 100):
        made = [written(folder / "sales", number, each) for number in range(start, min(start + 100, files))]
        delta.create_write_transaction(made, "append", schema, [])
        iceberg.add_files([f"file://{folder}/sales/{one.path}" for one in made], check_duplicate_files=False)


def written(folder: Path, number: int, rows: int) -> "AddAction":
    """A file, as Delta's log names it, with what Delta's own writers say of its columns."""
    from deltalake.transaction import AddAction

    batch, path = some(number * rows, rows), folder / f"part-{number:05}.parquet"
    pq.write_table(batch, path)
    edges = {name: pc.min_max(batch[name]).as_py() for name in NAMES}
    said = {
        "numRecords": rows,
        "minValues": {name: edge["min"] for name, edge in edges.items()},
        "maxValues": {name: edge["max"] for name, edge in edges.items()},
        "nullCount": dict.fromkeys(NAMES, 0),
    }
    stats = json.dumps(said, default=str)
    return AddAction(path.name, path.stat().st_size, {}, int(path.stat().st_mtime * 1000), True, stats)


def cold_peer(folder: Path, format_: str, table: str) -> float:
    """How long the peer takes from its start to its end, on the same table, in a session that knows its format alone."""
    from peers import PEERS, python_of

    from floe.actions.load.settings import load_settings
    from floe.engine.spark.session import jars

    (peer,) = [one for one in PEERS if one.name == "cuallee"]
    files = [str(path) for path in jars(load_settings(start=folder)) if path.name.startswith(JARS[format_])]
    options = [f"spark.jars={','.join(files)}", *(one.format(folder=folder) for one in OPTIONS[format_])]
    words = [str(python_of(peer)), "-W", "ignore", str(Path(__file__).parent / "peers" / "cold.py"), table]
    started = time.perf_counter()
    done = subprocess.run(
        [*words, ",".join(NAMES), format_, *options], cwd=folder, capture_output=True, text=True, check=False
    )
    taken = time.perf_counter() - started
    if done.returncode or done.stdout.split()[:2] != ["11", "11"]:
        sys.exit(f"the peer says {done.stdout}{done.stderr[-2000:]}")
    return taken


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
    parser.add_argument("--peer", action="store_true", help="also time a cold start of Spark with cuallee")
    given = parser.parse_args()
    folder = given.data / f"{given.rows}-{given.files}"
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        make(folder, given.rows, given.files)
        (folder / "done").touch()
    python, floe = sys.executable, str(Path(sys.executable).parent / "floe")
    bare, _ = seconds([python, "-c", "pass"], folder, given.rounds)
    print(f"{given.rows:,} rows in {given.files:,} files; python -c pass {bare:.2f} s")
    fine, bars = True, BARS if given.files <= 100 else BARS_OF_MANY_FILES
    for format_, table in (("delta", "./sales"), ("iceberg", "ice.shop.sales")):
        words = [floe, "test", "sales.yaml", "--table", table, "--format", "json"]
        taken, said = seconds(words, folder, given.rounds)
        peer = cold_peer(folder, format_, table) if given.peer else None
        (result,) = json.loads(said)["results"]
        proved = [one["outcome"] == "pass" and one["how"] in ("metadata", None) for one in result["expectations"]]
        right = all(proved) and result["rows"] == given.rows // given.files * given.files
        kept = taken <= bars[format_] and (peer is None or peer >= FASTER * taken)
        fine &= right and kept
        print(
            f"{format_:<8} {taken:5.2f} s  bar {bars[format_]} s  {'holds' if kept else 'MISSED'}  "
            f"{len(proved)} promises {'proved' if right else 'NOT ALL PROVED'} without a JVM"
            + (f"; the peer took {peer:.1f} s, {peer / taken:.0f} x (bar {FASTER} x)" if peer else "")
        )
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
