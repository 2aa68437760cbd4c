"""Keys as hashes in a few long lists, by Spark's own functions: where floe.jar cannot be used and keys are no bits.

Idea: a task collects the hashes of its rows in 64 lists by their first bits, so that a row costs neither a shuffle record nor
a hash map entry. The lists of one range are put together, and a range whose list is longer than its distinct hashes is looked
through for those that repeat.

Why it is right: rows of one key have one hash, so a hash that occurs once is no repeated key. Keys that are not equal may
share a hash: that makes them suspects, and suspects are grouped by the key itself.

Memory: a list has 8 bytes a row and stands in memory; a task hands its lists on after 2^22 rows, and this way is taken up
to 2^28 rows, of which a range has about 32 MB.

Failure: an error of Spark leaves the key not evaluated, as with any query.

Gain: 4.4 to 8.0 times a scan of the key, where `groupBy` costs 14 to 28 (docs/design/keys.md).
"""

from pyspark.sql import DataFrame, functions as sql

from floe.engine.spark.keys.columns import hashable
from floe.engine.spark.keys.grouping import MOST_SUSPECTS, duplicates_by_search
from floe.engine.spark.keys.result import Declined, DuplicateKeys, KeyStatistics, Search
from floe.engine.spark.row_pass import SampleKey
from floe.lang.sql.literals import quote

_MOST_ROWS = 1 << 28
_RANGE_BITS, _TURN_BITS = 6, 22  # more than 128 lists at a time are sorted


def duplicates_by_hash_lists(whole: DataFrame, key: SampleKey, known: KeyStatistics) -> DuplicateKeys | Declined:
    """The keys that repeat, where their hashes fit in lists."""
    if known.rows > _MOST_ROWS or not hashable(whole):
        return Declined()
    return duplicates_by_search(_search(whole), whole, key)


def _search(whole: DataFrame) -> Search:
    hash_ = sql.expr(f"xxhash64({', '.join(map(quote, whole.columns))})")
    turn = sql.expr(f"shiftright(monotonically_increasing_id(), {_TURN_BITS}) AS `floe turn`")
    hashes = whole.select(hash_.alias("floe hash"), turn)
    range_ = sql.expr(f"shiftrightunsigned(`floe hash`, {64 - _RANGE_BITS}) AS `floe range`")
    lists = hashes.groupBy(range_, "floe turn").agg(sql.expr("collect_list(`floe hash`) AS `floe list`"))
    ranges = lists.groupBy("floe range").agg(sql.expr("flatten(collect_list(`floe list`)) AS `floe list`"))
    longer = ranges.where("size(`floe list`) > size(array_distinct(`floe list`))")
    again = longer.selectExpr("explode(`floe list`) AS `floe hash`").groupBy("floe hash").count().where("count > 1")
    return Search("hash lists", hash_, again.select("floe hash").limit(MOST_SUSPECTS + 1), lambda rows, key: None)
