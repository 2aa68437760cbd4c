"""A few keys of bad rows, taken along in the pass that counts them; what is classified appears only as a salted hash.

Each key part travels as text, `=` before a value and empty for null. Bad rows fall by a hash of their key into a fixed
number of buckets, of which each keeps its smallest and largest key: what a query returns is bounded, however many rows
are bad, and does not depend on partitions.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, functions as sql

from floe.lang.sql.literals import quote
from floe.model.plan import Plan

SAMPLES = 5
_BUCKETS = 128
_WHOLE = ("tinyint", "smallint", "int", "bigint")


class SampleKey(NamedTuple):
    """The columns that name a row in samples: their names, and those whose values are whole numbers."""

    names: tuple[str, ...]
    whole: frozenset[str]

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns the parts travel in."""
        return tuple(f"floe text {index}" for index in range(len(self.names)))


def key_of(rows: DataFrame, names: Sequence[str]) -> SampleKey:
    """The key of rows; without names where a column of it is missing."""
    types = dict(rows.dtypes)
    if not set(names) <= set(types):
        return SampleKey((), frozenset())
    return SampleKey(tuple(names), frozenset(name for name in names if types[name] in _WHOLE))


def as_text(column: str, when: str = "true") -> str:
    """A key part as text, where a row is bad."""
    return f"if({when}, coalesce(concat('=', CAST({quote(column)} AS STRING)), ''), '')"


def reduced(bad: DataFrame, key: SampleKey, by: Sequence[str], sums: Sequence[str]) -> DataFrame:
    """Sums by group, and the samples of each group in `floe samples`; each sum is `function(column) AS column`."""
    totals = [sql.expr(name) for name in sums]
    if not key.names:
        return bad.groupBy(*map(quote, by)).agg(*totals, sql.expr("array() AS `floe samples`"))
    parts = ", ".join(map(quote, key.texts))
    bucket = sql.expr(f"pmod(xxhash64({parts}), {_BUCKETS}) AS `floe bucket`")
    ends = [sql.expr(f"{side}(struct({parts})) AS `floe {side}`") for side in ("min", "max")]
    kept = bad.groupBy(*map(quote, by), bucket).agg(*totals, *ends)
    gathered = "concat(collect_list(`floe min`), collect_list(`floe max`))"
    first = sql.expr(f"slice(array_sort(array_distinct({gathered})), 1, {SAMPLES}) AS `floe samples`")
    return kept.groupBy(*map(quote, by)).agg(*totals, first)


def shown(found: Sequence[Any] | None, key: SampleKey, plan: Plan, salt: str) -> tuple[dict[str, Any], ...]:
    """Samples as a result holds them."""
    return tuple(
        {name: _value(part, name, key, plan, salt) for name, part in zip(key.names, row, strict=True)}
        for row in found or ()
    )


def _value(part: str, name: str, key: SampleKey, plan: Plan, salt: str) -> Any:
    if not part:
        return None
    text = part[1:]
    if name in plan.masked:
        return "hash:" + hashlib.sha256(f"{salt}{text}".encode()).hexdigest()[:16]
    return int(text) if name in key.whole else text
