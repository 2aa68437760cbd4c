"""Quarantine: separate bad rows from good ones, and store them with their codes in a table of their own."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pyspark.sql import Column, DataFrame, SparkSession, functions as sql

from floe.engine.gate.request import Split
from floe.lang.sql.literals import quote, text
from floe.model.contract import Target
from floe.model.plan import Expectation, ForeignKey, Plan, RowRule, UniqueKey
from floe.model.result import FAIL, Outcome
from floe.model.types import Array, Atomic, Family, Member, Struct
from floe.tables.formats import writable
from floe.tables.spark.schema import run_on, sql_type, struct_of
from floe.tables.state import Tag, rows_lost

CODES, RUN, AT, CONTRACT = "_floe_codes", "_floe_run_id", "_floe_at", "_floe_contract"
_MARKS = (
    Member(CODES, Array(Atomic("string")), True),
    Member(RUN, Atomic("string"), True),
    Member(AT, Atomic("timestamp"), True),
    Member(CONTRACT, Atomic("string"), True),
)


def split_batch(
    rows: DataFrame,
    plan: Plan,
    broken: Iterable[Outcome],
    existing: DataFrame | None = None,
    references: Mapping[str, DataFrame] | None = None,
) -> Split | None:
    """Separate bad rows from the rest; None if a violation does not belong to rows."""
    by_id = {expectation.id: expectation for expectation in plan.expectations}
    asked = [(outcome, by_id.get(outcome.id)) for outcome in broken]
    if not asked or any(one is None or not of_rows(outcome, one) for outcome, one in asked):
        return None
    good, bad = split_rows(rows, [one for _, one in asked if one], existing, references or {})
    return Split(good, bad, bad.count())


def split_rows(
    rows: DataFrame,
    expectations: Iterable[Expectation],
    existing: DataFrame | None,
    references: Mapping[str, DataFrame],
) -> tuple[DataFrame, DataFrame]:
    """Rows that break nothing, and those that do with their codes; nothing is read yet."""
    marked = with_codes(rows, expectations, existing, references)
    return marked.where(sql.size(CODES) == 0).drop(CODES), marked.where(sql.size(CODES) > 0)


def of_rows(outcome: Outcome, expectation: Expectation) -> bool:
    """Whether an expectation failed because of single rows, which can be quarantined."""
    return outcome.outcome == FAIL and isinstance(expectation.check, RowRule | UniqueKey | ForeignKey)


def with_codes(
    rows: DataFrame,
    expectations: Iterable[Expectation],
    existing: DataFrame | None,
    references: Mapping[str, DataFrame],
) -> DataFrame:
    """Rows with one more column: the codes of the expectations each of them breaks, in order and once."""
    found: list[Column] = []
    kept = rows.columns
    for number, one in enumerate(expectations):
        sign = f"floe {number}"
        if one.row_rule:
            bad: Column = sql.expr(f"coalesce({one.row_rule}, false)")
        else:
            rows = _signed(rows, one, sign, existing, references)
            bad = sql.col(quote(sign))
        found.append(sql.when(bad, sql.lit(f"FLOE-{one.code}")))
    every = sql.array(*found).cast("array<string>")
    codes = sql.sort_array(sql.array_distinct(sql.array_compact(every)))
    return rows.select(*(sql.col(quote(name)) for name in kept), codes.alias(CODES))


def _signed(
    rows: DataFrame,
    expectation: Expectation,
    sign: str,
    existing: DataFrame | None,
    references: Mapping[str, DataFrame],
) -> DataFrame:
    """Rows with a sign on those whose key repeats, is in the table already, or is not found where it refers to."""
    keys = [f"{sign} {index}" for index in range(len(expectation.key))]
    whole = sql.expr(" AND ".join(f"{quote(key)} IS NOT NULL" for key in expectation.key))
    if expectation.reference:
        found = _keyed(references[expectation.reference.dataset], expectation.reference.columns, keys).distinct()
        return _joined(rows, expectation, keys, found, sign, ~sql.col("floe found") & whole)
    mine = (
        _keyed(rows.where(whole), expectation.key, keys)
        .groupBy(*map(quote, keys))
        .count()
        .where("count > 1")
        .drop("count")
    )
    if existing is not None:
        mine = mine.unionByName(_keyed(existing, expectation.key, keys)).distinct()
    return _joined(rows, expectation, keys, mine, sign, sql.col("floe found"))


def _joined(
    rows: DataFrame, expectation: Expectation, keys: list[str], found: DataFrame, sign: str, bad: Column
) -> DataFrame:
    same = [sql.col(quote(mine)) == sql.col(quote(key)) for mine, key in zip(expectation.key, keys, strict=True)]
    joined = rows.join(found.withColumn("floe found", sql.lit(True)), same, "left")
    joined = joined.withColumn("floe found", sql.coalesce(sql.col("`floe found`"), sql.lit(False)))
    return joined.withColumn(sign, bad).drop("floe found", *keys)


def _keyed(rows: DataFrame, columns: tuple[str, ...], names: list[str]) -> DataFrame:
    return rows.select(*(sql.col(quote(one)).alias(name) for one, name in zip(columns, names, strict=True)))


def quarantine_target(target: Target) -> Target:
    """Where a table's bad rows are kept."""
    name = f"{target.name}__quarantine" if target.name else None
    return replace(target, name=name, path=f"{target.path.rstrip('/')}__quarantine" if target.path else None)


def write_quarantine(split: Split, target: Target, contract: str, tag: Tag) -> None:
    """Add bad rows to the table's quarantine, once for a batch.

    They are added before the commit of the good rows, so rows of an earlier attempt can be there: of a run that died in
    between, or of this one before another writer came first. They are taken out, for what is bad may have changed since.
    """
    spark, place = split.bad.sparkSession, quarantine_target(target)
    table = writable(place)
    rows = split.bad.select(
        "*",
        sql.lit(tag.run_id).alias(RUN),
        sql.current_timestamp().alias(AT),
        sql.lit(contract).alias(CONTRACT),
    )
    mark = tag._replace(rows=split.bad_rows)
    if not table.exists(spark, place):
        data = [m for m in struct_of(split.bad.schema).members if m.name != CODES]
        table.create(
            spark,
            place,
            Struct((*(Member(m.name, m.type, True) for m in data), *_MARKS)),
            (),
            {"floe.quarantine_of": str(target)},
        )
    else:
        earlier = table.committed(spark, place, mark)
        if earlier and earlier.run_id:
            remove_runs(spark, target, [earlier.run_id])
        _widen(rows, place)
    mark = mark._replace(attempt=table.next_attempt(spark, place, mark))
    table.append(rows, place, mark, (), table.state(spark, place))
    commit = table.commit_of_run(spark, place, mark, "append")
    if commit is None or commit.rows != split.bad_rows:
        raise rows_lost(split.bad_rows, commit.rows if commit else 0, f"the write to {place}")


def _widen(rows: DataFrame, place: Target) -> None:
    """Add the columns that the table has got since to the quarantine."""
    there = {column.casefold() for column in writable(place).read(rows.sparkSession, place).columns}
    for member in struct_of(rows.schema).members:
        if member.name.casefold() not in there:
            kind = sql_type(member.type)
            run_on(rows.sparkSession, place, f"ALTER TABLE {place.sql} ADD COLUMNS ({quote(member.name)} {kind})")


def quarantined_runs(spark: SparkSession, target: Target) -> list[tuple[str, str, str, int, dict[str, int]]]:
    """The quarantined rows of each run: run, time, contract, rows, and rows by code; newest first."""
    place = quarantine_target(target)
    table = writable(place)
    if not table.exists(spark, place):
        return []
    rows = table.read(spark, place)
    runs = rows.groupBy(RUN, CONTRACT).agg(sql.max(AT).alias("at"), sql.count("*").alias("rows"))
    codes = rows.select(RUN, sql.explode(CODES).alias("code")).groupBy(RUN, "code").count().collect()
    found = [
        (
            str(run[RUN]),
            run["at"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            str(run[CONTRACT]),
            int(run["rows"]),
            {str(row["code"]): int(row["count"]) for row in codes if row[RUN] == run[RUN]},
        )
        for run in runs.collect()
    ]
    return sorted(found, key=lambda run: run[1], reverse=True)


def quarantined_rows(spark: SparkSession, target: Target, runs: list[str], promised: Struct) -> DataFrame:
    """The quarantined rows of runs as they came; columns that were added since are null."""
    place = quarantine_target(target)
    rows: DataFrame = writable(place).read(spark, place).where(sql.col(RUN).isin(runs))
    rows = rows.drop(CODES, RUN, AT, CONTRACT)
    there = {column.casefold() for column in rows.columns}
    since = [
        member
        for member in promised.members
        if member.name.casefold() not in there and not isinstance(member.type, Family)
    ]
    return rows.select("*", *(sql.lit(None).cast(sql_type(member.type)).alias(member.name) for member in since))


def remove_runs(spark: SparkSession, target: Target, runs: list[str]) -> None:
    """Take the rows of runs out of the quarantine."""
    listed = ", ".join(text(run) for run in runs)
    place = quarantine_target(target)
    run_on(spark, place, f"DELETE FROM {place.sql} WHERE {RUN} IN ({listed})")
