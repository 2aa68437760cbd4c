"""Rules that a table itself holds, so that a writer who does not ask floe is refused too."""

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql import functions as sql

from floe.data.plan.sql import quote
from floe.data.spark.by_path import run_on
from floe.data.spark.rules import PREFIX, name_of
from floe.data.spark.said import ENGINE_ERRORS, first_line
from floe.data.spark.write import TABLES
from floe.data.tables import required
from floe.model import TableError
from floe.model.plan import Expectation
from floe.model.settings import Settings
from floe.model.table import Target

_KEY = "delta.constraints."


@dataclass(frozen=True, slots=True)
class Protection:
    """What became of one rule: `held` by the table, or why not."""

    id: str
    rule: str
    held: bool
    cause: str = ""


def protect(spark: SparkSession, target: Target, rules: Iterable[Expectation], settings: Settings) -> list[Protection]:
    """Write rules into a table, and take out those of floe's that the contract no longer has."""
    table = TABLES[target.format]
    if not table.exists(spark, target):
        raise TableError(f"The table {target} does not exist", "Write it first, or name another with --table")
    if target.format == "delta":
        return _delta(spark, target, list(rules))
    return _iceberg(spark, target, list(rules), settings)


def unprotect(spark: SparkSession, target: Target, settings: Settings) -> list[str]:
    """Take out what floe wrote; names of what is gone."""
    table = TABLES[target.format]
    if not table.exists(spark, target):
        raise TableError(f"The table {target} does not exist", "Write it first, or name another with --table")
    if target.format == "iceberg":
        gone = required.by_floe(target, settings)
        required.change(target, settings, dict.fromkeys(gone, False))
        spark.catalog.refreshTable(target.sql)
        return gone
    gone = sorted(_constraints(spark, target))
    for name in gone:
        run_on(spark, target, f"ALTER TABLE {target.sql} DROP CONSTRAINT {quote(name)}")
    return gone


def _constraints(spark: SparkSession, target: Target) -> set[str]:
    """The constraints in a Delta table that are floe's."""
    properties = TABLES["delta"].state(spark, target).properties
    return {key.removeprefix(_KEY) for key in properties if key.startswith(_KEY + PREFIX)}


def _delta(spark: SparkSession, target: Target, rules: list[Expectation]) -> list[Protection]:
    there = _constraints(spark, target)
    for name in sorted(there - {name_of(one) for one in rules}):
        run_on(spark, target, f"ALTER TABLE {target.sql} DROP CONSTRAINT {quote(name)}")
    return [_constrained(spark, target, one, name_of(one) in there) for one in rules]


def _constrained(spark: SparkSession, target: Target, rule: Expectation, there: bool) -> Protection:
    check = f"NOT coalesce({rule.sql}, false)"
    if there:
        return Protection(rule.id, check, True)
    try:
        run_on(spark, target, f"ALTER TABLE {target.sql} ADD CONSTRAINT {quote(name_of(rule))} CHECK ({check})")
    except ENGINE_ERRORS as error:
        return Protection(rule.id, check, False, first_line(error))
    return Protection(rule.id, check, True)


def _iceberg(spark: SparkSession, target: Target, rules: list[Expectation], settings: Settings) -> list[Protection]:
    """Iceberg holds that a field is required, and nothing else; floe's own tables say so from the start."""
    asked = {one.id: one.claims[0].column for one in rules if one.claims and one.claims[0].kind == "not_null"}
    schema = TABLES["iceberg"].state(spark, target).schema
    loose = [m.name for m in schema.members if m.nullable and m.name in asked.values()]
    empty = _nulls(spark, target, loose)
    cause = required.change(target, settings, {name: True for name in loose if not empty[name]}) if loose else ""
    spark.catalog.refreshTable(target.sql)
    late = _nulls(spark, target, [name for name in loose if not empty[name]])  # a writer was faster
    required.change(target, settings, {name: False for name, rows in late.items() if rows})
    return [
        _required(one, asked.get(one.id), {**empty, **{k: v for k, v in late.items() if v}}, cause) for one in rules
    ]


def _required(rule: Expectation, column: str | None, empty: dict[str, int], cause: str) -> Protection:
    if column is None:
        return Protection(rule.id, str(rule.sql), False, "Iceberg holds no rules about values")
    rows = empty.get(column, 0)
    if rows:
        return Protection(rule.id, f"{column} NOT NULL", False, f"{rows:,} rows in the table violate it")
    if column in empty and cause:
        return Protection(rule.id, f"{column} NOT NULL", False, cause)
    return Protection(rule.id, f"{column} NOT NULL", True)


def _nulls(spark: SparkSession, target: Target, names: list[str]) -> dict[str, int]:
    """How many rows have no value in each of some columns."""
    if not names:
        return {}
    counts = [sql.count_if(sql.col(quote(name)).isNull()) for name in names]
    row = TABLES["iceberg"].read(spark, target).agg(*counts).collect()[0]
    return dict(zip(names, map(int, row), strict=True))
