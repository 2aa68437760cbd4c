"""Check rules on some files of a table, and their keys against those of the other files."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession

from floe.engine.incremental.reads import Index, Measurement, ReadPlan, RuleNeed, near_files, old_files
from floe.engine.metadata.proof import bounds_of, files_are_clustered, row_count
from floe.engine.spark.keys.bits import dense
from floe.engine.spark.keys.broadcast import duplicates_by_broadcast, orphans_by_broadcast
from floe.engine.spark.keys.check import check_keys
from floe.engine.spark.keys.columns import whole_keys
from floe.engine.spark.keys.orphans import find_orphans
from floe.engine.spark.keys.result import Edges, key_statistics
from floe.engine.spark.measure import Cost, QueryReads, described, metered, run_concurrently
from floe.engine.spark.row_pass import RowPassRequest, count_rows, key_of, shown
from floe.engine.spark.scan import read_references
from floe.engine.spark.session import own_session
from floe.lang.sql.literals import quote
from floe.model import FloeError
from floe.model.contract import Target
from floe.model.plan import Bounds, Expectation, FileStatistics, Plan, VerifyInputs
from floe.settings import Settings
from floe.tables import TableFacts, reader_of
from floe.tables.file_schema import fits
from floe.tables.spark.errors import ENGINE_ERRORS
from floe.tables.spark.schema import by_name, struct_type

Statistics = tuple[FileStatistics, ...]
_ROWS = ("rows",)
_SMALL = 1 << 25  # bytes that one task reads soon
_FAILED: tuple[type[Exception], ...] = (*ENGINE_ERRORS, FloeError, OSError)


class ScannedTable(NamedTuple):
    """A table whose files are read: its location, its log, and its files by name."""

    target: Target
    facts: TableFacts
    files: Index


class Read(NamedTuple):
    """What was found by the ids of expectations, what that cost, and how many files were read."""

    found: Mapping[str, Measurement]
    cost: Cost
    files: frozenset[str]


class ScannedTables(NamedTuple):
    """The table to check, and the tables that its keys refer to, as far as their files are known."""

    mine: ScannedTable
    others: Mapping[str, ScannedTable]


def scan_files(
    plan: Plan, tables: ScannedTables, remaining: ReadPlan, aids: VerifyInputs, settings: Settings
) -> Read | None:
    """The measurements of the rules on the files they have left; None if these cannot be read or checked separately."""
    table = tables.mine
    try:
        if not _fitting(table, remaining, plan):
            return None
        spark = own_session(settings)
        with metered(spark, plan.contract) as cost:
            found = _Files(spark, plan, tables, aids, settings).found(remaining)
    except _FAILED:
        return None
    if found is None:
        return None
    old = [file.id for need in remaining.some if need.kind == "key" for file in old_files(need, table.files)]
    return Read(found, cost, remaining.files.union(old, *(need.rest for need in remaining.some)))


def _fitting(table: ScannedTable, remaining: ReadPlan, plan: Plan) -> bool:
    """Whether every file has the columns of the rules."""
    names = {name for need in remaining.some if need.by_rows for name in (*need.expectation.columns, *plan.key)}
    asked = [(_some(table, remaining.files), names)]
    for need in remaining.some:
        if not need.by_rows:
            old = old_files(need, table.files) if need.kind == "key" else ()
            asked.append((_some(table, need.rest) + old, {*need.expectation.columns, *need.expectation.key}))
    return all(fits(table.target, table.facts, files, columns) for files, columns in asked if files)


def _some(table: ScannedTable, names: Iterable[str]) -> Statistics:
    return tuple(table.files[name] for name in sorted(names))


class _Files:
    """The files of a table, read for one run."""

    def __init__(
        self, spark: SparkSession, plan: Plan, tables: ScannedTables, aids: VerifyInputs, settings: Settings
    ) -> None:
        self.spark, self.plan, self.aids, self.settings = spark, plan, aids, settings
        self.table, self.others = tables

    def found(self, remaining: ReadPlan) -> dict[str, Measurement] | None:
        """The measurement of each rule; None if one cannot be measured this way."""
        rules = [need.expectation for need in remaining.some if need.by_rows]
        calls: dict[Any, Callable[[], Any]] = {}
        for need in sorted(remaining.some, key=lambda need: need.kind == "key"):  # what has most stages begins first
            if not need.by_rows:
                calls.setdefault(_mark(need), partial(self._repeated if need.kind == "key" else self._lost, need))
        if rules:
            calls[_ROWS] = partial(self._rows, rules, _some(self.table, remaining.files))
        answers = dict(zip(calls, run_concurrently(self.spark, list(calls.values())), strict=True))
        if None in answers.values():
            return None
        rest = {need.expectation.id: answers[_mark(need)] for need in remaining.some if not need.by_rows}
        return {**answers.get(_ROWS, {}), **rest}

    def _read(self, files: Statistics) -> DataFrame:
        """Rows of the table; a few of them in one task, which needs no shuffle."""
        rows = _read(self.spark, self.table, files)
        return rows.coalesce(1) if _is_small(files) else rows

    def _rows(self, rules: Sequence[Expectation], files: Statistics) -> dict[str, Measurement] | None:
        rows = self._read(files)
        key = key_of(rows, self.plan.key)
        with described(
            self.spark, f"{self.plan.contract}: {len(rules)} row rules on {len(files)} files", QueryReads.ROWS
        ):
            counted = count_rows(
                RowPassRequest(rows, key, rules, self.aids.now, (), row_count(files), self.aids.common)
            )
        if counted.causes:
            return None
        samples = {id_: shown(some, key, self.plan, self.aids.salt) for id_, some in counted.samples.items()}
        return {
            expectation.id: Measurement(counted.numbers[expectation.id], samples.get(expectation.id, ()))
            for expectation in rules
        }

    def _repeated(self, need: RuleNeed) -> Measurement:
        """Keys of the remaining files, compared with each other and with the known keys."""
        columns = tuple(sorted(need.expectation.key))
        files, old = _some(self.table, need.rest), old_files(need, self.table.files)
        rows, bounds = self._read(files), bounds_of(files)
        known = _read(self.spark, self.table, old) if old else None
        existing = None if known is None else _within(known, {name: name for name in columns}, bounds)
        edges = None if old else _edges(rows, files, columns, self.plan.masked)
        with described(
            self.spark, f"{self.plan.contract}: key ({', '.join(columns)}) on {len(files)} files", QueryReads.TABLE
        ):
            if existing is not None and _is_small(files):
                again = duplicates_by_broadcast(rows, key_of(rows, columns), existing)
            else:
                laid = key_statistics(
                    columns, edges, row_count(files), files_are_clustered(files, columns), bounds, self.plan.masked
                )
                again, _ = check_keys(rows, key_of(rows, columns), existing, [], laid)
        samples = shown(again.samples, again.key, self.plan, self.aids.salt)
        return Measurement(again.twice + again.keys_there, samples, again.method)

    def _lost(self, need: RuleNeed) -> Measurement | None:
        """Rows of the files that are left whose key no row of the other table has."""
        assert need.expectation.reference
        columns = need.expectation.reference.columns
        target = self._target(need, columns)
        if target is None or not set(columns) <= set(target.columns):
            return None
        files = _some(self.table, need.rest)
        rows, bounds, names = self._read(files), bounds_of(files), need.expectation.key
        edges = _edges(rows, files, names, self.plan.masked)
        near = whole_keys(_within(target, dict(zip(names, columns, strict=True)), bounds), columns)
        with described(
            self.spark,
            f"{self.plan.contract}: reference {need.expectation.reference} on {len(files)} files",
            QueryReads.REFERENCES,
        ):
            key = key_of(rows, self.plan.key)
            lost = (
                orphans_by_broadcast(rows, key, names, near)
                if _is_small(files)
                else find_orphans(rows, key, names, near, edges)
            )
        return Measurement(lost.rows, shown(lost.samples, lost.key, self.plan, self.aids.salt), lost.method)

    def _target(self, need: RuleNeed, columns: Sequence[str]) -> DataFrame | None:
        """The table that keys refer to: only files that can hold one of them, where that is known."""
        assert need.expectation.reference
        name = need.expectation.reference.dataset
        table = self.others.get(name)
        if table and table.files and set(columns) <= set(table.facts.identities):
            near = near_files(need, self.table.files, table.files, columns)
            if fits(table.target, table.facts, near, columns):
                some = near or tuple(table.files.values())[:1]
                rows = _read(self.spark, table, some)
                return rows if near else rows.where("false")
        found, _ = read_references(self.spark, {name: self.aids.references[name]}, self.settings)
        return found.get(name)


def _mark(need: RuleNeed) -> tuple[object, ...]:
    """What needs of one key share; a reference shares with no other."""
    if need.kind == "key":
        return tuple(sorted(need.expectation.key)), need.rest, need.known.files
    return (need.expectation.id,)


def _is_small(files: Statistics) -> bool:
    return sum(file.size or _SMALL for file in files) < _SMALL


def _read(spark: SparkSession, table: ScannedTable, files: Statistics) -> DataFrame:
    """The rows of some files, with the table's columns."""
    schema = table.facts.schema
    assert schema
    reader = by_name(spark).schema(struct_type(schema))
    format_ = reader_of(table.target)
    base = format_.base_path(table.facts)
    if base:
        reader = reader.option("basePath", base)
    return reader.parquet(*format_.file_paths(table.facts, files))


def _edges(rows: DataFrame, files: Statistics, columns: Sequence[str], masked: frozenset[str]) -> Edges:
    """The bounds of a whole-number key if one bit per possible key is cheap; they become part of a query."""
    if masked & set(columns) or len(key_of(rows, columns).whole) < len(columns):
        return None
    bounds = bounds_of(files)
    return dense([bounds.get(name) for name in columns], row_count(files) or 0)


def _within(rows: DataFrame, columns: Mapping[str, str], bounds: Mapping[str, Bounds]) -> DataFrame:
    """Only the rows whose keys can match the requested keys."""
    for name, column in columns.items():
        if column in key_of(rows, [column]).whole and isinstance(bounds.get(name, (None,))[0], int):
            low, high = bounds[name]
            rows = rows.where(f"{quote(column)} BETWEEN {low} AND {high}")
    return rows
