"""By hand, with patience: --way classic, bitmap or footer.

classic: one aggregation for all that a row can tell, a groupBy per key, an anti join.
bitmap: keys by exact bitmaps instead of a shuffle of the keys; line numbers are below 8, so the key is one number.
footer: as bitmap, and Parquet's footers are asked first: nulls, rows, the newest date, ranges that they prove.
"""

import sys
from typing import Any

import pyarrow.parquet as pq
from peer import Answer, Answers, main
from pyspark.sql import functions as sql
from tpch import Tables, ideal
from tpch_rules import OLDEST, ROW_RULES, rules
from with_floe import prepare

WAY = sys.argv[sys.argv.index("--way") + 1]


def verify(tables: Any) -> Answers:
    ways = {"classic": ideal, "bitmap": with_bitmaps, "footer": with_footers}
    return {name: Answer.counted(count) for name, count in ways[WAY](tables).items()}


def with_bitmaps(tables: Tables) -> dict[str, int]:
    rows, newest, *counts = tables.lineitem.selectExpr(
        "count(*)", "max(l_shipdate)", *(f"count_if({bad})" for bad in ROW_RULES.values())
    ).collect()[0]
    return dict(zip(ROW_RULES, counts, strict=True)) | whole(tables, rows, newest) | keys(tables)


def with_footers(tables: Tables) -> dict[str, int]:
    rows, facts = footers(tables)
    found = {rule.name: facts[rule.column][0] for rule in rules(rows) if rule.kind == "not null"}
    found |= {rule.name: 0 for rule in rules(rows) if rule.kind == "range" and within(facts[rule.column], rule.given)}
    rest = {name: bad for name, bad in ROW_RULES.items() if name not in found}
    counts = tables.lineitem.selectExpr(*(f"count_if({bad})" for bad in rest.values())).collect()[0]
    return found | dict(zip(rest, counts, strict=True)) | whole(tables, rows, facts["l_shipdate"][2]) | keys(tables)


def footers(tables: Tables) -> tuple[int, dict[str, tuple[int, Any, Any]]]:
    """The rows, and of every column its nulls, least and greatest value, as the files themselves say."""
    files = [pq.read_metadata(path) for path in (tables.folder / "lineitem").glob("*.parquet")]
    groups = [file.row_group(n) for file in files for n in range(file.num_row_groups)]
    facts = {}
    for n in range(groups[0].num_columns):
        known = [group.column(n).statistics for group in groups]
        least, most = (min(one.min for one in known), max(one.max for one in known))
        facts[groups[0].column(n).path_in_schema] = (sum(one.null_count for one in known), least, most)
    return sum(file.num_rows for file in files), facts


def within(fact: tuple[int, Any, Any], given: dict[str, Any]) -> bool:
    return float(given["least"]) <= float(fact[1]) and float(fact[2]) <= float(given["most"])


def whole(tables: Tables, rows: int, newest: Any) -> dict[str, int]:
    inside = tables.rows * 0.9 <= rows <= tables.rows * 1.1
    return {"volume": int(not inside), "freshness": int(str(newest) < OLDEST)}


def keys(tables: Tables) -> dict[str, int]:
    orders = tables.orders.selectExpr("o_orderkey AS l_orderkey")
    return {
        "lineitem key": repeated(tables.lineitem.selectExpr("l_orderkey * 8 + l_linenumber AS k")),
        "orders key": repeated(tables.orders.selectExpr("o_orderkey AS k")),
        "order found": tables.lineitem.join(orders, ["l_orderkey"], "left_anti").count(),
    }


def repeated(numbers: Any) -> int:
    bits = ("count(*) AS n", "bitmap_construct_agg(bitmap_bit_position(k)) AS m")
    counts = numbers.groupBy(sql.expr("bitmap_bucket_number(k)")).agg(*map(sql.expr, bits))
    return int(counts.selectExpr("sum(n - bitmap_count(m))").collect()[0][0])


if __name__ == "__main__":
    raise SystemExit(main(verify, prepare))
