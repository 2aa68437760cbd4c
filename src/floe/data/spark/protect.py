"""Rules that a table itself holds, so that a writer who does not ask floe is refused too."""

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import SparkSession

from floe.data.plan.sql import quote
from floe.data.spark.rules import PREFIX, name_of
from floe.data.spark.said import ENGINE_ERRORS, first_line
from floe.data.spark.write import TABLES
from floe.model import TableError
from floe.model.plan import Expectation
from floe.model.table import Target

_KEY = "delta.constraints."


@dataclass(frozen=True, slots=True)
class Protection:
    """What became of one rule: `held` by the table, or why not."""

    id: str
    rule: str
    held: bool
    cause: str = ""


def protect(spark: SparkSession, target: Target, rules: Iterable[Expectation]) -> list[Protection]:
    """Write rules into a table, and take out those of floe's that the contract no longer has."""
    table = TABLES[target.format]
    if not table.exists(spark, target):
        raise TableError(f"The table {target} does not exist", "Write it first, or name another with --table")
    return _delta(spark, target, list(rules)) if target.format == "delta" else _iceberg(spark, target, list(rules))


def unprotect(spark: SparkSession, target: Target) -> list[str]:
    """Take out what floe wrote; names of what is gone. Into Iceberg tables protect writes nothing."""
    table = TABLES[target.format]
    if not table.exists(spark, target):
        raise TableError(f"The table {target} does not exist", "Write it first, or name another with --table")
    gone = sorted(_constraints(spark, target)) if target.format == "delta" else []
    for name in gone:
        spark.sql(f"ALTER TABLE {target.sql} DROP CONSTRAINT {quote(name)}")
    return gone


def _constraints(spark: SparkSession, target: Target) -> set[str]:
    """The constraints in a Delta table that are floe's."""
    properties = TABLES["delta"].state(spark, target).properties
    return {key.removeprefix(_KEY) for key in properties if key.startswith(_KEY + PREFIX)}


def _delta(spark: SparkSession, target: Target, rules: list[Expectation]) -> list[Protection]:
    there = _constraints(spark, target)
    for name in sorted(there - {name_of(one) for one in rules}):
        spark.sql(f"ALTER TABLE {target.sql} DROP CONSTRAINT {quote(name)}")
    return [_constrained(spark, target, one, name_of(one) in there) for one in rules]


def _constrained(spark: SparkSession, target: Target, rule: Expectation, there: bool) -> Protection:
    check = f"NOT coalesce({rule.sql}, false)"
    if there:
        return Protection(rule.id, check, True)
    try:
        spark.sql(f"ALTER TABLE {target.sql} ADD CONSTRAINT {quote(name_of(rule))} CHECK ({check})")
    except ENGINE_ERRORS as error:
        return Protection(rule.id, check, False, first_line(error))
    return Protection(rule.id, check, True)


def _iceberg(spark: SparkSession, target: Target, rules: list[Expectation]) -> list[Protection]:
    """Iceberg holds that a field is required, and nothing else; floe's own tables say so from the start."""
    schema = TABLES["iceberg"].state(spark, target).schema
    sure = {member.name for member in schema.members if not member.nullable}
    found = []
    for one in rules:
        column = one.claims[0].column if one.claims and one.claims[0].kind == "not_null" else None
        if column in sure:
            found.append(Protection(one.id, f"{column} NOT NULL", True))
        elif column:
            found.append(
                Protection(one.id, f"{column} NOT NULL", False, "Iceberg cannot make a field required later on")
            )
        else:
            found.append(Protection(one.id, str(one.sql), False, "Iceberg holds no rules about values"))
    return found
