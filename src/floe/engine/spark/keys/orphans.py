"""References: the rows whose key is whole and that no target holds."""

from collections.abc import Sequence

from pyspark.sql import DataFrame

from floe.engine.spark.keys.bits import orphans_by_bits
from floe.engine.spark.keys.columns import is_whole, key_names
from floe.engine.spark.keys.result import Edges, OrphanKeys
from floe.engine.spark.samples import SampleKey, as_text, reduced
from floe.lang.sql.literals import quote


def find_orphans(
    rows: DataFrame, key: SampleKey, keys: Sequence[str], target: DataFrame, edges: Edges = None
) -> OrphanKeys:
    """The rows whose key no target holds: one join, chosen by size; where keys are dense, with their bits."""
    names = key_names(keys)
    columns = [*zip(keys, names, strict=True), *zip(key.names, key.texts, strict=True)]
    mine = rows.where(is_whole(keys)).selectExpr(*(f"{quote(column)} AS {quote(name)}" for column, name in columns))
    lost, method = orphans_by_bits(mine, target, names, edges), "bitmap join"
    if lost is None:
        lost, method = mine.join(target, names, "left_anti"), "anti join"
    # only what is lost becomes text
    parts = [f"{as_text(part)} AS {quote(part)}" for part in key.texts]
    found = reduced(lost.selectExpr("1 AS `floe rows`", *parts), key, [], ["sum(`floe rows`) AS `floe rows`"])
    row = found.collect()[0]
    return OrphanKeys(int(row["floe rows"] or 0), row["floe samples"], key, method)
