"""Random frames: each way of checking a key finds what a plain `groupBy` finds, or says that it has no answer."""

import datetime
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow
import pytest
from hypothesis import given, strategies as st
from pyarrow import parquet
from pyspark.sql import DataFrame, SparkSession

from floe.engine.spark.keys.bits import dense, duplicates_by_bits
from floe.engine.spark.keys.columns import is_whole, key_rows, whole_keys
from floe.engine.spark.keys.grouping import MOST_SUSPECTS, duplicates_by_grouping
from floe.engine.spark.keys.hash_lists import duplicates_by_hash_lists
from floe.engine.spark.keys.jar import duplicates_by_jar
from floe.engine.spark.keys.result import Declined, DuplicateKeys, KeyStatistics
from floe.engine.spark.row_pass import SAMPLES, key_of

pytestmark = pytest.mark.spark


def _decimal(digits: int, scale: int, dice: random.Random) -> Decimal:
    return Decimal(dice.randint(-(10**digits) + 1, 10**digits - 1)).scaleb(-scale)


EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
MAKERS: dict[str, tuple[pyarrow.DataType, Any]] = {
    "tinyint": (pyarrow.int8(), lambda dice: dice.randint(-128, 127)),
    "int": (pyarrow.int32(), lambda dice: dice.randint(-(2**31), 2**31 - 1)),
    "near": (pyarrow.int64(), lambda dice: dice.randint(-500, 3_000)),
    "bigint": (pyarrow.int64(), lambda dice: dice.choice([-(2**63), 2**63 - 1, dice.randint(-(2**63), 2**63 - 1)])),
    "short decimal": (pyarrow.decimal128(9, 2), lambda dice: _decimal(9, 2, dice)),
    "long decimal": (pyarrow.decimal128(18, 4), lambda dice: _decimal(18, 4, dice)),
    "wide decimal": (pyarrow.decimal128(30, 3), lambda dice: _decimal(30, 3, dice)),
    "date": (pyarrow.date32(), lambda dice: datetime.date(1, 1, 1) + datetime.timedelta(dice.randint(0, 3_600_000))),
    "timestamp": (
        pyarrow.timestamp("us", tz="UTC"),
        lambda dice: EPOCH + datetime.timedelta(microseconds=dice.randint(-(10**15), 10**15)),
    ),
    "text": (pyarrow.string(), lambda dice: "".join(dice.choices("aAäß🜁 '\"`\\|", k=dice.randint(0, 5)))),
    "truth": (pyarrow.bool_(), lambda dice: dice.random() < 0.5),
    "binary": (pyarrow.binary(), lambda dice: dice.randbytes(dice.randint(0, 3))),
    "double": (pyarrow.float64(), lambda dice: dice.choice([0.0, -0.0, float("nan"), dice.random()])),
}
BOUNDED = ("tinyint", "int", "near", "bigint", "short decimal", "long decimal", "date")


class Case(NamedTuple):
    """A recipe of a frame, what is said of it beforehand, and how it reaches the check."""

    kinds: tuple[str, ...]
    seed: int
    size: int
    distinct: tuple[int, ...]  # of each column, at most
    nulls: float
    skew: float  # the share of rows with the first value of each column
    ordered: bool
    files: int
    bounded: tuple[str, ...]  # whether the bounds of each column are said: none, those of all values, or of some
    clustered: bool | None
    shape: str


@st.composite
def cases(draw: Any) -> Case:
    kinds = tuple(draw(st.lists(st.sampled_from(list(MAKERS)), min_size=1, max_size=3)))
    return Case(
        kinds,
        seed=draw(st.integers(0, 2**32)),
        size=draw(st.sampled_from([0, 1, 2, 60, 700, 9_000])),
        distinct=tuple(draw(st.sampled_from([1, 3, 50, 1_500, 100_000])) for _ in kinds),
        nulls=draw(st.sampled_from([0.0, 0.01, 0.5, 1.0])),
        skew=draw(st.sampled_from([0.0, 0.3, 0.99])),
        ordered=draw(st.booleans()),
        files=draw(st.integers(1, 4)),
        bounded=tuple(draw(st.sampled_from(["none", "all", "some"])) for _ in kinds),
        clustered=draw(st.sampled_from([True, False, None])),
        shape=draw(st.sampled_from(["files", "one task", "union", "shuffled"])),
    )


class Made(NamedTuple):
    """The rows of a case in files, some of them perhaps empty, and what is known of them."""

    files: list[list[tuple[Any, ...]]]
    known: KeyStatistics


def made(case: Case) -> Made:
    dice = random.Random(case.seed)
    pools = [
        [MAKERS[kind][1](dice) for _ in range(min(distinct, case.size))]
        for kind, distinct in zip(case.kinds, case.distinct, strict=True)
    ]
    rows = [tuple(_value(pool, case, dice) for pool in pools) for _ in range(case.size)]
    if case.ordered:
        rows.sort(key=repr)
    edges = sorted(dice.randint(0, case.size) for _ in range(case.files - 1))
    files = [rows[first:last] for first, last in zip([0, *edges], [*edges, case.size], strict=True)]
    bounds = [_bounds(*column) for column in zip(case.kinds, case.bounded, pools, strict=True)]
    return Made(files, KeyStatistics(dense(bounds, case.size), case.size, case.clustered, bounds))


def _value(pool: list[Any], case: Case, dice: random.Random) -> Any:
    if dice.random() < case.nulls:
        return None
    return pool[0] if dice.random() < case.skew else dice.choice(pool)


def _bounds(kind: str, said: str, pool: list[Any]) -> Any:
    """Bounds of some values alone are wrong ones: a frame may have others by now."""
    if said == "none" or kind not in BOUNDED or not pool:
        return None
    values = pool if said == "all" else pool[: len(pool) // 2 + 1]
    return min(values), max(values)


@contextmanager
def frame_of(session: SparkSession, case: Case, files: list[list[tuple[Any, ...]]]) -> Iterator[DataFrame]:
    schema = pyarrow.schema([(f"c{n}", MAKERS[kind][0]) for n, kind in enumerate(case.kinds)])
    with tempfile.TemporaryDirectory() as folder:
        for number, rows in enumerate(files):
            table = pyarrow.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)
            parquet.write_table(table, Path(folder, f"{number}.parquet"))
        read = session.read.parquet(folder)
        half = "coalesce(cast(c0 AS STRING), '') < 'a'"
        shapes = {
            "files": lambda: read,
            "one task": lambda: read.coalesce(1),
            "union": lambda: read.where(half).union(read.where(f"NOT {half}")),
            "shuffled": lambda: read.repartition(3, "c0"),
        }
        yield shapes[case.shape]()


def grouped(rows: DataFrame, names: list[str]) -> dict[tuple[str, ...], int]:
    """The keys that occur more than once, as samples show them, and how often they occur."""
    groups = rows.where(is_whole(names)).groupBy(*names).count().where("count > 1")
    texts = groups.selectExpr(*(f"concat('=', CAST({name} AS STRING))" for name in names), "count").collect()
    return {tuple(row[:-1]): row[-1] for row in texts}


@given(cases())
def test_every_way_finds_what_group_by_finds(session: SparkSession, case: Case):
    files, known = made(case)
    with frame_of(session, case, files) as rows:
        names = rows.columns
        key = key_of(rows, names)
        repeated = grouped(rows, names)
        whole = whole_keys(rows, names)
        found = {
            "jar": duplicates_by_jar(key_rows(rows, names), key, known),
            "bits": duplicates_by_bits(whole, key, known),
            "hash lists": duplicates_by_hash_lists(whole, key, known),
            "groupBy": duplicates_by_grouping(whole, key),
        }
        wrong = duplicates_by_jar(key_rows(rows, names), key, known._replace(rows=case.size + 1))

    for way, answer in found.items():
        if isinstance(answer, Declined):
            assert way != "groupBy"
            # suspects may be more than the keys that repeat: by bits, all rows of a word are
            assert way == "bits" or "double" in case.kinds or len(repeated) > MOST_SUSPECTS, answer
            assert answer.group or "double" in case.kinds or way == "bits", answer
            continue
        assert isinstance(answer, DuplicateKeys)
        assert answer.twice == sum(count - 1 for count in repeated.values()), answer
        samples = {tuple(sample) for sample in answer.samples}
        assert samples <= set(repeated), answer
        assert bool(samples) == bool(repeated)
        assert len(answer.samples) <= SAMPLES
    # rows that do not add up are never an answer
    assert isinstance(wrong, Declined), wrong
    if "double" not in case.kinds and len(repeated) <= MOST_SUSPECTS:
        assert wrong == Declined(f"floe.jar saw {case.size:,} rows, and there are {case.size + 1:,}", group=True)
