"""Great Expectations on frames; --say SUMMARY (its counts) or BOOLEAN_ONLY, the cheapest it can do.

It keeps the batch in memory by default; each round begins without.
"""

import logging
import sys
from datetime import date
from typing import Any

import great_expectations as gx
from great_expectations import expectations as expect
from peer import Answer, Answers, Bench, Rule, main
from tpch_rules import OLDEST

SAY = sys.argv[sys.argv.index("--say") + 1]


def prepare(bench: Bench) -> tuple[Bench, dict[str, Any]]:
    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    source = context.data_sources.add_spark("bench")
    made = {}
    for name in bench.tables:
        batch = source.add_dataframe_asset(name=name).add_batch_definition_whole_dataframe(name)
        suite = gx.ExpectationSuite(name=name, expectations=[expectation(rule) for rule in bench.of(name)])
        definition = gx.ValidationDefinition(name=name, data=batch, suite=context.suites.add(suite))
        made[name] = context.validation_definitions.add(definition)
    return bench, made


def expectation(rule: Rule) -> Any:
    given, meta = rule.given, {"rule": rule.name}
    column = rule.columns[0] if rule.columns else None
    bounds = {"min_value": given.get("least"), "max_value": given.get("most")}
    match rule.kind:
        case "not null":
            return expect.ExpectColumnValuesToNotBeNull(column=column, meta=meta)
        case "range":
            return expect.ExpectColumnValuesToBeBetween(column=column, **bounds, meta=meta)
        case "listed":
            return expect.ExpectColumnValuesToBeInSet(column=column, value_set=given["values"], meta=meta)
        case "pattern":
            return expect.ExpectColumnValuesToMatchRegex(column=column, regex=given["pattern"], meta=meta)
        case "order":
            pair = {"column_A": rule.columns[1], "column_B": column, "or_equal": True}
            return expect.ExpectColumnPairValuesAToBeGreaterThanB(**pair, meta=meta)
    return of_table(rule, bounds)


def of_table(rule: Rule, bounds: dict[str, Any]) -> Any:
    meta, given = {"rule": rule.name}, rule.given
    match rule.kind:
        case "unique" if len(rule.columns) == 1:
            return expect.ExpectColumnValuesToBeUnique(column=rule.column, meta=meta)
        case "unique":
            return expect.ExpectCompoundColumnsToBeUnique(column_list=list(rule.columns), meta=meta)
        case "volume":
            return expect.ExpectTableRowCountToBeBetween(**bounds, meta=meta)
        case "freshness":
            least = date.fromisoformat(OLDEST)
            return expect.ExpectColumnMaxToBeBetween(column=rule.column, min_value=least, meta=meta)
    # it has no expectation about references; its SQL can say one
    target = f"{given['table']} o ON l.{rule.column} = o.{given['column']}"
    query = f"SELECT l.{rule.column} FROM {{batch}} l LEFT ANTI JOIN {target}"
    return expect.UnexpectedRowsExpectation(unexpected_rows_query=query, meta=meta)


def verify(state: tuple[Bench, dict[str, Any]]) -> Answers:
    bench, made = state
    found = {}
    for name, definition in made.items():
        done = definition.run(batch_parameters={"dataframe": bench.tables[name]}, result_format=SAY)
        found |= {one.expectation_config.meta["rule"]: answer(one) for one in done.results}
    bench.spark.catalog.clearCache()
    for _, kept in bench.spark.sparkContext._jsc.getPersistentRDDs().items():
        kept.unpersist()
    return found


def answer(one: Any) -> Answer:
    rule, result, raised = one.expectation_config.meta["rule"], one.result or {}, one.exception_info or {}
    if any(isinstance(said, dict) and said.get("raised_exception") for said in (raised, *raised.values())):
        raise RuntimeError(f"{rule}: {raised}")
    count = result.get("unexpected_count")
    if count is None and rule == "order found" and isinstance(result.get("observed_value"), int):
        count = result["observed_value"]
    return Answer(bool(one.success), count)


if __name__ == "__main__":
    raise SystemExit(main(verify, prepare))
