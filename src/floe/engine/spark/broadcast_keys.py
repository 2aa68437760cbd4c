"""Keys of a few rows beside those of many: the few are sent to where the many stand, and only what they share comes back."""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from floe.engine.spark.keys import DuplicateKeys, OrphanKeys, find_orphans, whole_keys
from floe.engine.spark.samples import SampleKey, as_text, reduced
from floe.lang.sql.literals import quote


def duplicates_by_broadcast(few: DataFrame, key: SampleKey, many: DataFrame) -> DuplicateKeys:
    """Rows beyond the first of their key, where rows of many come before those of few; many alone are not judged."""
    keys = whole_keys(few, key.names)
    names = keys.columns
    groups = keys.groupBy(*map(quote, names)).agg(sql.expr("count(*) AS `floe rows`"))
    there = _shared(whole_keys(many, key.names), groups.select(*map(quote, names))).withColumn("floe there", sql.lit(1))
    found = groups.join(sql.broadcast(there), names, "left")
    bad = found.where("`floe rows` > 1 OR `floe there` IS NOT NULL").selectExpr(
        "`floe rows` - 1 + coalesce(`floe there`, 0) AS `floe twice`",
        *(f"{as_text(name)} AS {quote(part)}" for name, part in zip(names, key.texts, strict=True)),
    )
    row = reduced(bad, key, [], ["sum(`floe twice`) AS `floe twice`"]).collect()[0]
    return DuplicateKeys(int(row["floe twice"] or 0), 0, 0, row["floe samples"], key)


def orphans_by_broadcast(few: DataFrame, key: SampleKey, columns: Sequence[str], many: DataFrame) -> OrphanKeys:
    """Rows of few whose key none of many holds; these stand in `floe key 0` and so on."""
    shared = _shared(many, whole_keys(few, columns).distinct())
    return find_orphans(few, key, columns, sql.broadcast(shared))


def _shared(many: DataFrame, few: DataFrame) -> DataFrame:
    """The keys that both have, once."""
    return many.join(sql.broadcast(few), few.columns, "left_semi").distinct()
