"""Keys of a few rows against those of many, for incremental verification: the few are broadcast to the many.

Idea: of a large table only few files are new. Their keys are sent to every task that reads the old files, and only the keys
that both have come back; the old rows are not shuffled.

Why it is right: old rows were checked among themselves by an earlier run, so a repeated key has a new row. A join finds each
key that new and old rows share, and the new rows are grouped among themselves.

Memory: the new keys stand in the memory of every task; this way is taken for files of up to 32 MB.

Failure: the files are not checked by themselves, and the whole table is read.

Gain: a run after one new file of a hundred costs 0.07 of the first run, with key and reference (docs/performance.md).
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame, functions as sql

from floe.engine.spark.keys.columns import whole_keys
from floe.engine.spark.keys.orphans import find_orphans
from floe.engine.spark.keys.result import DuplicateKeys, OrphanKeys
from floe.engine.spark.row_pass import SampleKey, as_text, reduced
from floe.lang.sql.literals import quote

_METHOD = "broadcast of new keys"


def duplicates_by_broadcast(few: DataFrame, key: SampleKey, many: DataFrame) -> DuplicateKeys:
    """Rows beyond the first of their key, where rows of many come before those of few; many alone are not checked."""
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
    return DuplicateKeys(int(row["floe twice"] or 0), 0, 0, row["floe samples"], key, _METHOD)


def orphans_by_broadcast(few: DataFrame, key: SampleKey, columns: Sequence[str], many: DataFrame) -> OrphanKeys:
    """Rows of few whose key none of many holds; these stand in `floe key 0` and so on."""
    shared = _shared(many, whole_keys(few, columns).distinct())
    return find_orphans(few, key, columns, sql.broadcast(shared))._replace(method=_METHOD)


def _shared(many: DataFrame, few: DataFrame) -> DataFrame:
    """The keys that both have, once."""
    return many.join(sql.broadcast(few), few.columns, "left_semi").distinct()
