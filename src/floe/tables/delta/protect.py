"""Rules that a Delta table enforces itself: CHECK constraints."""

from collections.abc import Sequence

from pyspark.sql import SparkSession

from floe.lang.sql.literals import quote
from floe.model.contract import Target
from floe.model.plan import Expectation
from floe.settings import Settings
from floe.tables.delta import table
from floe.tables.spark.errors import ENGINE_ERRORS, conditions, first_line
from floe.tables.spark.schema import PREFIX, Protection, name_of, run_on

_KEY = "delta.constraints."
_VIOLATED = "23512"  # the SQLSTATE of a constraint that rows in the table break


def _constraints(spark: SparkSession, target: Target) -> set[str]:
    """The constraints in a Delta table that are floe's."""
    properties = table.state(spark, target).properties
    return {key.removeprefix(_KEY) for key in properties if key.startswith(_KEY + PREFIX)}


def protect(spark: SparkSession, target: Target, rules: Sequence[Expectation], settings: Settings) -> list[Protection]:
    """Add the rules as constraints, and drop those of floe that the contract no longer has."""
    del settings
    there = _constraints(spark, target)
    for name in sorted(there - {name_of(rule) for rule in rules}):
        run_on(spark, target, f"ALTER TABLE {target.sql} DROP CONSTRAINT {quote(name)}")
    return [_constrained(spark, target, expectation, name_of(expectation) in there) for expectation in rules]


def _constrained(spark: SparkSession, target: Target, rule: Expectation, there: bool) -> Protection:
    check = f"NOT coalesce({rule.row_rule}, false)"
    if there:
        return Protection(rule.id, check, True)
    try:
        run_on(spark, target, f"ALTER TABLE {target.sql} ADD CONSTRAINT {quote(name_of(rule))} CHECK ({check})")
    except ENGINE_ERRORS as error:
        violated = any(condition.sqlstate == _VIOLATED for condition in conditions(error))
        return Protection(rule.id, check, False, first_line(error), violated)
    return Protection(rule.id, check, True)


def unprotect(spark: SparkSession, target: Target, settings: Settings) -> list[str]:
    """Drop the constraints that floe added."""
    del settings
    names = sorted(_constraints(spark, target))
    for name in names:
        run_on(spark, target, f"ALTER TABLE {target.sql} DROP CONSTRAINT {quote(name)}")
    return names
