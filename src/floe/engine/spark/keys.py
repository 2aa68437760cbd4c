"""Keys: one shuffle per distinct set of key columns, shared by all that is asked of it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as sql

from floe.engine.spark.jvm_duplicates import MOST, JvmDuplicates, find_jvm_duplicates, hashable
from floe.engine.spark.samples import SAMPLES, SampleKey, as_text, key_of, reduced
from floe.lang.sql.literals import quote
from floe.model.plan import Bounds
from floe.tables.spark.errors import ENGINE_ERRORS

_REPEATED = 0
_SUMS = ("floe rows", "floe twice", "floe there rows", "floe there keys")
_NOTHING = [0] * len(_SUMS)
_SPARSE, _SMALL = 64, 1 << 20  # bits that a row may cost, and that cost nothing
_BROADCAST = 1 << 26  # possible keys whose bits can be sent to every worker: some 20 MB
_MANY = 100_000  # rows from which a hash of each pays
_LISTED = 1 << 28  # rows up to which a list of hashes is at most 32 MB
_LIST_BITS, _TASK_BITS = 6, 22  # so many lists, and rows of a task in a turn; more than 128 lists at a time are sorted
_ALL, _LARGEST = (1 << 64) - 1, (1 << 63) - 1
_COUNTED = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "CAST({} AS BIGINT)"),
    "date": "CAST(unix_date({}) AS BIGINT)",
}
Edges = Sequence[tuple[int, int]] | None


class KeyStatistics(NamedTuple):
    """What is known of a key before it is judged: `edges` where it is dense, rows, how values lie in files, `bounds`."""

    edges: Edges = None
    rows: int = 0
    apart: bool | None = None  # whether files hold values apart from one another's; None where nobody knows
    bounds: Sequence[Bounds | None] = ()


class DuplicateKeys(NamedTuple):
    """Rows beyond the first of their key, rows whose key is in the table already, and how many keys those are."""

    twice: int
    there: int
    keys_there: int
    samples: Sequence[Any]
    key: SampleKey


class _Proof(NamedTuple):
    """A number that rows of one key share, and the query for those that rows of two keys, or one row twice, may share.

    Rows of its answer begin with the number; `told` reads repeated keys from them, or None where they do not tell.
    """

    number: Column
    suspects: DataFrame
    told: Callable[[Sequence[Row], SampleKey], DuplicateKeys | None] = lambda found, key: None


class OrphanKeys(NamedTuple):
    """Rows whose key is whole and not found where it should be."""

    rows: int
    samples: Sequence[Any]
    key: SampleKey


def key_statistics(
    columns: Sequence[str],
    edges: Edges,
    rows: int | None,
    apart: Mapping[str, bool],
    bounds: Mapping[str, Bounds],
    masked: frozenset[str],
) -> KeyStatistics:
    """What is known of the key of columns; without edges of classified ones, which would stand in a query's text."""
    told = [apart[name] for name in columns if name in apart]
    between = [bounds.get(name) for name in columns]
    return KeyStatistics(None if masked & set(columns) else edges, rows or 0, any(told) if told else None, between)


def find_orphans(
    rows: DataFrame, key: SampleKey, keys: Sequence[str], target: DataFrame, edges: Edges = None
) -> OrphanKeys:
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
    return OrphanKeys(int(row["floe rows"] or 0), row["floe samples"], key)


def _unfound(mine: DataFrame, target: DataFrame, names: Sequence[str], edges: Sequence[tuple[int, int]]) -> DataFrame:
    """The rows whose bit the target does not have: a target of one bit per possible key is small enough to send round."""
    known = (
        _bits(target.where(_inside(names, edges)), names, edges)
        .groupBy("floe word")
        .agg(sql.expr("bit_or(`floe bit`) AS `floe known`"))
    )
    joined = _bits(mine, names, edges).join(sql.broadcast(known), "floe word", "left")
    return joined.where("coalesce(`floe known`, 0L) & `floe bit` = 0L")


def judge_keys(
    rows: DataFrame, key: SampleKey, existing: DataFrame | None, targets: Sequence[DataFrame], known: KeyStatistics
) -> tuple[DuplicateKeys, list[OrphanKeys]]:
    """What repeats of a key, what is in `existing` already, and what each target lacks: one shuffle.

    Where only repeats are asked for, a number for each key proves at less cost that there are none; where it does not,
    the rows whose numbers are suspicious are all that is left to group.
    """
    names = _names(key.names)
    whole = whole_keys(rows, key.names)
    few = None
    if existing is None and not targets:
        told, few = _suspected(whole, key, known)
        if told:
            return told, []
    # keys are nearly all distinct: aggregating before the shuffle would be work for nothing
    whole = whole.repartition(*map(quote, names)) if few is None else few
    groups = whole.groupBy(*map(quote, names)).agg(sql.expr("count(*) AS `floe rows`"))
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
        OrphanKeys(found[kind][0][0], found[kind][1], key) if kind in found else OrphanKeys(0, (), key)
        for kind in _kinds(flags)
    ]
    return _repeated(found, key), lost


def _suspected(whole: DataFrame, key: SampleKey, known: KeyStatistics) -> tuple[DuplicateKeys | None, DataFrame | None]:
    """What a proof tells of repeated keys; else the rows that may be of some, where they are few."""
    proof, suspects = _asked(whole, known)
    numbers = {row[0] for row in suspects}
    if proof is None or len(numbers) > MOST:
        return None, None
    if not numbers:
        return DuplicateKeys(0, 0, 0, (), key), None
    return proof.told(suspects, key), whole.where(proof.number.isin(numbers))


def _asked(whole: DataFrame, known: KeyStatistics) -> tuple[_Proof | None, Sequence[Row]]:
    """The proof that there is, and its answer; floe's own code may be made for another Spark than the workers'."""
    try:
        found = find_jvm_duplicates(whole, known.bounds, known.rows) if known.rows >= _MANY else None
        if found:
            return _Proof(found.number, found.query, partial(_read, found)), found.query.collect()
    except ENGINE_ERRORS:
        pass
    proof = _proof(whole, known)
    return proof, proof.suspects.collect() if proof else ()


def _summed(bad: DataFrame, key: SampleKey) -> dict[int, tuple[list[int], Sequence[Any]]]:
    """By the way of being bad: the sums, and samples."""
    sums = [f"sum({quote(name)}) AS {quote(name)}" for name in _SUMS]
    rows = reduced(bad, key, ["floe kind"], sums).collect()
    return {row["floe kind"]: ([int(row[name]) for name in _SUMS], row["floe samples"]) for row in rows}


def _repeated(found: Mapping[int, tuple[list[int], Sequence[Any]]], key: SampleKey) -> DuplicateKeys:
    (_, twice, there, keys_there), samples = found.get(_REPEATED, (_NOTHING, ()))
    return DuplicateKeys(twice, there, keys_there, samples, key)


def dense(bounds: Sequence[Bounds | None], rows: int) -> Edges:
    """The least value and the width of each part of a key of whole numbers, where one bit per possible key is cheap."""
    edges = [edge or (None, None) for edge in bounds]
    known = [(least, most - least + 1) for least, most in edges if isinstance(least, int) and isinstance(most, int)]
    if not known or len(known) < len(edges):
        return None
    # a power of two lets rows that differ in their last parts alone share a word, and is shifted, not multiplied
    widest = max(width for _, width in known)
    even = [(least, width if width == widest else 1 << (width - 1).bit_length()) for least, width in known]
    return next((pair for pair in (even, known) if prod(width for _, width in pair) <= rows * _SPARSE + _SMALL), None)


def _bits(rows: DataFrame, names: Sequence[str], edges: Sequence[tuple[int, int]]) -> DataFrame:
    """Rows with the bit of their key among all possible ones, and the word of 64 that it stands in."""
    number = _packed(names, edges)
    return rows.selectExpr(
        *map(quote, rows.columns), f"{_word(number)} AS `floe word`", f"{_bit(number)} AS `floe bit`"
    )


def _packed(names: Sequence[str], edges: Sequence[tuple[int, int]]) -> str:
    """The number of a key among all possible ones; the widest part counts most, so that its neighbours share words."""
    packed = "0L"
    for name, (least, width) in _widest_first(names, edges):
        packed = f"({packed} * {width}L + (CAST({quote(name)} AS BIGINT) - {least}L))"
    return packed


def _inside(names: Sequence[str], edges: Sequence[tuple[int, int]]) -> str:
    return " AND ".join(
        f"{quote(name)} BETWEEN {least}L AND {min(least + width - 1, _LARGEST)}L"
        for name, (least, width) in zip(names, edges, strict=True)
    )


def _widest_first(names: Sequence[str], edges: Sequence[tuple[int, int]]) -> list[tuple[str, tuple[int, int]]]:
    return sorted(zip(names, edges, strict=True), key=lambda part: -part[1][1])


def _word(number: str) -> str:
    return f"shiftright({number}, 6)"


def _bit(number: str) -> str:
    return f"shiftleft(1L, CAST({number} & 63L AS INT))"


def _pairs(edges: Sequence[tuple[int, int]], words: Sequence[Row], key: SampleKey) -> DuplicateKeys | None:
    """The keys that are there twice, read from the words they stand in; None where one is there more often.

    The bit of a key that is there twice is even.
    """
    found = []
    for word, rows, every, odd in words:
        even = every & ~odd & _ALL
        if word < 0 or even.bit_count() != rows - (every & _ALL).bit_count():
            return None
        found += [word * 64 + place for place in range(64) if even >> place & 1]
    parts = [_unpacked(number, key.names, edges) for number in found]
    samples = sorted(tuple(f"={part[name]}" for name in key.names) for part in parts)[:SAMPLES]
    return DuplicateKeys(len(found), 0, 0, samples, key)


def _unpacked(number: int, names: Sequence[str], edges: Sequence[tuple[int, int]]) -> dict[str, int]:
    """The parts of a key by its number among all possible ones."""
    found = {}
    for name, (least, width) in reversed(_widest_first(names, edges)):
        number, part = divmod(number, width)
        found[name] = least + part
    return found


def _proof(whole: DataFrame, known: KeyStatistics) -> _Proof | None:
    """How to prove by Spark's own functions that no key repeats; None where grouping is as good.

    Bits are cheapest where rows of one word stand together; where they are spread over the files, lists of hashes are.
    """
    types = dict(whole.dtypes)
    names = whole.columns
    if known.edges and known.apart is not False:
        number = _packed(names, known.edges)
        # a frame may have others by now than when its edges were asked for
        word = f"if({_inside(names, known.edges)}, {_word(number)}, -1L)"
        return _by_bits(whole, word, _bit(number))._replace(told=partial(_pairs, known.edges))
    if known.rows < _MANY or not hashable(whole):
        return None
    counted = [name for name in names if types[name] in _COUNTED]
    if known.apart and counted and len(names) > 1:
        number = _COUNTED[types[counted[-1]]].format(quote(counted[-1]))
        others = [quote(name) for name in names if name != counted[-1]]
        return _by_bits(whole, f"xxhash64({', '.join([*others, _word(number)])})", _bit(number))
    return _by_lists(whole, f"xxhash64({', '.join(map(quote, names))})") if known.rows <= _LISTED else None


def _read(repeats: JvmDuplicates, found: Sequence[Row], key: SampleKey) -> DuplicateKeys | None:
    try:
        keys = repeats.keys(found)
    except ENGINE_ERRORS:
        keys = None
    if keys is None:
        return None
    samples = sorted(tuple(f"={text}" for text in texts) for texts, _ in keys)[:SAMPLES]
    return DuplicateKeys(sum(times - 1 for _, times in keys), 0, 0, samples, key)


def _by_bits(whole: DataFrame, word: str, bit: str) -> _Proof:
    """Keys as bits of words: where none repeats in a word, it has as many bits as rows."""
    bits = whole.selectExpr(f"{word} AS `floe word`", f"{bit} AS `floe bit`").groupBy("floe word")
    words = bits.agg(
        sql.expr("count(*) AS `floe rows`"),
        sql.expr("bit_or(`floe bit`) AS `floe all`"),
        sql.expr("bit_xor(`floe bit`) AS `floe odd`"),
    )
    return _Proof(sql.expr(word), words.where("`floe rows` > bit_count(`floe all`)").limit(MOST + 1))


def _by_lists(whole: DataFrame, number: str) -> _Proof:
    """Hashes in a few long lists: a row costs no record of a shuffle and no entry of a map of rows.

    A task hands its lists on after so many rows, for they are held in memory.
    """
    numbered = whole.selectExpr(
        f"{number} AS `floe number`", f"shiftright(monotonically_increasing_id(), {_TASK_BITS}) AS `floe turn`"
    )
    range_ = sql.expr(f"shiftrightunsigned(`floe number`, {64 - _LIST_BITS}) AS `floe range`")
    lists = numbered.groupBy(range_, "floe turn").agg(sql.expr("collect_list(`floe number`) AS `floe list`"))
    whole_lists = lists.groupBy("floe range").agg(sql.expr("flatten(collect_list(`floe list`)) AS `floe list`"))
    bad = whole_lists.where("size(`floe list`) > size(array_distinct(`floe list`))")
    again = bad.selectExpr("explode(`floe list`) AS `floe number`").groupBy("floe number").count().where("count > 1")
    return _Proof(sql.expr(number), again.select("floe number").limit(MOST + 1))


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


def whole_keys(rows: DataFrame, columns: Sequence[str]) -> DataFrame:
    """The keys that have no null part, in columns `floe key 0` and so on."""
    names = zip(columns, _names(columns), strict=True)
    return rows.where(_whole(columns)).selectExpr(*(f"{quote(column)} AS {quote(name)}" for column, name in names))


def _names(columns: Sequence[str]) -> list[str]:
    return [f"floe key {index}" for index in range(len(columns))]


def _whole(columns: Sequence[str]) -> str:
    return " AND ".join(f"{quote(column)} IS NOT NULL" for column in columns)
