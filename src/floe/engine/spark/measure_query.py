"""The SQL of a rule, run on the rows that the rest of its plan reads."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from threading import Timer
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession

from floe.engine.spark.measure_volume import by_day
from floe.model.plan import Expectation, RowsPerDay, SqlQuery
from floe.model.result import Outcome, answered, holds, not_evaluated, plain
from floe.tables.spark.errors import ENGINE_ERRORS, first_line
from floe.tables.spark.unskipped import uncertain_columns, without_statistics

if TYPE_CHECKING:
    from floe.engine.spark.measure import MeasureRequest

LONGEST = 600.0  # seconds that a rule's SQL may take


def by_table(scene: "MeasureRequest", expectation: Expectation) -> Outcome:
    """The outcome of an expectation that has its own query."""
    if isinstance(expectation.check, SqlQuery):
        return by_query(scene, expectation, expectation.check)
    assert isinstance(expectation.check, RowsPerDay)
    try:
        return by_day(scene, expectation, expectation.check)
    except ENGINE_ERRORS as error:
        return not_evaluated(expectation, f"Spark: {first_line(error)}")


def by_query(scene: "MeasureRequest", expectation: Expectation, query: SqlQuery) -> Outcome:
    """The outcome of a rule's SQL: one number compared with its threshold, or the reason for none."""
    tables: dict[str, Any] = {name: _rows(scene, dataset) for name, dataset in query.tables}
    lost = next((dataset for name, dataset in query.tables if tables[name] is None), None)
    if lost is not None:
        return not_evaluated(expectation, f"no table found for '{lost}': pass --reference {lost}=TABLE")
    spark = scene.rows.sparkSession
    late: list[bool] = []
    try:
        with _stopped_after(spark, LONGEST, late):
            answer = spark.sql(query.sql, **tables)
            rows = answer.limit(2).collect()
    except ENGINE_ERRORS as error:
        return not_evaluated(
            expectation, f"its SQL took more than {LONGEST:g} seconds" if late else f"Spark: {first_line(error)}"
        )
    if len(rows) != 1 or len(rows[0]) != 1:
        found = "several rows" if rows else "no row"
        if len(answer.columns) != 1:
            found = f"{len(answer.columns)} columns"
        return not_evaluated(expectation, f"its SQL returns {found}, not one number")
    number = exact(rows[0][0])
    if number is None:
        return not_evaluated(expectation, f"its SQL returns {_shown(rows[0][0])}, which is not a number")
    message = f"The rule '{expectation.name}' of '{expectation.field}' returns {plain(number)}"
    return answered(
        expectation,
        holds(expectation.operators, number),
        plain(number),
        f"{message}, the contract requires {expectation.expected}",
    )


def exact(value: Any) -> Fraction | None:
    """A value of Spark as an exact number; a double is what it is written as; None where it is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return Fraction(number) if number.is_finite() else None


def _rows(scene: "MeasureRequest", dataset: str) -> DataFrame | None:
    """The rows that a query names: what it filters and counts by is read, not taken from statistics that may be wrong."""
    rows = scene.rows if dataset == scene.plan.dataset else scene.references.get(dataset)
    return None if rows is None else without_statistics(rows, uncertain_columns(rows))


def _shown(value: Any) -> str:
    return "NULL" if value is None else f"a {type(value).__name__}"


@contextmanager
def _stopped_after(spark: SparkSession, seconds: float, late: list[bool]) -> Iterator[None]:
    """Stop what runs inside where it takes too long, and nothing else of the session."""
    tag = f"floe-{uuid.uuid4().hex}"
    classic = hasattr(spark, "_jsparkSession")
    start, stop, cancel = (
        (spark.sparkContext.addJobTag, spark.sparkContext.removeJobTag, spark.sparkContext.cancelJobsWithTag)
        if classic
        else (spark.addTag, spark.removeTag, spark.interruptTag)
    )

    def end() -> None:
        late.append(True)
        cancel(tag)

    timer = Timer(seconds, end)
    timer.daemon = True
    start(tag)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        stop(tag)
