"""Rules of the contracts, each with a plain evaluation in Python over all rows of a table."""

import datetime
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from floe.model.result import FAIL, NOT_EVALUATED, PASS
from tests.helpers.storm.columns import Row

RuleOutcome = tuple[str, int | None]  # PASS, FAIL or NOT_EVALUATED, and the number of bad rows where rows are counted


@dataclass(frozen=True)
class Rule:
    """A rule of a contract, the expectation that floe makes of it, and its correct outcome."""

    columns: tuple[str, ...]
    definition: dict[str, Any]  # of the first column; of the dataset where it has a type or metric
    expectation: str  # the id of the expectation after the dataset's name
    evaluate: Callable[[list[Row]], RuleOutcome]

    @property
    def of_dataset(self) -> bool:
        return "type" in self.definition or "metric" in self.definition


def _no_row(is_bad: Callable[[Row], bool]) -> Callable[[list[Row]], RuleOutcome]:
    def evaluate(rows: list[Row]) -> RuleOutcome:
        count = sum(is_bad(row) for row in rows)
        return FAIL if count else PASS, count

    return evaluate


def _query(holds: Callable[[list[Row]], bool | None]) -> Callable[[list[Row]], RuleOutcome]:
    """The outcome of a SQL rule: whether its number is within bounds, None where it returns no number."""

    def evaluate(rows: list[Row]) -> RuleOutcome:
        within_bounds = holds(rows)
        if within_bounds is None:
            return NOT_EVALUATED, None
        return PASS if within_bounds else FAIL, None

    return evaluate


def _count(name: str, where: str, is_bad: Callable[[Row], bool], *columns: str) -> Rule:
    """A SQL rule that counts bad rows."""
    definition = {"name": name, "type": "sql", "query": f"SELECT count(*) FROM {{object}} WHERE {where}", "mustBe": 0}
    return Rule(columns, definition, f"quality.{name}", _query(lambda rows: not any(map(is_bad, rows))))


def _extreme(
    name: str, query: str, threshold: dict[str, int], holds: Callable[[list[Row]], bool | None], column: str
) -> Rule:
    """A SQL rule on the least or greatest value."""
    definition = {"name": name, "type": "sql", "query": f"SELECT {query} FROM {{object}}", **threshold}
    return Rule((column,), definition, f"quality.{name}", _query(holds))


def _order(name: str, first: str, second: str) -> Rule:
    """A point-in-time rule: `first` is not before `second`."""
    implementation = {"pointInTime": {"rule": f"{first} >= {second}"}}
    definition = {"name": name, "type": "custom", "engine": "floe", "implementation": implementation}

    def is_bad(row: Row) -> bool:
        first_moment, second_moment = _moment(row[first]), _moment(row[second])
        return first_moment is not None and second_moment is not None and first_moment < second_moment

    return Rule((first, second), definition, f"quality.{name}", _no_row(is_bad))


def _moment(value: Any) -> int | None:
    """Microseconds since 1970; dates and times without a zone are in UTC."""
    if value is None or isinstance(value, int):
        return value
    moment = value if isinstance(value, datetime.datetime) else datetime.datetime(value.year, value.month, value.day)
    return (moment - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)


def _breaks_pattern(row: Row) -> bool:
    return row["code"] is not None and re.fullmatch("[A-Z]+", row["code"]) is None


def _above_a_tenth(amount: Decimal | None) -> bool:
    return amount is not None and amount > Decimal("0.1")


def _negative(number: int | None) -> bool:
    return number is not None and number < 0


def _not_multiple_of_7(value: float | None) -> bool:
    """A double counts as it is written; NaN and infinity are no multiples."""
    if value is None:
        return False
    return not math.isfinite(value) or Fraction(Decimal(repr(value))) % 7 != 0


def _above_100(value: float | None) -> bool:
    """As Spark compares: NaN is greater than everything."""
    return value is not None and (math.isnan(value) or value > 100)


def _price_part(row: Row, member: str) -> Any:
    return row["price"][member] if row["price"] is not None else None


def _greatest_at_most_100(rows: list[Row]) -> bool | None:
    """Whether the greatest double is at most 100; NaN and infinity cannot be compared with a threshold."""
    values = [row["v"] for row in rows if row["v"] is not None]
    if not values or any(math.isnan(value) for value in values):
        return None
    return None if math.isinf(max(values)) else max(values) <= 100


def _numbers(rows: list[Row]) -> list[int]:
    return [row["n"] for row in rows if row["n"] is not None]


def _duplicate_ids(rows: list[Row]) -> RuleOutcome:
    ids = [row["id"] for row in rows if row["id"] is not None]
    count = len(ids) - len(set(ids))
    return FAIL if count else PASS, count


def _more_than_two(rows: list[Row]) -> RuleOutcome:
    return PASS if len(rows) > 2 else FAIL, None


_PATTERN = {"logicalType": "string", "logicalTypeOptions": {"pattern": "^[A-Z]+$"}}
_MAXIMUM = {"logicalType": "number", "logicalTypeOptions": {"maximum": 0.1}}
_MINIMUM = {"logicalType": "integer", "logicalTypeOptions": {"minimum": 0}}
_MULTIPLE = {"logicalType": "number", "logicalTypeOptions": {"multipleOf": 7}}
_LISTED = {"quality": [{"metric": "invalidValues", "arguments": {"validValues": [14]}, "mustBe": 0}]}
_PRICE = {
    "properties": [
        {"name": "amount", "physicalType": "decimal(38,18)", **_MAXIMUM},
        {"name": "n", "physicalType": "int", **_MINIMUM},
        {"name": "m", "physicalType": "int"},
    ]
}
_ROWS = {"name": "rows", "metric": "rowCount", "mustBeGreaterThan": 2}
_NOT_NEGATIVE, _AT_MOST_100 = {"mustBeGreaterOrEqualTo": 0}, {"mustBeLessOrEqualTo": 100}

RULES: dict[str, Rule] = {
    "null": Rule(("code",), {"required": True}, "code:null-value", _no_row(lambda row: row["code"] is None)),
    "pattern": Rule(("code",), _PATTERN, "code:pattern-mismatch", _no_row(_breaks_pattern)),
    "maximum": Rule(("amount",), _MAXIMUM, "amount:above-maximum", _no_row(lambda row: _above_a_tenth(row["amount"]))),
    "minimum": Rule(("n",), _MINIMUM, "n:below-minimum", _no_row(lambda row: _negative(row["n"]))),
    "key": Rule(("id",), {"unique": True}, "id:value-duplicated", _duplicate_ids),
    "filled": Rule(("v",), {"required": True}, "v:null-value", _no_row(lambda row: row["v"] is None)),
    "multiple": Rule(("v",), _MULTIPLE, "v:not-multiple", _no_row(lambda row: _not_multiple_of_7(row["v"]))),
    "listed": Rule(("v",), _LISTED, "v:value-not-listed", _no_row(lambda row: row["v"] not in (None, 14))),
    "nested": Rule(
        ("price",),
        _PRICE,
        "price.amount:above-maximum",
        _no_row(lambda row: _above_a_tenth(_price_part(row, "amount"))),
    ),
    "member": Rule(("price",), _PRICE, "price.n:below-minimum", _no_row(lambda row: _negative(_price_part(row, "n")))),
    "after_wall": _order("after_wall", "at", "wall"),
    "after_day": _order("after_day", "at", "day"),
    "wall_after_day": _order("wall_after_day", "wall", "day"),
    "rows": Rule((), _ROWS, "quality.rows", _more_than_two),
    "sql_null": _count("sql_null", "code IS NULL", lambda row: row["code"] is None, "code"),
    "sql_amount": _count("sql_amount", "amount > 0.1", lambda row: _above_a_tenth(row["amount"]), "amount"),
    "sql_nested": _count(
        "sql_nested", "price.amount > 0.1", lambda row: _above_a_tenth(_price_part(row, "amount")), "price"
    ),
    "sql_above": _count("sql_above", "v > 100", lambda row: _above_100(row["v"]), "v"),
    "sql_number": _count("sql_number", "n > 100", lambda row: row["n"] is not None and row["n"] > 100, "n"),
    "sql_most": _extreme("sql_most", "max(v)", _AT_MOST_100, _greatest_at_most_100, "v"),
    "sql_least": _extreme(
        "sql_least", "min(n)", _NOT_NEGATIVE, lambda rows: min(_numbers(rows)) >= 0 if _numbers(rows) else None, "n"
    ),
    "sql_highest": _extreme(
        "sql_highest", "max(n)", _AT_MOST_100, lambda rows: max(_numbers(rows)) <= 100 if _numbers(rows) else None, "n"
    ),
}
