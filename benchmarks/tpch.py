"""What a contract of 21 rules costs on top of reading the table: floe, a hand-written ideal and a naive loop.

    python benchmarks/tpch.py [--sf 1] [--rounds 3] [--data FOLDER] [--beside ideal naive] [--rules]

Data is TPC-H's lineitem and orders with planted violations; every way must find just those. One session (local[2]),
each way warmed up once, then rounds of bare scan and way; the table shows the median round. CPU is that of Spark's
tasks, steadier than wall time on a shared machine. Exits 1 where a way finds something else, or floe misses its bar.
--rules shows instead how the cost of floe's row pass grows with the number of rules.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent))
from measure import race, session
from tpch_data import generate
from tpch_rules import COLUMNS, EXPECTED, KEY, ROW_RULES

if TYPE_CHECKING:
    from collections.abc import Callable

BAR = 2.5
CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: urn:tpch
name: tpch
version: 1.0.0
status: active
schema:
  - name: lineitem
    quality:
      - {id: volume, metric: rowCount, mustBeBetween: [LOW, HIGH]}
      - {id: dates, type: custom, engine: floe, implementation: {pointInTime: {rule: l_shipdate <= l_receiptdate}}}
    properties:
      - {name: l_orderkey, physicalType: bigint, required: true, primaryKey: true, primaryKeyPosition: 1,
         relationships: [{to: orders.o_orderkey}]}
      - {name: l_linenumber, physicalType: int, required: true, primaryKey: true, primaryKeyPosition: 2}
      - {name: l_partkey, physicalType: bigint, required: true}
      - {name: l_suppkey, physicalType: bigint, required: true}
      - {name: l_quantity, physicalType: "decimal(15,2)", logicalType: number, required: true, logicalTypeOptions: {minimum: 1, maximum: 50}}
      - {name: l_extendedprice, physicalType: "decimal(15,2)", required: true}
      - {name: l_discount, physicalType: "decimal(15,2)", logicalType: number, logicalTypeOptions: {minimum: 0, maximum: 0.10}}
      - {name: l_tax, physicalType: "decimal(15,2)", logicalType: number, logicalTypeOptions: {minimum: 0, maximum: 0.08}}
      - {name: l_returnflag, physicalType: string, quality: [{metric: invalidValues, arguments: {validValues: [R, A, N]}, mustBe: 0}]}
      - {name: l_linestatus, physicalType: string, quality: [{metric: invalidValues, arguments: {validValues: [O, F]}, mustBe: 0}]}
      - {name: l_shipdate, physicalType: date, quality: [{type: custom, engine: floe, implementation: {freshness: {maxDelay: 36500d}}}]}
      - {name: l_commitdate, physicalType: date, required: true}
      - {name: l_receiptdate, physicalType: date}
      - {name: l_shipinstruct, physicalType: string, logicalType: string, logicalTypeOptions: {pattern: "^[A-Z]+( [A-Z]+)*$"}}
      - {name: l_shipmode, physicalType: string, required: true}
      - {name: l_comment, physicalType: string, logicalType: string, logicalTypeOptions: {pattern: "^[^@]*$"}}
  - name: orders
    properties:
      - {name: o_orderkey, physicalType: bigint, unique: true}
"""


@dataclass(frozen=True, slots=True)
class Tables:
    lineitem: Any
    orders: Any
    rows: int
    folder: Path


def bare(tables: Tables) -> None:
    """One aggregation that touches every column the rules touch: the floor."""
    tables.lineitem.selectExpr("count(*)", *(f"count({column})" for column in COLUMNS)).collect()


def with_floe(tables: Tables) -> dict[str, int]:
    """What `floe test` does with the two folders of Parquet files, in the session that is there."""
    from floe.actions.load.settings import load_settings
    from floe.actions.verify import verify_some
    from floe.contract.formats import read
    from floe.tables.locate import TableSelector

    text = CONTRACT.replace("LOW", str(int(tables.rows * 0.9))).replace("HIGH", str(int(tables.rows * 1.1)))
    contract, _ = read(text, "tpch.yaml")
    assert contract is not None
    found: dict[str | None, int] = {}
    settings = load_settings(start=tables.folder)
    for dataset in contract.datasets:
        way = TableSelector(str(tables.folder / dataset.name), None, {"orders": str(tables.folder / "orders")})
        for one in verify_some(contract, dataset, way, settings).expectations:
            name = _named(one.id)  # none for what is said about the schema
            failed = int(one.outcome == "fail")
            found[name] = found.get(name, 0) + (failed if one.violations is None else one.violations)
    return {name: count for name, count in found.items() if name}


def _named(id_: str) -> str | None:
    """The rule an expectation belongs to."""
    table, _, kind = id_.partition(":")
    column = table.partition(".")[2].removeprefix("l_")
    names = {
        "null-value": f"{column} null",
        "below-minimum": f"{column} range",
        "above-maximum": f"{column} range",
        "value-not-listed": f"{column} listed",
        "pattern-mismatch": f"{column} pattern",
        "reference": "order found",
        "quality.volume": "volume",
        "quality.dates": "dates in order",
        "quality.custom": "freshness",
        "key-duplicated": "lineitem key",
        "value-duplicated": "orders key",
    }
    return names.get(kind)


def ideal(tables: Tables) -> dict[str, int]:
    """What a patient person writes: one aggregation, a groupBy per key, an anti join; no samples."""
    wanted = [f"count_if({bad})" for bad in ROW_RULES.values()]
    rows, newest, *counts = tables.lineitem.selectExpr("count(*)", "max(l_shipdate)", *wanted).collect()[0]
    keys = {"lineitem key": (tables.lineitem, KEY), "orders key": (tables.orders, ("o_orderkey",))}
    found = dict(zip(ROW_RULES, counts, strict=True)) | {
        name: _twice(table.select(*key).repartition(*key), key) for name, (table, key) in keys.items()
    }
    found["order found"] = _lost(tables)
    return found | _whole(tables, rows, newest)


def naive(tables: Tables) -> dict[str, int]:
    """One query per rule."""
    found = {name: tables.lineitem.where(bad).count() for name, bad in ROW_RULES.items()}
    found |= {"lineitem key": _twice(tables.lineitem, KEY), "orders key": _twice(tables.orders, ("o_orderkey",))}
    found["order found"] = _lost(tables)
    newest = tables.lineitem.selectExpr("max(l_shipdate)").collect()[0][0]
    return found | _whole(tables, tables.lineitem.count(), newest)


def _twice(rows: Any, key: tuple[str, ...]) -> int:
    groups = rows.groupBy(*key).count().where("count > 1")
    return int(groups.selectExpr("coalesce(sum(count - 1), 0)").collect()[0][0])


def _lost(tables: Tables) -> int:
    orders = tables.orders.selectExpr("o_orderkey AS l_orderkey")
    return int(tables.lineitem.join(orders, ["l_orderkey"], "left_anti").count())


def _whole(tables: Tables, rows: int, newest: Any) -> dict[str, int]:
    outside = not tables.rows * 0.9 <= rows <= tables.rows * 1.1
    return {"volume": int(outside), "freshness": int(str(newest) < "1998-11-01")}


def compare(spark: Any, tables: Tables, rounds: int, only: list[str]) -> bool:
    ways: dict[str, Callable[[Tables], Any]] = {"bare scan": bare, "floe": with_floe, "ideal": ideal, "naive": naive}
    ways = {name: way for name, way in ways.items() if name in ("bare scan", "floe", *only)}
    done = race(spark, {name: lambda way=way: way(tables) for name, way in ways.items()}, rounds)
    floor = done["bare scan"][1]
    print(f"{'way':<12}{'CPU s':>8}{'x bare':>8}{'wall s':>9}{'x bare':>8}{'queries':>9}{'jobs':>6}  finds")
    right = True
    for name, (found, taken) in done.items():
        wrong = (
            {} if found is None else {rule: found.get(rule) for rule in EXPECTED if found.get(rule) != EXPECTED[rule]}
        )
        right &= not wrong
        said = "" if found is None else f"differs: {wrong}" if wrong else f"all {len(EXPECTED)} rules as planted"
        print(
            f"{name:<12}{taken.cpu:>8.2f}{taken.cpu / floor.cpu:>8.2f}{taken.wall:>9.2f}{taken.wall / floor.wall:>8.2f}"
            f"{taken.queries:>9.0f}{taken.jobs:>6.0f}  {said}"
        )
    ratio = done["floe"][1].cpu / floor.cpu
    print(f"floe: {ratio:.2f} x the task CPU of a bare scan, bar {BAR}: {'holds' if ratio <= BAR else 'MISSED'}")
    return right and ratio <= BAR


def growth(spark: Any, tables: Tables, rounds: int) -> bool:
    """How the row pass grows with its rules: bounds that differ, over eight columns, of which no file can be left out."""
    from floe.engine.spark.row_pass import RowPassRequest, count_rows, key_of
    from floe.model import Severity
    from floe.model.plan import Expectation

    numbers = ("l_partkey", "l_suppkey", "l_quantity", "l_extendedprice", "l_discount", "l_tax", *KEY)

    def rule(n: int) -> Expectation:
        column = numbers[n % 8]
        sql = f"{column}{' + 0' if n < 8 else ''} < {-1 - n} OR {column} > {100_000_000 + n}"
        said = {"name": "range", "field": column, "severity": Severity.ERROR, "columns": (column,)}
        return Expectation(id=str(n), code="E554", sql=sql, **said)

    key = key_of(tables.lineitem, KEY)
    calls = {
        str(count): lambda count=count: count_rows(
            RowPassRequest(tables.lineitem, key, [rule(n) for n in range(count)], 0, total=tables.rows)
        )
        for count in (20, 60, 300)
    }
    done = race(spark, calls, rounds)
    first = done["20"][1]
    print(f"{'rules':<8}{'CPU s':>8}{'x 20':>8}{'wall s':>9}{'x 20':>8}{'queries':>9}")
    for name, (_, taken) in done.items():
        print(
            f"{name:<8}{taken.cpu:>8.2f}{taken.cpu / first.cpu:>8.2f}{taken.wall:>9.2f}{taken.wall / first.wall:>8.2f}"
            f"{taken.queries:>9.0f}"
        )
    fine = True
    for name, bar in (("60", 2.0), ("300", 6.0)):
        ratio = done[name][1].cpu / first.cpu
        fine &= ratio <= bar
        print(f"{name} rules: {ratio:.2f} x the task CPU of 20, bar {bar:g}: {'holds' if ratio <= bar else 'MISSED'}")
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sf", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "floe-bench-tpch")
    parser.add_argument("--beside", nargs="*", default=["ideal", "naive"], choices=["ideal", "naive"])
    parser.add_argument("--rules", action="store_true")
    given = parser.parse_args()
    folder = generate(given.sf, given.data)
    rows = json.loads((folder / "rows.json").read_text())
    spark = session()
    lineitem, orders = (spark.read.parquet(str(folder / name)) for name in ("lineitem", "orders"))
    print(f"TPC-H SF{given.sf:g}: {rows['lineitem']:,} line items, {rows['orders']:,} orders; {given.rounds} rounds")
    tables = Tables(lineitem, orders, rows["lineitem"], folder)
    fine = growth(spark, tables, given.rounds) if given.rules else compare(spark, tables, given.rounds, given.beside)
    spark.stop()
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
