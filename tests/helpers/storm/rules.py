"""Rules of the contracts, and the same rules in plain Python over all rows of a table."""

import datetime
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from floe.model.result import FAIL, NOT_EVALUATED, PASS
from tests.helpers.storm.columns import Row

Answer = tuple[str, int | None]  # the outcome, and how many rows break the rule where those are counted


@dataclass(frozen=True)
class Rule:
    """What a contract says of columns, the expectation that comes of it, and what it should find."""

    columns: tuple[str, ...]
    said: dict[str, Any]  # of the first column, or of the dataset where it has a type
    expectation: str  # the end of its id
    answer: Callable[[list[Row]], Answer]

    @property
    def of_dataset(self) -> bool:
        return "type" in self.said or "metric" in self.said


def _rows(bad: Callable[[Row], bool]) -> Callable[[list[Row]], Answer]:
    def answer(rows: list[Row]) -> Answer:
        count = sum(bad(row) for row in rows)
        return FAIL if count else PASS, count

    return answer


def _query(holds: Callable[[list[Row]], bool | None]) -> Callable[[list[Row]], Answer]:
    """What comes of SQL: whether its number is within bounds, None where there is no number."""

    def answer(rows: list[Row]) -> Answer:
        kept = holds(rows)
        return NOT_EVALUATED if kept is None else PASS if kept else FAIL, None

    return answer


def _count(name: str, where: str, bad: Callable[[Row], bool], *columns: str) -> tuple[str, Rule]:
    said = {"name": name, "type": "sql", "query": f"SELECT count(*) FROM {{object}} WHERE {where}", "mustBe": 0}
    return name, Rule(columns, said, f"quality.{name}", _query(lambda rows: not any(map(bad, rows))))


def _edge(
    name: str, query: str, threshold: dict[str, int], holds: Callable[[list[Row]], bool | None], column: str
) -> tuple[str, Rule]:
    said = {"name": name, "type": "sql", "query": f"SELECT {query} FROM {{object}}", **threshold}
    return name, Rule((column,), said, f"quality.{name}", _query(holds))


def _order(name: str, first: str, second: str) -> tuple[str, Rule]:
    """`first` is not before `second`."""
    implementation = {"pointInTime": {"rule": f"{first} >= {second}"}}
    said = {"name": name, "type": "custom", "engine": "floe", "implementation": implementation}

    def bad(row: Row) -> bool:
        one, two = _moment(row[first]), _moment(row[second])
        return one is not None and two is not None and one < two

    return name, Rule((first, second), said, f"quality.{name}", _rows(bad))


def _moment(value: Any) -> int | None:
    """Microseconds since 1970; days and times without a zone are those of UTC."""
    if value is None or isinstance(value, int):
        return value
    moment = value if isinstance(value, datetime.datetime) else datetime.datetime(value.year, value.month, value.day)
    return (moment - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)


def _no_multiple(value: float | None) -> bool:
    if value is None:
        return False
    return not math.isfinite(value) or Fraction(Decimal(repr(value))) % 7 != 0


def _above(value: float | None, bound: float) -> bool:
    """As Spark compares: NaN is greater than everything."""
    return value is not None and (math.isnan(value) or value > bound)


def _of_price(row: Row, member: str) -> Any:
    return row["price"][member] if row["price"] is not None else None


def _greatest(rows: list[Row]) -> bool | None:
    """Whether the greatest double is at most 100; NaN and infinity are no numbers to hold to a threshold."""
    values = [row["v"] for row in rows if row["v"] is not None]
    if not values or any(math.isnan(value) for value in values):
        return None
    return None if math.isinf(max(values)) else max(values) <= 100


def _numbers(rows: list[Row]) -> list[int]:
    return [row["n"] for row in rows if row["n"] is not None]


def _repeated(rows: list[Row]) -> Answer:
    ids = [row["id"] for row in rows if row["id"] is not None]
    count = len(ids) - len(set(ids))
    return FAIL if count else PASS, count


_NESTED = "decimal(38,18)"

RULES: dict[str, Rule] = dict(
    (
        ("null", Rule(("code",), {"required": True}, "code:null-value", _rows(lambda row: row["code"] is None))),
        (
            "pattern",
            Rule(
                ("code",),
                {"logicalType": "string", "logicalTypeOptions": {"pattern": "^[A-Z]+$"}},
                "code:pattern-mismatch",
                _rows(
                    lambda row: (
                        row["code"] is not None
                        and not (row["code"].isascii() and row["code"].isupper() and row["code"].isalpha())
                    )
                ),
            ),
        ),
        (
            "maximum",
            Rule(
                ("amount",),
                {"logicalType": "number", "logicalTypeOptions": {"maximum": 0.1}},
                "amount:above-maximum",
                _rows(lambda row: row["amount"] is not None and row["amount"] > Decimal("0.1")),
            ),
        ),
        (
            "minimum",
            Rule(
                ("n",),
                {"logicalType": "integer", "logicalTypeOptions": {"minimum": 0}},
                "n:below-minimum",
                _rows(lambda row: row["n"] is not None and row["n"] < 0),
            ),
        ),
        ("key", Rule(("id",), {"unique": True}, "id:value-duplicated", _repeated)),
        ("filled", Rule(("v",), {"required": True}, "v:null-value", _rows(lambda row: row["v"] is None))),
        (
            "multiple",
            Rule(
                ("v",),
                {"logicalType": "number", "logicalTypeOptions": {"multipleOf": 7}},
                "v:not-multiple",
                _rows(lambda row: _no_multiple(row["v"])),
            ),
        ),
        (
            "listed",
            Rule(
                ("v",),
                {"quality": [{"metric": "invalidValues", "arguments": {"validValues": [14]}, "mustBe": 0}]},
                "v:value-not-listed",
                _rows(lambda row: row["v"] is not None and row["v"] != 14),
            ),
        ),
        (
            "nested",
            Rule(
                ("price",),
                {
                    "properties": [
                        {
                            "name": "amount",
                            "physicalType": _NESTED,
                            "logicalType": "number",
                            "logicalTypeOptions": {"maximum": 0.1},
                        },
                        {
                            "name": "n",
                            "physicalType": "int",
                            "logicalType": "integer",
                            "logicalTypeOptions": {"minimum": 0},
                        },
                        {"name": "m", "physicalType": "int"},
                    ]
                },
                "price.amount:above-maximum",
                _rows(lambda row: (_of_price(row, "amount") or Decimal(0)) > Decimal("0.1")),
            ),
        ),
        (
            "member",
            Rule(
                ("price",),
                {
                    "properties": [
                        {
                            "name": "amount",
                            "physicalType": _NESTED,
                            "logicalType": "number",
                            "logicalTypeOptions": {"maximum": 0.1},
                        },
                        {
                            "name": "n",
                            "physicalType": "int",
                            "logicalType": "integer",
                            "logicalTypeOptions": {"minimum": 0},
                        },
                        {"name": "m", "physicalType": "int"},
                    ]
                },
                "price.n:below-minimum",
                _rows(lambda row: (_of_price(row, "n") or 0) < 0),
            ),
        ),
        _order("after_wall", "at", "wall"),
        _order("after_day", "at", "day"),
        _order("wall_after_day", "wall", "day"),
        (
            "rows",
            Rule(
                (),
                {"name": "rows", "metric": "rowCount", "mustBeGreaterThan": 2},
                "quality.rows",
                lambda rows: (PASS if len(rows) > 2 else FAIL, None),
            ),
        ),
        _count("sql_null", "code IS NULL", lambda row: row["code"] is None, "code"),
        _count(
            "sql_amount",
            "amount > 0.1",
            lambda row: row["amount"] is not None and row["amount"] > Decimal("0.1"),
            "amount",
        ),
        _count(
            "sql_nested",
            "price.amount > 0.1",
            lambda row: (_of_price(row, "amount") or Decimal(0)) > Decimal("0.1"),
            "price",
        ),
        _count("sql_above", "v > 100", lambda row: _above(row["v"], 100), "v"),
        _count("sql_number", "n > 100", lambda row: row["n"] is not None and row["n"] > 100, "n"),
        _edge("sql_most", "max(v)", {"mustBeLessOrEqualTo": 100}, _greatest, "v"),
        _edge(
            "sql_least",
            "min(n)",
            {"mustBeGreaterOrEqualTo": 0},
            lambda rows: min(_numbers(rows)) >= 0 if _numbers(rows) else None,
            "n",
        ),
        _edge(
            "sql_highest",
            "max(n)",
            {"mustBeLessOrEqualTo": 100},
            lambda rows: max(_numbers(rows)) <= 100 if _numbers(rows) else None,
            "n",
        ),
    )
)
