"""floe.jar accounts for every row: rows that do not add up are never an answer."""

from collections.abc import Sequence

import pytest

from floe.engine.spark.keys.check import MANY_ROWS, find_duplicates
from floe.engine.spark.keys.columns import key_rows
from floe.engine.spark.keys.jar import JarSearch, search_by_jar
from floe.engine.spark.keys.result import KeyStatistics
from floe.engine.spark.row_pass import key_of

pytestmark = pytest.mark.spark
KEY = ("id", "part")
BOUNDS: dict[str, Sequence[tuple[int, int] | None]] = {"exact codes": [(0, MANY_ROWS), (0, 3)], "hashes": [None, None]}


def frame(session):
    """Six partitions of more than 200,000 rows, which two tasks compare: one row in eight has a null part, one comes again."""
    parts = ["if(id % 8 = 0, NULL, id div 4) AS id", "CAST(id % 4 AS INT) AS part"]
    rows = session.range(0, 2 * MANY_ROWS, 1, 5).selectExpr(*parts)
    return rows.union(session.range(77, 78, 1, 1).selectExpr(*parts))


@pytest.mark.parametrize("codes", list(BOUNDS))
def test_rows_compared_and_null_keys_are_the_rows_of_the_frame(session, codes):
    known = KeyStatistics(None, 2 * MANY_ROWS + 1, None, BOUNDS[codes])
    search = search_by_jar(key_rows(frame(session), KEY), known)
    assert isinstance(search, JarSearch)
    counts = [(row.compared, row.null_keys) for row in search.query.collect() if row.code is None]
    assert len(counts) == 2
    assert all(compared > 50_000 for compared, _ in counts)  # both had about half
    assert [sum(column) for column in zip(*counts, strict=True)] == [175_001, 25_000]
    found = find_duplicates(frame(session), key_of(frame(session), KEY), known)
    assert (found.twice, found.method) == (1, f"floe.jar ({codes})")
    assert [tuple(sample) for sample in found.samples] == [("=19", "=1")]


@pytest.mark.parametrize("codes", list(BOUNDS))
@pytest.mark.parametrize("told", [200_000, 200_002])  # metadata knows of a row less, or of one more
def test_where_rows_do_not_add_up_all_are_grouped_and_the_result_says_so(session, codes, told):
    found = find_duplicates(frame(session), key_of(frame(session), KEY), KeyStatistics(None, told, None, BOUNDS[codes]))
    assert (found.twice, [tuple(sample) for sample in found.samples]) == (1, [("=19", "=1")])
    assert found.method == f"groupBy (floe.jar saw 200,001 rows, and there are {told:,})"
