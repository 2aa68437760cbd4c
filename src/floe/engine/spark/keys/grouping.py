"""Keys by `groupBy`: one shuffle for what repeats in a key, what is in the table already, and what its targets lack.

This is the way that needs no argument, so every other way falls back on it: Spark groups all rows by the key itself. It
holds one entry of a hash map and one shuffle record per row, which Spark spills to disk.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, functions as sql

from floe.engine.spark.keys.columns import whole_keys
from floe.engine.spark.keys.result import Declined, DuplicateKeys, OrphanKeys, Search, no_duplicates
from floe.engine.spark.row_pass import SampleKey, as_text, reduced
from floe.lang.sql.literals import quote

MOST_SUSPECTS = 1_000  # codes that are named one by one
GROUP_BY = "groupBy"
_REPEATED = 0
_SUMS = ("floe rows", "floe twice", "floe there rows", "floe there keys")
_NOTHING = [0] * len(_SUMS)


def duplicates_by_grouping(whole: DataFrame, key: SampleKey, method: str = GROUP_BY) -> DuplicateKeys:
    """The keys that repeat among rows without null parts."""
    repeated, _ = check_by_grouping(whole, key, None, [])
    return repeated._replace(method=method)


def duplicates_by_search(search: Search, whole: DataFrame, key: SampleKey) -> DuplicateKeys | Declined:
    """The keys that repeat, where codes tell which rows may repeat one; only these rows are grouped."""
    rows = search.suspects.collect()
    codes = {row[0] for row in rows}
    if not codes:
        return no_duplicates(key, search.method)
    if len(codes) > MOST_SUSPECTS:
        return too_many_suspects()
    return search.read(rows, key) or group_suspects(whole.where(search.code.isin(codes)), key, search.method)


def group_suspects(suspects: DataFrame, key: SampleKey, method: str) -> DuplicateKeys:
    """The keys that repeat among rows that share their code with others; all other rows repeat no key."""
    groups = suspects.groupBy(*map(quote, suspects.columns)).agg(sql.expr("count(*) AS `floe rows`"))
    repeated, _ = _found(groups, key, None, [])
    return repeated._replace(method=f"{method}, then {GROUP_BY} of suspected rows")


def too_many_suspects() -> Declined:
    """That keys repeat, or seem to, too often to be named one by one."""
    return Declined(f"more than {MOST_SUSPECTS:,} keys may repeat", group=True)


def check_by_grouping(
    whole: DataFrame, key: SampleKey, existing: DataFrame | None, targets: Sequence[DataFrame]
) -> tuple[DuplicateKeys, list[OrphanKeys]]:
    """What repeats, what is in `existing` already, and what each target lacks."""
    names = [quote(name) for name in whole.columns]
    # keys are nearly all distinct: aggregating before the shuffle would be work for nothing
    groups = whole.repartition(*names).groupBy(*names).agg(sql.expr("count(*) AS `floe rows`"))
    return _found(groups, key, existing, targets)


def _found(
    groups: DataFrame, key: SampleKey, existing: DataFrame | None, targets: Sequence[DataFrame]
) -> tuple[DuplicateKeys, list[OrphanKeys]]:
    names = [name for name in groups.columns if name != "floe rows"]
    flags = [f"floe found {number}" for number in range(1, len(targets) + 1)]
    for flag, target in zip(flags, targets, strict=True):
        groups = _flagged(groups, target, names, flag)
    if existing is not None:
        hits = whole_keys(existing, key.names).join(groups.select(*map(quote, names)), names, "left_semi")
        groups = _flagged(groups, hits, names, "floe there")
    else:
        groups = groups.withColumn("floe there", sql.lit(False))
    found = _summed(_by_kind(groups, key, names, flags), key)
    lost = [
        OrphanKeys(found[kind][0][0], found[kind][1], key, GROUP_BY)
        if kind in found
        else OrphanKeys(0, (), key, GROUP_BY)
        for kind in _kinds(flags)
    ]
    return _repeated(found, key), lost


def _summed(bad: DataFrame, key: SampleKey) -> dict[int, tuple[list[int], Sequence[Any]]]:
    """By the way of being bad: the sums, and samples."""
    sums = [f"sum({quote(name)}) AS {quote(name)}" for name in _SUMS]
    rows = reduced(bad, key, ["floe kind"], sums).collect()
    return {row["floe kind"]: ([int(row[name]) for name in _SUMS], row["floe samples"]) for row in rows}


def _repeated(found: Mapping[int, tuple[list[int], Sequence[Any]]], key: SampleKey) -> DuplicateKeys:
    (_, twice, there, keys_there), samples = found.get(_REPEATED, (_NOTHING, ()))
    return DuplicateKeys(twice, there, keys_there, samples, key, GROUP_BY)


def _kinds(flags: Sequence[str]) -> range:
    return range(_REPEATED + 1, _REPEATED + 1 + len(flags))


def _by_kind(groups: DataFrame, key: SampleKey, names: Sequence[str], flags: Sequence[str]) -> DataFrame:
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
