"""Keys as bits: bounds may be wrong, and a word is no key."""

import pytest

from floe.engine.spark.keys.bits import dense, duplicates_by_bits
from floe.engine.spark.keys.columns import whole_keys
from floe.engine.spark.keys.orphans import find_orphans
from floe.engine.spark.keys.result import DuplicateKeys, KeyStatistics
from floe.engine.spark.row_pass import key_of

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    ("beyond", "twice", "samples"),
    [
        ((1_064, 1_128), 0, []),  # of one word and one bit, and two keys
        ((-3, 61), 0, []),
        ((1_064, 1_064, 1_128), 1, [("=1064",)]),
        ((2**63 - 1, 2**63 - 1, -(2**63)), 1, [("=9223372036854775807",)]),
    ],
)
def test_keys_beyond_the_bounds_are_compared_by_themselves(session, beyond, twice, samples):
    rows = session.createDataFrame([(n,) for n in (*range(100, 1_000), *beyond)], "id bigint")
    known = KeyStatistics(dense([(100, 999)], 900), 900 + len(beyond))
    found = duplicates_by_bits(whole_keys(rows, ("id",)), key_of(rows, ("id",)), known)
    assert isinstance(found, DuplicateKeys)
    assert (found.twice, [tuple(sample) for sample in found.samples]) == (twice, samples)


@pytest.mark.parametrize(
    ("beyond", "orphans", "method"),
    [
        ((), 0, "bitmap join"),
        (((3, 4),), 1, "bitmap join"),
        (((0, 9),), 1, "anti join"),  # by its number it would be (1, 1), which the target has
        (((0, 8), (0, 10)), 1, "anti join"),  # the target has the first
        (((2**62, 2**62),), 1, "anti join"),
    ],
)
def test_references_beyond_the_bounds_are_looked_up_by_themselves(session, beyond, orphans, method):
    schema = "id bigint, part bigint"
    target = session.createDataFrame(
        [(n, m) for n in range(10) for m in range(8) if (n, m) != (3, 4)] + [(0, 8)], schema
    )
    rows = session.createDataFrame([(n, m) for n in range(10) for m in (0, 1)] + [*beyond], schema)
    edges = dense([(0, 9), (0, 7)], 20)
    found = find_orphans(rows, key_of(rows, ("id", "part")), ("id", "part"), whole_keys(target, ("id", "part")), edges)
    assert (found.rows, found.method, len(found.samples)) == (orphans, method, orphans)
