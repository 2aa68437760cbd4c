"""pandera on PySpark: a query of its own for each check, which says yes or no."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pandera.pyspark as pa
from pandera import extensions
from peer import Answer, Answers, Bench, Rule, main
from pyspark.sql import functions as sql
from tpch_rules import OLDEST

# what its messages say where a rule of a kind is broken
WORDS = {
    "not null": "null",
    "range": "in_range",
    "listed": "isin",
    "pattern": "str_matches",
    "order": "in_order",
    "reference": "referring",
    "volume": "volume",
    "freshness": "fresh",
}
TABLES: dict[str, Any] = {}


class Said(NamedTuple):
    table: str
    column: Any
    text: str


def frame_of(data: Any) -> Any:
    """Pandera hands over a frame, or a pair of frame and column."""
    return data.dataframe if isinstance(data, tuple) else data


@extensions.register_check_method(statistics=["first", "second"])
def in_order(data: Any, *, first: str, second: str) -> bool:
    return bool(frame_of(data).where(f"NOT ({second} >= {first})").limit(1).count() == 0)


@extensions.register_check_method(statistics=["key", "table", "column"])
def referring(data: Any, *, key: str, table: str, column: str) -> bool:
    target = TABLES[table]
    return bool(frame_of(data).join(target, sql.col(key) == target[column], "left_anti").limit(1).count() == 0)


@extensions.register_check_method(statistics=["least", "most"])
def volume(data: Any, *, least: int, most: int) -> bool:
    return bool(least <= frame_of(data).count() <= most)


@extensions.register_check_method(statistics=["column"])
def fresh(data: Any, *, column: str) -> bool:
    return str(frame_of(data).agg(sql.max(column)).first()[0]) >= OLDEST


def check_of(rule: Rule) -> Any:
    given = rule.given
    match rule.kind:
        case "range":
            return pa.Check.in_range(given["least"], given["most"])
        case "listed":
            return pa.Check.isin(given["values"])
        case "pattern":
            return pa.Check.str_matches(given["pattern"])
        case "order":
            return pa.Check.in_order(first=rule.column, second=rule.columns[1])
        case "reference":
            return pa.Check.referring(key=rule.column, **given)
        case "volume":
            return pa.Check.volume(**given)
        case "freshness":
            return pa.Check.fresh(column=rule.column)
    return None


def schema_of(bench: Bench, name: str) -> Any:
    asked = bench.of(name)
    whole = [rule for rule in asked if not rule.columns]  # a rule of the table stands at its first column
    columns, unique = {}, [column for rule in asked if rule.kind == "unique" for column in rule.columns]
    for number, field in enumerate(bench.tables[name].schema.fields):
        mine = [rule for rule in asked if rule.columns[:1] == (field.name,)] + (whole if number == 0 else [])
        checks = [check for check in map(check_of, mine) if check is not None]
        nullable = all(rule.kind != "not null" for rule in mine)
        columns[field.name] = pa.Column(field.dataType, checks=checks, nullable=nullable)
    return pa.DataFrameSchema(columns, unique=unique)


def prepare(bench: Bench) -> tuple[Bench, dict[str, Any]]:
    TABLES.update(bench.tables)
    return bench, {name: schema_of(bench, name) for name in bench.tables}


def verify(state: tuple[Bench, dict[str, Any]]) -> Answers:
    bench, schemas = state
    said = [
        one for name, schema in schemas.items() for one in errors(name, schema.validate(bench.tables[name], lazy=True))
    ]
    return {rule.name: Answer(not any(about(one, rule) for one in said)) for rule in bench.rules}


def errors(table: str, checked: Any) -> Iterator[Said]:
    for kind in ("DATA", "SCHEMA"):
        for found in checked.pandera.errors.get(kind, {}).values():
            for one in found:
                yield Said(table, one.get("column"), f"{one.get('check')} {one.get('error')}".lower())


def about(said: Said, rule: Rule) -> bool:
    if said.table != rule.table:
        return False
    if rule.kind == "unique":
        return "unique" in said.text or "duplicate" in said.text
    here = not rule.columns or said.column == rule.column or f"'{rule.column}'" in said.text
    return here and WORDS[rule.kind] in said.text


if __name__ == "__main__":
    raise SystemExit(main(verify, prepare))
