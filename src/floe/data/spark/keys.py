"""Keys: one shuffle per distinct set of key columns, shared by all that is asked of it."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from floe.data.plan.sql import quote
from floe.data.spark.samples import Key, as_text, key_of, reduced

_REPEATED = 0
_SUMS = ("floe rows", "floe twice", "floe there rows", "floe there keys")
_NOTHING = [0] * len(_SUMS)
_SPARSE, _SMALL = 64, 1 << 20  # bits that a row may cost, and that cost nothing
Edges = Sequence[tuple[int, int]] | None


class Repeated(NamedTuple):
    """Rows beyond the first of their key, rows whose key is in the table already, and how many keys those are."""

    twice: int
    there: int
    keys_there: int
    samples: Sequence[Any]
    key: Key


class Lost(NamedTuple):
    """Rows whose key is whole and not found where it should be."""

    rows: int
    samples: Sequence[Any]
    key: Key


def lost_rows(rows: DataFrame, key: Key, keys: Sequence[str], target: DataFrame, edges: Edges = None) -> Lost:
    """The rows whose key no target holds: one join, chosen by size; with edges only among keys that are in doubt."""
    names = _names(keys)
    columns = [*zip(keys, names, strict=True), *zip(key.names, key.texts, strict=True)]
    mine = rows.where(_whole(keys)).selectExpr(*(f"{quote(column)} AS {quote(name)}" for column, name in columns))
    if edges and len(key_of(target, names).whole) == len(names):
        mine, target = _unfound(mine, target, names, edges)
    # only what is lost becomes text
    parts = [f"{as_text(part)} AS {quote(part)}" for part in key.texts]
    lost = mine.join(target, names, "left_anti").selectExpr("1 AS `floe rows`", *parts)
    found = reduced(lost, key, [], ["sum(`floe rows`) AS `floe rows`"]).collect()[0]
    return Lost(int(found["floe rows"] or 0), found["floe samples"], key)


def _unfound(
    mine: DataFrame, target: DataFrame, names: Sequence[str], edges: Sequence[tuple[int, int]]
) -> tuple[DataFrame, DataFrame]:
    """Both sides around keys that a target may lack: one bit per possible key, and places where both sides have more."""
    inside = " AND ".join(
        f"{quote(name)} BETWEEN {least}L AND {least + width - 1}L"
        for name, (least, width) in zip(names, edges, strict=True)
    )
    rows, others = _placed(mine, names, edges), _placed(target.where(inside), names, edges)
    both = rows.selectExpr("`floe place`", "`floe bit`", "false AS `floe known`").unionByName(
        others.selectExpr("`floe place`", "`floe bit`", "true AS `floe known`")
    )
    bits = "bitmap_construct_agg(bitmap_bit_position(`floe bit`))"
    places = both.groupBy("floe place").agg(
        sql.expr(f"bitmap_count({bits}) AS `floe all`"),
        sql.expr(f"bitmap_count({bits} FILTER (WHERE `floe known`)) AS `floe found`"),
    )
    doubtful = sql.broadcast(places.where("`floe all` > coalesce(`floe found`, 0)").select("floe place"))
    return (
        rows.join(doubtful, "floe place", "left_semi").drop("floe place", "floe bit"),
        others.join(doubtful, "floe place", "left_semi").drop("floe place", "floe bit"),
    )


def judge_keys(
    rows: DataFrame, key: Key, existing: DataFrame | None, targets: Sequence[DataFrame], edges: Edges = None
) -> tuple[Repeated, list[Lost]]:
    """What repeats of a key, what is in `existing` already, and what each target lacks: one query, one shuffle."""
    names = _names(key.names)
    whole = whole_keys(rows, key.names)
    if edges and existing is None and not targets:
        whole = _suspicious(whole, names, edges)
    # keys are nearly all distinct: aggregating before the shuffle would be work for nothing
    whole = whole.repartition(*map(quote, names))
    groups = whole.groupBy(*map(quote, names)).agg(sql.expr("count(*) AS `floe rows`"))
    flags = [f"floe found {number}" for number in range(1, len(targets) + 1)]
    for flag, target in zip(flags, targets, strict=True):
        groups = _flagged(groups, target, names, flag)
    if existing is not None:
        hits = whole_keys(existing, key.names).join(groups.select(*map(quote, names)), names, "left_semi")
        groups = _flagged(groups, hits, names, "floe there")
    else:
        groups = groups.withColumn("floe there", sql.lit(False))
    bad = _by_kind(groups, key, names, flags)
    sums = [f"sum({quote(name)}) AS {quote(name)}" for name in _SUMS]
    found = {row["floe kind"]: row for row in reduced(bad, key, ["floe kind"], sums).collect()}
    numbers = {kind: [int(row[name]) for name in _SUMS] for kind, row in found.items()}
    samples = {kind: row["floe samples"] for kind, row in found.items()}
    lost = [Lost(numbers.get(kind, _NOTHING)[0], samples.get(kind, ()), key) for kind in _kinds(flags)]
    _, twice, there, keys_there = numbers.get(_REPEATED, _NOTHING)
    return Repeated(twice, there, keys_there, samples.get(_REPEATED, ()), key), lost


def dense(edges: Sequence[tuple[int, int] | None], rows: int) -> Edges:
    """The least value and the width of each part of a key of whole numbers, where one bit per possible key is cheap."""
    known = [(edge[0], edge[1] - edge[0] + 1) for edge in edges if edge]
    bits = prod(width for _, width in known)
    return known if known and len(known) == len(edges) and bits <= rows * _SPARSE + _SMALL else None


def _placed(rows: DataFrame, names: Sequence[str], edges: Sequence[tuple[int, int]]) -> DataFrame:
    """Rows with the bit of their key, and the place of that bit."""
    packed = "0L"
    for name, (least, width) in zip(names, edges, strict=True):
        packed = f"({packed} * {width}L + (CAST({quote(name)} AS BIGINT) - {least}L))"
    numbered = rows.withColumn("floe bit", sql.expr(f"{packed} + 1L"))
    return numbered.withColumn("floe place", sql.expr("bitmap_bucket_number(`floe bit`)"))


def _suspicious(whole: DataFrame, names: Sequence[str], edges: Sequence[tuple[int, int]]) -> DataFrame:
    """The keys among which something repeats: one bit per possible key, and those where rows outnumber bits."""
    numbered = _placed(whole, names, edges)
    places = numbered.groupBy("floe place").agg(
        sql.expr("count(*) AS `floe rows`"),
        sql.expr("bitmap_construct_agg(bitmap_bit_position(`floe bit`)) AS `floe bits`"),
    )
    doubtful = places.where("`floe rows` > bitmap_count(`floe bits`)").select("floe place")
    return numbered.join(sql.broadcast(doubtful), "floe place", "left_semi").select(*map(quote, names))


def _kinds(flags: Sequence[str]) -> range:
    return range(_REPEATED + 1, _REPEATED + 1 + len(flags))


def _by_kind(groups: DataFrame, key: Key, names: Sequence[str], flags: Sequence[str]) -> DataFrame:
    """The bad keys, once for each way of being bad."""
    ways = [f"if(`floe rows` > 1 OR `floe there`, {_REPEATED}, NULL)"]
    ways += [f"if({quote(flag)}, NULL, {kind})" for kind, flag in zip(_kinds(flags), flags, strict=True)]
    bad = groups.where(" OR ".join(["`floe rows` > 1", "`floe there`", *(f"NOT {quote(flag)}" for flag in flags)]))
    return bad.selectExpr(
        "`floe rows`",
        "`floe rows` - 1 AS `floe twice`",
        "if(`floe there`, `floe rows`, 0L) AS `floe there rows`",
        "if(`floe there`, 1L, 0L) AS `floe there keys`",
        *(f"{as_text(name)} AS {quote(part)}" for name, part in zip(names, key.texts, strict=True)),
        f"explode(array_compact(array({', '.join(ways)}))) AS `floe kind`",
    )


def _flagged(groups: DataFrame, others: DataFrame, names: Sequence[str], flag: str) -> DataFrame:
    """Keys, and whether others hold them."""
    known = others.distinct().withColumn(flag, sql.lit(True))
    return groups.join(known, list(names), "left").withColumn(flag, sql.expr(f"{quote(flag)} IS NOT NULL"))


def whole_keys(rows: DataFrame, columns: Sequence[str]) -> DataFrame:
    """The keys that have no null part, in columns `floe key 0` and so on."""
    names = zip(columns, _names(columns), strict=True)
    return rows.where(_whole(columns)).selectExpr(*(f"{quote(column)} AS {quote(name)}" for column, name in names))


def _names(columns: Sequence[str]) -> list[str]:
    return [f"floe key {index}" for index in range(len(columns))]


def _whole(columns: Sequence[str]) -> str:
    return " AND ".join(f"{quote(column)} IS NOT NULL" for column in columns)
