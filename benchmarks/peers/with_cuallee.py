"""cuallee: row rules by observe(), one select for distinct counts, a query for each custom rule."""

from typing import Any

from cuallee import Check, CheckLevel
from peer import Answer, Answers, Bench, Rule, main
from pyspark.sql import functions as sql
from tpch_rules import OLDEST


def verify(bench: Bench) -> Answers:
    found: dict[str, Answer] = {}
    for name, table in bench.tables.items():
        check, asked = Check(CheckLevel.WARNING, name), [rule for rule in bench.of(name) if rule.kind != "volume"]
        for rule in asked:
            add(check, rule, bench)
        rows = sorted(check.validate(table).collect(), key=lambda row: row["id"])
        for rule, row in zip(asked, rows, strict=True):
            found[rule.name] = Answer(row["status"] == "PASS", int(row["violations"]))
        for rule in bench.of(name):
            if rule.kind == "volume":  # every line of its result has the number of rows
                found[rule.name] = Answer.counted(int(not rule.given["least"] <= rows[0]["rows"] <= rule.given["most"]))
    return found


def add(check: Any, rule: Rule, bench: Bench) -> None:
    column, given = rule.column, rule.given
    match rule.kind:
        case "not null":
            check.is_complete(column)
        case "range":
            check.is_between(column, (given["least"], given["most"]))
        case "listed":
            check.is_contained_in(column, tuple(given["values"]))
        case "pattern":
            check.has_pattern(column, given["pattern"])
        case "unique" if len(rule.columns) == 1:
            check.is_unique(column)
        case "unique":
            check.are_unique(rule.columns)
        case "order":
            check.satisfies("l_orderkey", f"{rule.columns[1]} >= {column}")
        case "reference":
            keys = bench.tables[given["table"]].select(sql.col(given["column"]).alias("found")).distinct()
            check.is_custom(column, lambda frame: referring(frame, column, keys))
        case "freshness":  # has_max takes numbers, and only equality
            check.is_custom(column, lambda frame: fresh(frame, column))


def referring(frame: Any, column: str, keys: Any) -> Any:
    joined = frame.select(column).join(keys, sql.col(column) == sql.col("found"), "left")
    return joined.select(sql.col("found").isNotNull().alias("ok"))


def fresh(frame: Any, column: str) -> Any:
    newest = frame.agg((sql.max(column) >= sql.lit(OLDEST).cast("date")).alias("ok"))
    return frame.select(column).crossJoin(sql.broadcast(newest)).select("ok")


if __name__ == "__main__":
    raise SystemExit(main(verify))
