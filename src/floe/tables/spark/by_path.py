"""Statements about tables, on sessions that allow no path in SQL.

floe's own session sets `spark.sql.runSQLOnFiles` to false, so that no SQL of a contract can name a file. Delta then refuses
its own names of tables by path too, and for most statements it has no other name. So a statement of floe's that names such
a table runs on a clone of the session that allows it: same views and settings, some 10 ms, and no other thread sees it.
"""

from pyspark.sql import DataFrame, SparkSession

from floe.model.table import Target

_ALLOWED = "spark.sql.runSQLOnFiles"


def run_on(spark: SparkSession, target: Target, statement: str) -> DataFrame:
    """Run a statement about a table; what it gives is read from there."""
    if target.name or str(spark.conf.get(_ALLOWED, "true")).lower() != "false" or not hasattr(spark, "_jsparkSession"):
        return spark.sql(statement)
    clone = SparkSession(spark.sparkContext, spark._jsparkSession.cloneSession())
    clone.conf.set(_ALLOWED, "true")
    return clone.sql(statement)
