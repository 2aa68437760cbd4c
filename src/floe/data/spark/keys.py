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
_BROADCAST = 1 << 26  # possible keys whose bits can be sent to every worker: some 20 MB
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
    """The rows whose key no target holds: one join, chosen by size; where keys are dense, with their bits."""
    names = _names(keys)
    columns = [*zip(keys, names, strict=True), *zip(key.names, key.texts, strict=True)]
    mine = rows.where(_whole(keys)).selectExpr(*(f"{quote(column)} AS {quote(name)}" for column, name in columns))
    if edges and prod(width for _, width in edges) <= _BROADCAST and len(key_of(target, names).whole) == len(names):
        lost = _unfound(mine, target, names, edges)
    else:
        lost = mine.join(target, names, "left_anti")
    # only what is lost becomes text
    parts = [f"{as_text(part)} AS {quote(part)}" for part in key.texts]
    found = reduced(lost.selectExpr("1 AS `floe rows`", *parts), key, [], ["sum(`floe rows`) AS `floe rows`"])
    row = found.collect()[0]
    return Lost(int(row["floe rows"] or 0), row["floe samples"], key)


def _unfound(mine: DataFrame, target: DataFrame, names: Sequence[str], edges: Sequence[tuple[int, int]]) -> DataFrame:
    """The rows whose bit the target does not have: a target of one bit per possible key is small enough to send round."""
    inside = " AND ".join(
        f"{quote(name)} BETWEEN {least}L AND {least + width - 1}L"
        for name, (least, width) in zip(names, edges, strict=True)
    )
    known = (
        _bits(target.where(inside), names, edges)
        .groupBy("floe word")
        .agg(sql.expr("bit_or(`floe bit`) AS `floe known`"))
    )
    joined = _bits(mine, names, edges).join(sql.broadcast(known), "floe word", "left")
    return joined.where("coalesce(`floe known`, 0L) & `floe bit` = 0L")


def judge_keys(
    rows: DataFrame, key: Key, existing: DataFrame | None, targets: Sequence[DataFrame], edges: Edges = None
) -> tuple[Repeated, list[Lost]]:
    """What repeats of a key, what is in `existing` already, and what each target lacks: one query, one shuffle."""
    names = _names(key.names)
    whole = whole_keys(rows, key.names)
    if edges and existing is None and not targets:
        repeated = _repeated(whole, key, names, edges)
        if repeated.samples or not repeated.twice:
            return repeated, []
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


def _bits(rows: DataFrame, names: Sequence[str], edges: Sequence[tuple[int, int]]) -> DataFrame:
    """Rows with the bit of their key among all possible ones, and the word of 64 that it stands in."""
    packed = "0L"
    for name, (least, width) in zip(names, edges, strict=True):
        packed = f"({packed} * {width}L + (CAST({quote(name)} AS BIGINT) - {least}L))"
    numbered = rows.withColumn("floe number", sql.expr(packed))
    return numbered.selectExpr(
        *map(quote, rows.columns),
        "shiftright(`floe number`, 6) AS `floe word`",
        "shiftleft(1L, CAST(`floe number` & 63L AS INT)) AS `floe bit`",
    )


def _repeated(whole: DataFrame, key: Key, names: Sequence[str], edges: Sequence[tuple[int, int]]) -> Repeated:
    """What repeats of a dense key, by its bits alone: in a word that something repeats in, rows outnumber bits.

    Keys that come two, four … times are those whose bit is set and is not in the exclusive or: they are the samples.
    """
    words = (
        _bits(whole, names, edges)
        .groupBy("floe word")
        .agg(
            sql.expr("count(*) AS `floe rows`"),
            sql.expr("bit_or(`floe bit`) AS `floe all`"),
            sql.expr("bit_xor(`floe bit`) AS `floe odd`"),
        )
    )
    words = words.where("`floe rows` > bit_count(`floe all`)")
    even = "filter(sequence(0, 63), n -> shiftright(`floe all` & ~`floe odd`, n) & 1L = 1L)"
    each = words.withColumn("floe place", sql.expr(f"explode(concat(array(-1), {even}))"))
    bad = each.selectExpr(
        "`floe place` >= 0 AS `floe kind`",
        "`floe rows` - bit_count(`floe all`) AS `floe twice`",
        "(`floe word` * 64L + `floe place`) AS `floe number`",
    )
    parts, rest = [], "`floe number`"
    for name, (least, width) in reversed(list(zip(key.texts, edges, strict=True))):
        parts.append(f"concat('=', CAST(pmod({rest}, {width}L) + {least}L AS STRING)) AS {quote(name)}")
        rest = f"({rest} div {width}L)"
    shown = bad.selectExpr("`floe kind`", "`floe twice`", *parts)
    found = {
        row["floe kind"]: row
        for row in reduced(shown, key, ["floe kind"], ["sum(`floe twice`) AS `floe twice`"]).collect()
    }
    twice = int(found[False]["floe twice"]) if False in found else 0
    return Repeated(twice, 0, 0, found[True]["floe samples"] if True in found else (), key)


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
