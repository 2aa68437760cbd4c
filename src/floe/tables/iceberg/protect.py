"""Rules that an Iceberg table enforces itself: required fields."""

from collections.abc import Sequence

from pyspark.sql import SparkSession, functions as sql

from floe.lang.sql.literals import quote
from floe.model.contract import Target
from floe.model.plan import Expectation
from floe.settings import Settings
from floe.tables.iceberg import required_fields as required, table
from floe.tables.spark.schema import Protection


def protect(spark: SparkSession, target: Target, rules: Sequence[Expectation], settings: Settings) -> list[Protection]:
    """Iceberg supports required fields only; tables that floe creates have them from the start."""
    required_columns = {rule.id: rule.claims[0].column for rule in rules if _requires(rule)}
    schema = table.state(spark, target).schema
    optional = [m.name for m in schema.members if m.nullable and m.name in required_columns.values()]
    nulls = _nulls(spark, target, optional)
    filled = [name for name in optional if not nulls[name]]
    cause = required.change(target, settings, dict.fromkeys(filled, True)) if optional else ""
    spark.catalog.refreshTable(target.sql)
    late = {name: rows for name, rows in _nulls(spark, target, filled).items() if rows}  # a writer was faster
    required.change(target, settings, dict.fromkeys(late, False))
    return [_required(rule, required_columns.get(rule.id), {**nulls, **late}, cause) for rule in rules]


def _requires(rule: Expectation) -> bool:
    """Whether a rule requires a value in every row."""
    return bool(rule.claims) and rule.claims[0].kind == "not_null"


def _required(rule: Expectation, column: str | None, empty: dict[str, int], cause: str) -> Protection:
    if column is None:
        return Protection(rule.id, str(rule.row_rule), False, "Iceberg has no constraints on values")
    rows = empty.get(column, 0)
    if rows:
        return Protection(rule.id, f"{column} NOT NULL", False, f"{rows:,} rows in the table violate it", True)
    if column in empty and cause:
        return Protection(rule.id, f"{column} NOT NULL", False, cause)
    return Protection(rule.id, f"{column} NOT NULL", True)


def _nulls(spark: SparkSession, target: Target, names: list[str]) -> dict[str, int]:
    """How many rows have no value in each of some columns."""
    if not names:
        return {}
    counts = [sql.count_if(sql.col(quote(name)).isNull()) for name in names]
    row = table.read(spark, target).agg(*counts).collect()[0]
    return dict(zip(names, map(int, row), strict=True))


def unprotect(spark: SparkSession, target: Target, settings: Settings) -> list[str]:
    """Make the fields optional again that floe made required."""
    names = required.by_floe(target, settings)
    required.change(target, settings, dict.fromkeys(names, False))
    spark.catalog.refreshTable(target.sql)
    return names
