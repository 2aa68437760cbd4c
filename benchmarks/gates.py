"""What a gate costs: the wall time of floe.enforce to the raw write of the same frame, on Delta and Iceberg.

    python benchmarks/gates.py [--sf 1] [--rounds 3] [--data FOLDER] [--only append-proved merge …] [--store s3] [--requests]

--store s3 has the tables in a local S3 service (s3proxy); --requests counts there what a raw write and a gate ask of the
store, in place of their times.

The frame is TPC-H's lineitem with a projection that is not free. Raw write and gate take turns, in rotating order,
each into a table of its own that is empty (for MERGE: full); the table shows medians. Exits 1 where a bar is missed.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.proxy import proxied
from tests.helpers.s3_server import s3_server

import floe
from floe.actions.load.settings import load_settings
from floe.engine.spark.session import own_session
from floe.settings import Settings
from floe.tables import storage

PROVED = """
      - {name: l_orderkey, physicalType: bigint, required: true KEY1}
      - {name: l_linenumber, physicalType: int, required: true KEY2}
      - {name: l_partkey, physicalType: bigint, required: true}
      - {name: l_suppkey, physicalType: bigint, required: true}
      - {name: l_quantity, physicalType: 'decimal(15,2)', required: true, logicalType: number, logicalTypeOptions: {minimum: 1, maximum: 50}}
      - {name: l_extendedprice, physicalType: 'decimal(15,2)', required: true}
      - {name: l_discount, physicalType: 'decimal(15,2)', logicalType: number, logicalTypeOptions: {minimum: 0, maximum: 1}}
      - {name: l_tax, physicalType: 'decimal(15,2)', logicalType: number, logicalTypeOptions: {minimum: 0, maximum: 1}}
      - {name: l_returnflag, physicalType: string FLAG}
      - {name: l_linestatus, physicalType: string STATUS}
      - {name: l_shipdate, physicalType: date}
      - {name: l_commitdate, physicalType: date, required: true}
      - {name: l_receiptdate, physicalType: date}
      - {name: l_shipinstruct, physicalType: string, logicalType: string INSTRUCT}
      - {name: l_shipmode, physicalType: string, required: true}
      - {name: l_comment, physicalType: string, logicalType: string COMMENT}
      - {name: l_net, physicalType: 'decimal(32,4)'}
"""
HEAD = """apiVersion: v3.1.0
kind: DataContract
id: urn:gates
name: gates
version: 1.0.0
status: active
schema:
  - name: lineitem
QUALITY
CUSTOM
    properties:"""
LISTED = ", quality: [{{metric: invalidValues, arguments: {{validValues: [{}]}}, mustBe: 0}}]"
DATES = "    quality: [{id: dates, type: custom, engine: floe, implementation: {pointInTime: {rule: l_shipdate <= l_receiptdate}}}]"
BARS = {
    "append-proved": {"delta": 1.0, "iceberg": 1.05},
    "append-rows": {"delta": 1.25, "iceberg": 1.35},
    "append-keys": {"delta": 1.6, "iceberg": 1.6},
    "merge": {
        "delta": 1.4,
        "iceberg": 1.4,
    },  # rules of rows and the key: a MERGE is never let in without its key judged
    "quarantine": {"delta": 1.35, "iceberg": 1.35},
}


def contract(rows: bool, keys: bool, quarantine: bool) -> str:
    """A contract of lineitem with rules of some kinds."""
    text = HEAD.replace("QUALITY", DATES if rows else "").replace(
        "CUSTOM", "    customProperties: [{property: onViolation, value: quarantine}]" if quarantine else ""
    )
    fields = PROVED
    marks = {
        "KEY1": ", primaryKey: true, primaryKeyPosition: 1" if keys else "",
        "KEY2": ", primaryKey: true, primaryKeyPosition: 2" if keys else "",
        "FLAG": LISTED.format("R, A, N") if rows else "",
        "STATUS": LISTED.format("O, F") if rows else "",
        "INSTRUCT": ", logicalTypeOptions: {pattern: '^[A-Z]+( [A-Z]+)*$'}" if rows else "",
        "COMMENT": ", logicalTypeOptions: {pattern: '^[^@]*$'}" if rows else "",
    }
    for mark, value in marks.items():
        fields = fields.replace(f" {mark}", value)
    return text + fields


@dataclass
class Bench:
    """A session, the frame, and where tables go."""

    spark: Any
    settings: Settings
    frame: Any
    root: str
    requests: Callable[[], int] | None = None

    def table(self, format_: str, name: str) -> str:
        """The name of a table that is not there."""
        if format_ == "iceberg":
            self.spark.sql(f"DROP TABLE IF EXISTS ice.bench.{name} PURGE")
            return f"ice.bench.{name}"
        storage.remove_folder(f"{self.root}/{name}")
        return f"{self.root}/{name}"

    def raw(self, rows: Any, format_: str, table: str) -> None:
        """Append as a user would."""
        if format_ == "iceberg":
            rows.writeTo(table).append()
        else:
            rows.write.format("delta").mode("append").save(table)

    def gate(self, rows: Any, text: str, table: str, mode: str = "append") -> Any:
        """The same through floe."""
        return floe.enforce(rows, text, mode=mode, table=table, layer="silver", settings=self.settings)


def case(bench: Bench, name: str, format_: str) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """The raw write and the gate of a case, each with its table made ready before the clock runs."""
    text = contract("proved" not in name, "keys" in name or "merge" in name, name == "quarantine")
    rows = bench.frame
    if name == "quarantine":
        rows = rows.selectExpr(
            *(c for c in rows.columns if c != "l_quantity"),
            "CAST(CASE WHEN pmod(hash(l_orderkey, l_linenumber), 1000) = 0 THEN 99 ELSE l_quantity END AS decimal(15,2)) AS l_quantity",
        ).select(*rows.columns)
    mine, other = bench.table(format_, f"floe_{format_}"), bench.table(format_, f"raw_{format_}")
    bench.gate(rows.limit(0), text, mine)
    bench.gate(rows.limit(0), text, other)
    if not name.startswith("merge"):
        return lambda: bench.raw(rows, format_, other), lambda: bench.gate(rows, text, mine)
    for table in (mine, other):
        bench.raw(bench.frame, format_, table)
    batch = rows.where("l_orderkey % 10 = 0")
    batch.createOrReplaceTempView("batch")
    sql_name = other if format_ == "iceberg" else f"delta.`{other}`"
    merge = (
        f"MERGE INTO {sql_name} t USING batch s ON t.l_orderkey = s.l_orderkey AND t.l_linenumber = s.l_linenumber "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    return lambda: bench.spark.sql(merge), lambda: bench.gate(batch, text, mine, "merge")


def clocked(call: Callable[[], Any]) -> tuple[float, Any]:
    """How long a call took, and what it said."""
    started = time.perf_counter()
    said = call()
    return time.perf_counter() - started, said


def counted(bench: Bench, name: str, format_: str) -> bool:
    """Print how many requests a raw write and a gate make."""
    assert bench.requests
    counts = []
    for call in case(bench, name, format_):
        before = bench.requests()
        call()
        counts.append(bench.requests() - before)
    print(f"{name:<14} {format_:<8} {counts[0]:5} requests by the raw write, {counts[1]:5} by the gate", flush=True)
    return True


def measure(bench: Bench, name: str, format_: str, rounds: int) -> bool:
    """Print a case's medians; whether its bar holds."""
    raws, gates, way = [], [], ""
    small = replace(bench, frame=bench.frame.where("l_orderkey % 10 = 0"))
    for number in range(rounds + 1):
        raw, gate = case(bench if number else small, name, format_)
        calls = [("raw", raw), ("gate", gate)]
        for kind, call in calls if number % 2 else reversed(calls):
            seconds, said = clocked(call)
            if number:  # the first round warms up, with a tenth of the rows
                (raws if kind == "raw" else gates).append(seconds)
            way = said.way if kind == "gate" else way
    raw_s, gate_s = statistics.median(raws), statistics.median(gates)
    bar = BARS[name][format_]
    kept = gate_s / raw_s <= bar
    print(
        f"{name:<14} {format_:<8} {raw_s:7.2f} s {gate_s:7.2f} s  {gate_s / raw_s:5.2f}x  bar {bar:4.2f}  {'ok' if kept else 'MISSED'}  {way}",
        flush=True,
    )
    return kept


def lineitem(scale: float, data: Path) -> Path:
    """TPC-H's lineitem, clean, made once."""
    out = data / f"clean-sf{scale:g}"
    if not (out / "lineitem.parquet").exists():
        tool = Path(sys.executable).parent / "tpchgen-cli"
        subprocess.run([str(tool), "parquet", "-s", f"{scale:g}", "-T", "lineitem", "-o", str(out), "-q"], check=True)
    return out / "lineitem.parquet"


def batch_of(spark: Any, source: Path) -> Any:
    """Line items with a projection that is not free."""
    net = "CAST(l_extendedprice * (1 - l_discount) AS decimal(32,4)) AS l_net"
    return spark.read.parquet(str(source)).selectExpr(
        *(c for c in ("l_orderkey", "CAST(l_linenumber AS int) AS l_linenumber", "l_partkey", "l_suppkey")),
        *(f"CAST({c} AS decimal(15,2)) AS {c}" for c in ("l_quantity", "l_extendedprice", "l_discount", "l_tax")),
        *("l_returnflag", "l_linestatus", "l_shipdate", "l_commitdate", "l_receiptdate"),
        *("l_shipinstruct", "l_shipmode", "l_comment", net),
    )


def on_s3(folder: Path, counting: bool, parts: ExitStack) -> Callable[[], int]:
    """Start a local S3 service and point the environment at it; how many requests it has had, where they are counted."""
    folder.mkdir()
    s3 = parts.enter_context(s3_server(folder))
    endpoint, requests = s3.endpoint, lambda: 0
    if counting:
        proxy = parts.enter_context(proxied(int(endpoint.rpartition(":")[2])))
        endpoint = f"http://127.0.0.1:{proxy.port}"

        def requests() -> int:
            return proxy.requests(b" HTTP/1.1\r\n")

    os.environ.update({**s3.variables, "AWS_ENDPOINT_URL": endpoint})
    return requests


def main() -> int:
    """Run the cases that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sf", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "floe-tpch")
    parser.add_argument("--only", nargs="*", default=list(BARS), choices=list(BARS))
    parser.add_argument("--format", nargs="*", default=["delta", "iceberg"], choices=["delta", "iceberg"])
    parser.add_argument("--store", choices=["local", "s3"], default="local")
    parser.add_argument("--requests", action="store_true", help="count requests to the store; with --store s3")
    options = parser.parse_args()
    source = lineitem(options.sf, options.data)
    with ExitStack() as parts:
        root = Path(parts.enter_context(tempfile.TemporaryDirectory(dir=options.data)))
        place, requests = str(root), None
        if options.store == "s3":
            place = "s3://lake"
            requests = on_s3(root / "s3", options.requests, parts)
        given = {"spark.master": "local[2]", "data_contracts.enforcement": "block", "tables.warehouse": place}
        if options.store == "s3":
            given["catalogs"] = {"ice": {"type": "sql", "uri": "sqlite:///catalog.db", "warehouse": f"{place}/ice"}}
        # the raw MERGE names its table by path, as users' sessions allow and floe's own does not
        conf = {"spark.driver.memory": "6g", "spark.sql.runSQLOnFiles": "true"}
        settings = load_settings({**given, "spark.conf": conf}, start=root)
        spark = own_session(settings)
        spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.bench")
        storage.use(settings.stores)
        bench = Bench(spark, settings, batch_of(spark, source), place, requests)
        print(f"lineitem SF{options.sf:g} on {place}, median of {options.rounds}: raw write, gate, ratio", flush=True)
        cases = [(name, form) for name in options.only for form in options.format]
        if options.requests:
            kept = [counted(bench, name, form) for name, form in cases]
        else:
            kept = [measure(bench, name, form, options.rounds) for name, form in cases]
        spark.stop()
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
