"""Soda Core: its own contracts on views of the session."""

import json
import logging
from typing import Any

from peer import Answer, Answers, Bench, Rule, main
from soda_core.common.yaml import ContractYamlSource
from soda_core.contracts.contract_verification import CheckOutcome, ContractVerificationSession
from soda_sparkdf import SparkDataFrameDataSource
from tpch_rules import MAX_DAYS

SOURCE = "bench"


def prepare(bench: Bench) -> tuple[Any, dict[str, str], dict[str, Rule]]:
    logging.disable(logging.WARNING)
    source = SparkDataFrameDataSource.from_existing_session(session=bench.spark, name=SOURCE)
    return source, {name: contract(bench, name) for name in bench.tables}, {rule.name: rule for rule in bench.rules}


def contract(bench: Bench, table: str) -> str:
    columns: dict[str, list[Any]] = {}
    checks = []
    for rule in bench.of(table):
        if rule.kind in ("volume", "freshness", "order") or len(rule.columns) > 1:
            checks.append(of_table(rule))
        else:
            columns.setdefault(rule.column, []).append(of_column(rule))
    doc = {"dataset": f"{SOURCE}/{table}", "columns": [{"name": name, "checks": on} for name, on in columns.items()]}
    return json.dumps(doc | ({"checks": checks} if checks else {}))


def of_column(rule: Rule) -> dict[str, Any]:
    named, given = {"name": rule.name, "qualifier": rule.id}, rule.given
    match rule.kind:
        case "not null":
            return {"missing": named}
        case "range":
            return {"invalid": {**named, "valid_min": given["least"], "valid_max": given["most"]}}
        case "listed":
            return {"invalid": {**named, "valid_values": given["values"]}}
        case "pattern":
            return {"invalid": {**named, "valid_format": {"name": rule.id, "regex": given["pattern"]}}}
        case "reference":
            target = {"dataset": f"{SOURCE}/{given['table']}", "column": given["column"]}
            return {"invalid": {**named, "valid_reference_data": target}}
    return {"duplicate": named}


def of_table(rule: Rule) -> dict[str, Any]:
    named, given = {"name": rule.name, "qualifier": rule.id}, rule.given
    match rule.kind:
        case "unique":
            return {"duplicate": {**named, "columns": list(rule.columns)}}
        case "volume":
            bounds = {"greater_than_or_equal": given["least"], "less_than_or_equal": given["most"]}
            return {"row_count": {**named, "threshold": {"must_be_between": bounds}}}
        case "freshness":
            limit = {"unit": "day", "must_be_less_than": MAX_DAYS}
            return {"freshness": {**named, "column": rule.column, "threshold": limit}}
    return {"failed_rows": {**named, "expression": rule.bad}}


def verify(state: tuple[Any, dict[str, str], dict[str, Rule]]) -> Answers:
    source, contracts, rules = state
    found = {}
    for text in contracts.values():
        sources = [ContractYamlSource.from_str(text)]
        done = ContractVerificationSession.execute(contract_yaml_sources=sources, data_source_impls=[source])
        for one in done.contract_verification_results[0].check_results:
            name, kept = one.check.name, one.outcome == CheckOutcome.PASSED
            if one.outcome not in (CheckOutcome.PASSED, CheckOutcome.FAILED):
                raise RuntimeError(f"{name}: {one.outcome}")
            whole = rules[name].kind in ("volume", "freshness")
            found[name] = Answer(kept, int(not kept) if whole else int(one.threshold_value))
    return found


if __name__ == "__main__":
    raise SystemExit(main(verify, prepare))
