"""datacontract-cli: an ODCS contract on frames of the session."""

import json
import logging
from collections.abc import Sequence
from typing import Any

from datacontract.data_contract import DataContract
from peer import Answer, Answers, Bench, Rule, main
from tpch_rules import MAX_DAYS

TYPES = {"bigint": "integer", "int": "integer", "string": "string", "date": "date"}
# what it calls the checks that have no id of ours
NAMES = {
    "not null": ("field_required",),
    "range": ("field_minimum", "field_maximum"),
    "pattern": ("field_regex",),
    "unique": ("field_unique",),
}


def prepare(bench: Bench) -> tuple[Bench, str]:
    logging.disable(logging.WARNING)
    fresh = next(rule for rule in bench.rules if rule.kind == "freshness")
    element = f"{fresh.table}.{fresh.column}"
    kind = [{"property": "customType", "value": "dataframe"}]
    return bench, json.dumps(
        {
            "apiVersion": "v3.1.0",
            "kind": "DataContract",
            "id": "bench",
            "name": "bench",
            "version": "1.0.0",
            "status": "active",
            "servers": [{"server": "session", "type": "custom", "customProperties": kind}],
            "schema": [table(bench, name) for name in bench.tables],
            "slaProperties": [{"property": "freshness", "value": MAX_DAYS, "unit": "d", "element": element}],
        }
    )


def table(bench: Bench, name: str) -> dict[str, Any]:
    fields = bench.tables[name].schema.fields
    return {
        "name": name,
        "physicalName": name,
        "physicalType": "table",
        "properties": [column(field, bench.of(name)) for field in fields],
        "quality": [said for said in map(quality, bench.of(name)) if said],
    }


def column(field: Any, asked: Sequence[Rule]) -> dict[str, Any]:
    written = field.dataType.simpleString()
    said: dict[str, Any] = {"name": field.name, "logicalType": TYPES.get(written, "number")}
    for rule in asked:
        if rule.columns[:1] == (field.name,):
            merge(said, rule)
    return said


def merge(said: dict[str, Any], rule: Rule) -> None:
    given = rule.given
    match rule.kind:
        case "not null":
            said["required"] = True
        case "range":
            said["logicalTypeOptions"] = {"minimum": given["least"], "maximum": given["most"]}
        case "pattern":
            said["logicalTypeOptions"] = {"pattern": given["pattern"]}
        case "listed":
            metric = {"type": "library", "id": rule.id, "metric": "invalidValues", "mustBe": 0}
            said["quality"] = [{**metric, "arguments": {"validValues": given["values"]}}]
        case "unique" if len(rule.columns) == 1:
            said["unique"] = True


def quality(rule: Rule) -> dict[str, Any]:
    given, library = rule.given, {"type": "library", "id": rule.id}
    match rule.kind:
        case "unique" if len(rule.columns) > 1:
            return {**library, "metric": "duplicateValues", "arguments": {"properties": [*rule.columns]}, "mustBe": 0}
        case "volume":
            return {**library, "metric": "rowCount", "mustBeBetween": [given["least"], given["most"]]}
        case "reference":
            target = f"{given['table']} o ON l.{rule.column} = o.{given['column']}"
            query = f"SELECT count(*) AS n FROM {rule.table} l LEFT ANTI JOIN {target}"
            return {"type": "sql", "id": rule.id, "mustBe": 0, "query": query}
        case "order":
            query = f"SELECT count(*) AS n FROM {rule.table} WHERE {rule.bad}"
            return {"type": "sql", "id": rule.id, "mustBe": 0, "query": query}
    return {}


def verify(state: tuple[Bench, str]) -> Answers:
    bench, contract = state
    done = DataContract(data_contract_str=contract, spark=bench.spark).test()
    mine = [(rule, [one for one in done.checks if about(one, rule)]) for rule in bench.rules]
    return {rule.name: answer(rule, checks) for rule, checks in mine if checks}


def about(check: Any, rule: Rule) -> bool:
    if check.model not in (None, rule.table):
        return False
    if getattr(check, "qualityId", None) == rule.id:
        return True
    if rule.kind == "freshness":
        return "fresh" in check.type
    single = len(rule.columns) == 1
    return single and check.type in NAMES.get(rule.kind, ()) and check.field == rule.column


def answer(rule: Rule, checks: Sequence[Any]) -> Answer:
    said = [getattr(one.result, "value", str(one.result)) for one in checks]
    for one, word in zip(checks, said, strict=True):
        if word not in ("passed", "failed"):
            raise RuntimeError(f"{rule.name}: {word} {one.reason}")
    kept = set(said) == {"passed"}
    if rule.kind in ("volume", "freshness"):
        return Answer.counted(int(not kept))
    counts = [count(one) for one, word in zip(checks, said, strict=True) if word == "failed"]
    return Answer(kept, None if None in counts else sum(filter(None, counts)))


def count(check: Any) -> int | None:
    said = getattr(check, "diagnostics", None) or {}
    value = said.get("value", said.get("actual"))
    return None if value is None else int(value)


if __name__ == "__main__":
    raise SystemExit(main(verify, prepare))
