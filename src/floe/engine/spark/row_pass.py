"""The fused pass: every rule about single rows, every age and the number of rows, in one query however many rules.

HotSpot compiles no method above 8,000 bytes, and no setting of the session may change. Where the number of rows is known
already, rows that break nothing are left out before anything is counted: rules are tested in batches whose code stays
small, each over its own columns of the files, where the reader skips what cannot break them; patterns have batches
of their own, where code around them would make both slower. Else each row gets a bit per rule it breaks, rows are counted
by their bits, and only the few counted groups become rows by rule again; many bits are computed outside whole-stage code,
where Spark splits the code into small methods.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from types import MappingProxyType
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, Row, functions as sql

from floe.engine.plan.expectations import estimated_code_size, searches, with_precomputed_values
from floe.lang.sql.literals import quote
from floe.model.plan import Expectation, Plan, RowAge, RowRule
from floe.tables.spark.errors import ENGINE_ERRORS, first_line

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


_BITS = 60
_COMPILED = 1_200  # characters of SQL whose code stays small enough: they make 4 to 6 bytes each; about 25 plain rules
_SEARCHES = 4  # batches that search text: each reads the table's files once more
_TOLERANCE = 300
_ISOLATED = 8
# never evaluated, but never folded away: an operator with a function that has no generated code leaves whole-stage code
_NOT_COMPILED = " | if(monotonically_increasing_id() < 0L, aggregate(array(0L), 0L, (a, x) -> a), 0L)"


@dataclass(frozen=True, slots=True)
class RowPassResult:
    """What the pass found: rows, by id bad rows, ages and samples, and why a rule could not be evaluated."""

    rows: int
    numbers: Mapping[str, int | None]
    samples: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    causes: Mapping[str, str] = field(default_factory=dict)

    def edges(self, column: str) -> tuple[int, int] | None:
        """The least and the most value of a column, where they were requested and there is one."""
        least, most = (self.numbers.get(f"{side} {column}") for side in ("min", "max"))
        return (least, most) if least is not None and most is not None else None


class RowPassRequest(NamedTuple):
    """What the pass is request: rules and ages, least and most values of columns.

    `total` is the number of rows where that is known, `common` are values that columns of text have again and again.
    """

    rows: DataFrame
    key: SampleKey
    rules: Sequence[Expectation]
    now: int
    edges: Sequence[str] = ()
    total: int | None = None
    common: Mapping[str, Sequence[str]] = MappingProxyType({})


def count_rows(request: RowPassRequest) -> RowPassResult:
    """Count all that is requested; a rule the engine chokes on is left out, and the others are still counted."""
    try:
        return _pass(request)
    except ENGINE_ERRORS as error:
        if not request.rules:
            raise
        found = _pass(request._replace(rules=(), edges=()))  # if even this fails, no rule is the cause
        causes: dict[str, str] = {}
        numbers: dict[str, int | None] = {}
        samples: dict[str, Sequence[Any]] = {}
        waiting = [(list(request.rules), error)]
        while waiting:
            part, why = waiting.pop()
            if len(part) == 1 or len(causes) >= _ISOLATED:
                causes |= {expectation.id: f"Spark: {first_line(why)}" for expectation in part}
                continue
            for half in (part[: len(part) // 2], part[len(part) // 2 :]):
                try:
                    counted = _pass(request._replace(rules=half, edges=()))
                    numbers |= counted.numbers
                    samples |= counted.samples
                except ENGINE_ERRORS as failed:
                    waiting.append((half, failed))
        return RowPassResult(found.rows, numbers, samples, causes)


def _pass(request: RowPassRequest) -> RowPassResult:
    common = _common_texts(request)
    rules = [
        (rule, with_precomputed_values(rule.check.sql, common))
        for rule in request.rules
        if isinstance(rule.check, RowRule)
    ]
    ages = [(rule.id, *_age(rule, request.now)) for rule in request.rules if not isinstance(rule.check, RowRule)]
    ages += [(f"{side} {column}", side, quote(column)) for column in request.edges for side in ("min", "max")]
    if not rules:
        return _ages_only(request, ages)
    if request.total is not None:  # no rule needs the good rows; those that search texts come last
        searching = {rule.id: searches(test) for rule, test in rules}
        rules.sort(key=lambda ruled: (searching[ruled[0].id], ruled[0].columns))
    tests = [test for _, test in rules]
    if request.total is not None:
        broken = _with_ages(_broken(request.rows, request.key, tests), request, ages)
    else:
        broken = _counted_by_bits(request.rows, request.key, tests, ages)
    sums = [
        "sum(`floe rows`) AS `floe rows`",
        *(f"{f}(`floe age {n}`) AS `floe age {n}`" for n, (_, f, _) in _each(ages)),
    ]
    found = {row["floe rule"]: row for row in reduced(broken, request.key, ["floe rule"], sums).collect()}
    return _result(found, [rule for rule, _ in rules], ages, request.total)


def _ages_only(request: RowPassRequest, ages: Sequence[tuple[str, str, str]]) -> RowPassResult:
    """The number of rows and the ages, where no rule is about single rows."""
    counts = ["count(*)", *(f"{f}({seconds})" for _, f, seconds in ages)]
    total, *values = request.rows.selectExpr(*counts).collect()[0]
    return RowPassResult(int(total), {id_: value for (id_, *_), value in zip(ages, values, strict=True)})


def _result(
    found: Mapping[int, Row], rules: Sequence[Expectation], ages: Sequence[tuple[str, str, str]], total: int | None
) -> RowPassResult:
    """Counts, ages and samples from a row for each broken rule by its number, and one for all rows as rule 0."""
    numbers: dict[str, int | None] = {}
    samples: dict[str, Sequence[Any]] = {}
    for number, rule in enumerate(rules, 1):
        broken = found.get(number)
        numbers[rule.id] = int(broken["floe rows"]) if broken else 0
        if broken:
            samples[rule.id] = broken["floe samples"]
    whole = found.get(0)
    numbers |= {id_: whole[f"floe age {n}"] if whole else None for n, (id_, *_) in _each(ages)}
    if total is None:
        total = int(whole["floe rows"]) if whole else 0
    return RowPassResult(total, numbers, samples)


def _common_texts(request: RowPassRequest) -> dict[str, Sequence[str]]:
    """The frequent values of columns whose text compares by nothing but its signs."""
    types = dict(request.rows.dtypes)
    return {name: some for name, some in request.common.items() if types.get(name) == "string"}


def _broken(rows: DataFrame, key: SampleKey, rules: Sequence[str]) -> DataFrame:
    """The rows that break a rule, once for each, with the rule's number counted from one."""
    parts = []
    for first, last in _batches(rules):
        bad = rows.where(" OR ".join(f"({rule})" for rule in rules[first:last])).selectExpr(
            f"{_mask(rules[first:last])}{_NOT_COMPILED} AS `floe bits`",
            *(f"{as_text(name)} AS {quote(part)}" for name, part in zip(key.names, key.texts, strict=True)),
        )
        name = f"explode({_set_bits('`floe bits`', first, last)}) AS `floe rule`"
        parts.append(bad.selectExpr(name, "1L AS `floe rows`", *map(quote, key.texts)))
    return reduce(DataFrame.union, parts)


def _with_ages(broken: DataFrame, request: RowPassRequest, ages: Sequence[tuple[str, str, str]]) -> DataFrame:
    """Broken rows, and ages over all rows as rule 0."""
    if not ages:
        return broken
    named = [f"`floe age {n}`" for n, _ in _each(ages)]
    of_all = request.rows.selectExpr(
        *(f"{f}({seconds}) AS {name}" for name, (_, f, seconds) in zip(named, ages, strict=True))
    )
    texts = [f"'' AS {quote(part)}" for part in request.key.texts]
    whole = of_all.selectExpr("0 AS `floe rule`", "0L AS `floe rows`", *texts, *named)
    types = dict(whole.dtypes)
    unknown = [f"CAST(NULL AS {types[name[1:-1]]}) AS {name}" for name in named]
    return broken.selectExpr("*", *unknown).union(whole)


def _batches(rules: Sequence[str]) -> list[tuple[int, int]]:
    """Where batches of rules begin and end whose code is small enough; what searches text comes last, a few by themselves.

    >>> _batches(["a > 1"] * 150), _batches(["x" * 3_000] * 2)
    ([(0, 60), (60, 120), (120, 150)], [(0, 1), (1, 2)])
    >>> _batches(["a > 1", "NOT b RLIKE 'x'", "NOT c RLIKE 'x'"]), len(_batches(["NOT b RLIKE 'x'"] * 40))
    ([(0, 1), (1, 2), (2, 3)], 4)
    """
    found, first, size = [], 0, 0
    per_batch = -(-sum(map(searches, rules)) // _SEARCHES)
    for n, rule in enumerate(rules):
        most = _BITS
        if searches(rule):  # starts a batch of its own kind
            most = min(per_batch, _BITS) if searches(rules[first]) else 0
        if n > first and (size + estimated_code_size(rule) > _COMPILED or n - first >= most):
            found.append((first, n))
            first, size = n, 0
        size += estimated_code_size(rule)
    return [*found, (first, len(rules))]


def _each(ages: Sequence[tuple[str, str, str]]) -> Sequence[tuple[int, tuple[str, str, str]]]:
    return list(enumerate(ages))


def _counted_by_bits(
    rows: DataFrame, key: SampleKey, rules: Sequence[str], ages: Sequence[tuple[str, str, str]]
) -> DataFrame:
    """All rows counted by the rules they break and, where they break one, by their key; once for each rule, and as rule 0."""
    places = range(0, len(rules), _BITS)
    masks = [_mask(rules[place : place + _BITS]) for place in places]
    masks[0] += _NOT_COMPILED if sum(map(estimated_code_size, rules)) > _COMPILED else ""
    names = [f"floe bits {n}" for n in range(len(masks))]
    seen = rows.selectExpr(
        *(f"{mask} AS {quote(name)}" for mask, name in zip(masks, names, strict=True)),
        *(f"{seconds} AS `floe age {n}`" for n, (_, _, seconds) in _each(ages)),
        *(f"{quote(name)} AS {quote(part)}" for name, part in zip(key.names, key.texts, strict=True)),
    )
    bad = f"({' | '.join(map(quote, names))}) != 0L"
    kept = seen.selectExpr(
        *map(quote, names),
        *(f"`floe age {n}`" for n, _ in _each(ages)),
        *(f"{as_text(part, bad)} AS {quote(part)}" for part in key.texts),
    )
    oldest = [sql.expr(f"{f}(`floe age {n}`) AS `floe age {n}`") for n, (_, f, _) in _each(ages)]
    groups = kept.groupBy(*map(quote, (*names, *key.texts))).agg(sql.expr("count(*) AS `floe rows`"), *oldest)
    bits = ", ".join(_set_bits(quote(name), place, place + _BITS) for name, place in zip(names, places, strict=True))
    return groups.withColumn("floe rule", sql.expr(f"explode(concat(array(0), {bits}))"))


def _mask(rules: Sequence[str]) -> str:
    """A bit per rule; a rule that is null for a row is not broken by it."""
    return " | ".join(f"if({rule}, {1 << n}L, 0L)" for n, rule in enumerate(rules))


def _set_bits(bits: str, first: int, last: int) -> str:
    """The numbers of the rules whose bit is set, counted from one."""
    return f"filter(sequence({first + 1}, {last}), rule -> shiftright({bits}, rule - {first + 1}) & 1L = 1L)"


def _age(expectation: Expectation, now: int) -> tuple[str, str]:
    """How an age is aggregated, and of what; a row from the future does not make a table fresh."""
    age = expectation.check
    assert isinstance(age, RowAge)
    if age.kind == "newest":
        return "max", f"CASE WHEN {age.seconds} <= {now + _TOLERANCE} THEN {age.seconds} END"
    return "min", age.seconds
