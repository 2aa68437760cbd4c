"""References: the rows whose key is whole and that no target holds.

A join finds them: an anti join, or a join of bits where keys are dense. Bits are right for keys between the bounds that are
known of the rows; where a row lies outside (statistics may be wrong), its key is looked up by an anti join after all.
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame

from floe.engine.spark.keys.bits import orphans_by_bits
from floe.engine.spark.keys.columns import is_whole, key_names
from floe.engine.spark.keys.result import Edges, OrphanKeys
from floe.engine.spark.row_pass import SampleKey, as_text, reduced
from floe.lang.sql.literals import quote


def find_orphans(
    rows: DataFrame, key: SampleKey, keys: Sequence[str], target: DataFrame, edges: Edges = None
) -> OrphanKeys:
    """The rows whose key no target holds: one join, chosen by size; where keys are dense, with their bits."""
    names = key_names(keys)
    columns = [*zip(keys, names, strict=True), *zip(key.names, key.texts, strict=True)]
    mine = rows.where(is_whole(keys)).selectExpr(*(f"{quote(column)} AS {quote(name)}" for column, name in columns))
    lost = orphans_by_bits(mine, target, names, edges)
    if lost is not None:
        found, outside = _counted(lost, key, "bitmap join", outside="`floe word` < 0L")
        if not outside:
            return found
    found, _ = _counted(mine.join(target, names, "left_anti"), key, "anti join")
    return found


def _counted(lost: DataFrame, key: SampleKey, method: str, outside: str = "false") -> tuple[OrphanKeys, int]:
    """The orphans, and how many of them lie outside the bounds that were known."""
    # only what is lost becomes text
    parts = [f"{as_text(part)} AS {quote(part)}" for part in key.texts]
    counts = ["1 AS `floe rows`", f"if({outside}, 1, 0) AS `floe outside`"]
    sums = [f"sum(`floe {name}`) AS `floe {name}`" for name in ("rows", "outside")]
    row = reduced(lost.selectExpr(*counts, *parts), key, [], sums).collect()[0]
    return OrphanKeys(int(row["floe rows"] or 0), row["floe samples"], key, method), int(row["floe outside"] or 0)
