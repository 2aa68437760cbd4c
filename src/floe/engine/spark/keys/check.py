"""Which keys repeat, which are in the table already, and which refer to nothing: the way that costs least.

Where only repeats are asked for and there are many rows, three ways are tried before rows are grouped: floe.jar, bits, lists
of hashes. Each finds codes that rows of one key share, so rows whose code occurs once repeat no key. All of them are exact: a
code that may stand for several keys only makes a row a suspect, and suspects are compared by the key itself.
`docs/design/keys.md` has the picture and the measurements.
"""

from collections.abc import Callable, Sequence
from functools import partial

from pyspark.sql import DataFrame

from floe.engine.spark.keys.bits import duplicates_by_bits
from floe.engine.spark.keys.columns import key_rows, whole_keys
from floe.engine.spark.keys.grouping import check_by_grouping, duplicates_by_grouping
from floe.engine.spark.keys.hash_lists import duplicates_by_hash_lists
from floe.engine.spark.keys.jar import duplicates_by_jar
from floe.engine.spark.keys.result import Declined, DuplicateKeys, KeyStatistics, OrphanKeys
from floe.engine.spark.row_pass import SampleKey

MANY_ROWS = 100_000  # fewer are grouped in no time


def check_keys(
    rows: DataFrame, key: SampleKey, existing: DataFrame | None, targets: Sequence[DataFrame], known: KeyStatistics
) -> tuple[DuplicateKeys, list[OrphanKeys]]:
    """What repeats of a key, what is in `existing` already, and what each target lacks: one shuffle."""
    if existing is None and not targets:
        return find_duplicates(rows, key, known), []
    return check_by_grouping(whole_keys(rows, key.names), key, existing, targets)


def find_duplicates(rows: DataFrame, key: SampleKey, known: KeyStatistics) -> DuplicateKeys:
    """The keys that repeat, and by which way they were found."""
    keys, whole = key_rows(rows, key.names), whole_keys(rows, key.names)
    ways: list[Callable[[], DuplicateKeys | Declined]] = [
        partial(duplicates_by_jar, keys, key, known),
        partial(duplicates_by_bits, whole, key, known),
        partial(duplicates_by_hash_lists, whole, key, known),
    ]
    reasons: list[str] = []
    for way in ways if known.rows >= MANY_ROWS else []:
        found = way()
        if isinstance(found, DuplicateKeys):
            return _with(reasons, found)
        reasons += [found.reason] if found.reason else []
        if found.group:
            break
    return _with(reasons, duplicates_by_grouping(whole, key))


def _with(reasons: Sequence[str], found: DuplicateKeys) -> DuplicateKeys:
    """What was found, with why no other way found it."""
    return found._replace(method=f"{found.method} ({'; '.join(reasons)})") if reasons else found
