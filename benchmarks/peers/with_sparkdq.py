"""SparkDQ: row checks annotate every row, aggregate checks run on their own.

It has no free SQL: dates in order are its column-greater-than check. Its summary gives totals only, so the counts of
the row rules come from one aggregation over the annotated rows.
"""

from typing import Any

from peer import Answer, Answers, Bench, Rule, main
from sparkdq import checks
from sparkdq.engine.batch.dq_engine import BatchDQEngine
from sparkdq.management.check_set import CheckSet
from tpch_rules import MAX_DAYS


def verify(bench: Bench) -> Answers:
    found: dict[str, Answer] = {}
    for name, table in bench.tables.items():
        asked = CheckSet()
        for rule in bench.of(name):
            asked.add_check(check_of(rule))
        result = BatchDQEngine(asked).run_batch(table, reference_datasets=bench.tables)
        for one in result.aggregate_results:
            count = one.metrics.get("duplicate_row_groups", one.metrics.get("missing_foreign_keys"))
            found[one.check_id] = Answer(one.passed, int(not one.passed) if count is None else count)
        rows = [rule for rule in bench.of(name) if rule.bad]
        if rows:
            counts = (f"count_if(exists(_dq_errors, x -> x.`check-id` = '{rule.id}'))" for rule in rows)
            counted = zip(rows, result.df.selectExpr(*counts).collect()[0], strict=True)
            found |= {rule.id: Answer.counted(count) for rule, count in counted}
    return {rule.name: found[rule.id] for rule in bench.rules}


def check_of(rule: Rule) -> Any:
    given, one = rule.given, {"check_id": rule.id, "column": rule.columns[0] if rule.columns else None}
    many = {"check_id": rule.id, "columns": list(rule.columns)}
    bounds = {"min_value": given.get("least"), "max_value": given.get("most")}
    match rule.kind:
        case "not null":
            return checks.NullCheckConfig(**many)
        case "range":
            return checks.NumericBetweenCheckConfig(**many, **bounds, inclusive=(True, True))
        case "listed":
            return checks.IsContainedInCheckConfig(check_id=rule.id, allowed_values={rule.column: given["values"]})
        case "pattern":
            return checks.RegexMatchCheckConfig(**one, pattern=given["pattern"])
        case "order":
            columns = {"column": rule.columns[1], "limit": rule.column}
            return checks.ColumnGreaterThanCheckConfig(check_id=rule.id, **columns, inclusive=True)
        case "unique":
            return checks.UniqueRowsCheckConfig(check_id=rule.id, subset_columns=list(rule.columns))
        case "reference":
            target = {"reference_dataset": given["table"], "reference_column": given["column"]}
            return checks.ForeignKeyCheckConfig(**one, **target)
        case "volume":
            counts = {"min_count": given["least"], "max_count": given["most"]}
            return checks.RowCountBetweenCheckConfig(check_id=rule.id, **counts)
    return checks.FreshnessCheckConfig(**one, interval=MAX_DAYS, period="day")


if __name__ == "__main__":
    raise SystemExit(main(verify))
