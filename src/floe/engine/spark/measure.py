"""Expectations on the rows of a frame: one pass for all row rules, one shuffle per key set, one join per reference."""

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from pyspark.sql import DataFrame

from floe.engine.plan.expectations.expectation import broken_text, rows_text
from floe.engine.spark.cost import QueryReads, described, run_concurrently
from floe.engine.spark.keys.bits import dense
from floe.engine.spark.keys.check import check_keys
from floe.engine.spark.keys.columns import whole_keys
from floe.engine.spark.keys.orphans import find_orphans
from floe.engine.spark.keys.result import DuplicateKeys, Edges, KeyStatistics, OrphanKeys, key_statistics
from floe.engine.spark.measure_query import by_table
from floe.engine.spark.row_pass import RowPassRequest, RowPassResult, SampleKey, count_rows, key_of, shown
from floe.model.age import age_outcome
from floe.model.plan import (
    Bounds,
    CommitAge,
    Expectation,
    NotEvaluable,
    Plan,
    Reference,
    RowAge,
    RowCount,
    RowRule,
    RowsPerDay,
    SqlQuery,
)
from floe.model.result import Measured, Outcome, judged_outcome, not_evaluated, without_value
from floe.tables.spark.errors import ENGINE_ERRORS, first_line

_Answers = dict[str, DuplicateKeys | OrphanKeys | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRequest:
    """The rows to check and their expectations.

    `existing` are the rows in the table already, whose keys may not come again; at a `gate` the rows are a batch's,
    and rules on the whole table are left out. `unread` has the reason why a referenced table could not be read.
    `total` is how many rows there are, where that is known; those that break nothing need not be among the rows then.
    `bounds` contain all values of columns, where they are known; `clustered` is whether each file
    of a column has its own range of values; `common` are frequent values of text columns.
    """

    rows: DataFrame
    plan: Plan
    salt: str
    existing: DataFrame | None = None
    references: Mapping[str, DataFrame] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    gate: bool = True
    now: int = 0
    total: int | None = None
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    clustered: Mapping[str, bool] = field(default_factory=dict)
    common: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Measurements(NamedTuple):
    """The results of the queries: the row pass, the key in its samples, and by id the result of keys, or its error."""

    counted: RowPassResult
    key: SampleKey
    answers: Mapping[str, DuplicateKeys | OrphanKeys | str]


def measure(scene: MeasureRequest) -> tuple[int, list[Outcome]]:
    """The number of rows, and the outcome of each expectation."""
    asked = [expectation for expectation in scene.plan.expectations if expectation.gated or not scene.gate]
    key = key_of(scene.rows, scene.plan.key)
    rules = [expectation for expectation in asked if isinstance(expectation.check, RowRule | RowAge)]
    unfollowed = {
        expectation.id: cause
        for expectation in asked
        if expectation.reference and (cause := _no_target(scene, expectation.reference))
    }
    edges, keyed = (
        _edges(scene, asked),
        [expectation for expectation in asked if expectation.key and expectation.id not in unfollowed],
    )
    rows = partial(_counted_rows, scene, key, rules, edges)
    if edges or scene.total is None:  # how a key is checked depends on the result of the row pass
        counted = rows()
        calls = _key_calls(scene, key, keyed, counted)
        found = run_concurrently(scene.rows.sparkSession, calls)
    else:
        calls = _key_calls(scene, key, keyed, RowPassResult(scene.total, {}))
        *found, counted = run_concurrently(scene.rows.sparkSession, [*calls, rows])
    seen = Measurements(counted, key, {**counted.causes, **unfollowed, **ChainMap(*found)})
    return counted.rows, [_measured(scene, each_expectation, seen) for each_expectation in scene.plan.expectations]


def _counted_rows(scene: MeasureRequest, key: SampleKey, rules: list[Expectation], edges: list[str]) -> RowPassResult:
    """The row pass; nothing is read if everything is known."""
    if scene.total is not None and not rules and not edges:
        return RowPassResult(scene.total, {})
    with described(scene.rows.sparkSession, f"{scene.plan.contract}: {len(rules)} row rules", QueryReads.ROWS):
        return count_rows(RowPassRequest(scene.rows, key, rules, scene.now, edges, scene.total, scene.common))


def _measured(scene: MeasureRequest, expectation: Expectation, seen: Measurements) -> Outcome:
    answer, total = seen.answers.get(expectation.id), seen.counted.rows
    if scene.gate and not expectation.gated:
        return not_evaluated(expectation)
    if isinstance(answer, str):
        return not_evaluated(expectation, answer)
    if isinstance(answer, OrphanKeys):
        return _referring(scene, expectation, answer, total)
    if isinstance(answer, DuplicateKeys):
        return _unique(scene, expectation, answer, total)
    match expectation.check:
        case RowRule() | RowAge():
            return _counted(scene, expectation, seen)
        case SqlQuery() | RowsPerDay():
            return by_table(scene, expectation)
        case RowCount():
            return outcome(scene, expectation, (total, total), f"'{expectation.field}' has {rows_text(total)}")
        case NotEvaluable(cause):
            return not_evaluated(expectation, None if scene.gate else cause)
        case CommitAge():
            return not_evaluated(expectation, None if scene.gate else "the time of the last commit is unknown")
    return not_evaluated(expectation)


def _counted(scene: MeasureRequest, expectation: Expectation, seen: Measurements) -> Outcome:
    number = seen.counted.numbers[expectation.id]
    if not expectation.row_rule:
        return _aged(scene, expectation, number)
    samples = shown(seen.counted.samples.get(expectation.id), seen.key, scene.plan, scene.salt)
    return outcome(scene, expectation, (number or 0, seen.counted.rows), broken_text(expectation, number or 0), samples)


def _edges(scene: MeasureRequest, asked: list[Expectation]) -> list[str]:
    """The whole-number key columns whose minimum and maximum show how dense they are, unless they are known."""
    keys = [
        key_of(scene.rows, expectation.key)
        for expectation in asked
        if expectation.key and (expectation.reference or scene.existing is None)
    ]
    columns = {
        name for sample_key in keys if len(sample_key.whole) == len(sample_key.names) for name in sample_key.names
    }
    return sorted(columns - set(scene.bounds))


def _dense(scene: MeasureRequest, columns: Sequence[str], counted: RowPassResult) -> Edges:
    """The bounds of a whole-number key if one bit per possible key is cheap; they become part of a query."""
    if scene.plan.masked & set(columns) or len(key_of(scene.rows, columns).whole) < len(columns):
        return None
    return dense([scene.bounds.get(column) or counted.edges(column) for column in columns], counted.rows)


def _known(scene: MeasureRequest, columns: Sequence[str], counted: RowPassResult) -> KeyStatistics:
    seen = {name: edges for name in columns if (edges := counted.edges(name))}
    between, bounds = _dense(scene, columns, counted), {**seen, **scene.bounds}
    return key_statistics(columns, between, counted.rows, scene.clustered, bounds, scene.plan.masked)


def _key_calls(
    scene: MeasureRequest, key: SampleKey, asked: list[Expectation], counted: RowPassResult
) -> list[Callable[[], _Answers]]:
    """One query per distinct key set, with the references from just these columns; one per other reference."""
    sets = dict.fromkeys(_set(expectation) for expectation in asked if not expectation.reference)
    calls: list[Callable[[], _Answers]] = []
    for columns in sets:
        mine = [expectation for expectation in asked if _set(expectation) == columns and not expectation.reference]
        along = [expectation for expectation in asked if _set(expectation) == columns and expectation.reference]
        calls.append(partial(_key_set, scene, columns, mine, along, counted))
    others = [expectation for expectation in asked if expectation.reference and _set(expectation) not in sets]
    # what has most stages begins first
    return [*(partial(_reference, scene, key, other, counted) for other in others), *calls]


def _set(expectation: Expectation) -> tuple[str, ...]:
    return tuple(sorted(expectation.key))


def _key_set(
    scene: MeasureRequest,
    columns: tuple[str, ...],
    mine: list[Expectation],
    along: list[Expectation],
    counted: RowPassResult,
) -> _Answers:
    targets = [_target(scene, expectation, columns) for expectation in along]
    try:
        words = [f"key ({', '.join(columns)})", *(f"reference {expectation.reference}" for expectation in along)]
        reads = QueryReads.REFERENCES if along else QueryReads.TABLE
        with described(scene.rows.sparkSession, f"{scene.plan.contract}: {', '.join(words)}", reads):
            known = _known(scene, columns, counted)
            repeated, lost = check_keys(scene.rows, key_of(scene.rows, columns), scene.existing, targets, known)
    except ENGINE_ERRORS as error:
        return dict.fromkeys([expectation.id for expectation in (*mine, *along)], f"Spark: {first_line(error)}")
    found = {one.id: answer for one, answer in zip(along, lost, strict=True)}
    return {**dict.fromkeys([expectation.id for expectation in mine], repeated), **found}


def _reference(scene: MeasureRequest, key: SampleKey, expectation: Expectation, counted: RowPassResult) -> _Answers:
    try:
        text = f"{scene.plan.contract}: reference {expectation.reference}"
        with described(scene.rows.sparkSession, text, QueryReads.REFERENCES):
            target = _target(scene, expectation, expectation.key)
            edges = _dense(scene, expectation.key, counted)
            return {expectation.id: find_orphans(scene.rows, key, expectation.key, target, edges)}
    except ENGINE_ERRORS as error:
        return {expectation.id: f"Spark: {first_line(error)}"}


def _target(scene: MeasureRequest, expectation: Expectation, columns: tuple[str, ...]) -> DataFrame:
    """The keys that the columns, in this order, may refer to."""
    assert expectation.reference is not None
    column = dict(zip(expectation.key, expectation.reference.columns, strict=True))
    return whole_keys(scene.references[expectation.reference.dataset], [column[name] for name in columns])


def _no_target(scene: MeasureRequest, target: Reference) -> str | None:
    """Why a reference cannot be followed."""
    if target.dataset in scene.unread:
        return f"'{target.dataset}' cannot be read: {scene.unread[target.dataset]}"
    others = scene.references.get(target.dataset)
    if others is None:
        return f"no table found for '{target.dataset}': pass --reference {target.dataset}=TABLE"
    missing = [column for column in target.columns if column not in others.columns]
    return f"'{target.dataset}' has no column '{missing[0]}'" if missing else None


def outcome(
    scene: MeasureRequest,
    expectation: Expectation,
    numbers: tuple[int, int],
    message: str,
    samples: tuple[Any, ...] = (),
    method: str | None = None,
) -> Outcome:
    """The outcome of an expectation whose number is known, of how many rows."""
    return judged_outcome(expectation, Measured(*numbers, message, samples, method), "scan", empty_passes=scene.gate)


def _unique(scene: MeasureRequest, expectation: Expectation, found: DuplicateKeys, total: int) -> Outcome:
    of_batch = " of the batch" if scene.gate else ""
    said = [f"'{expectation.field}' is duplicated in {rows_text(found.twice)}{of_batch}"] * bool(found.twice)
    said += [f"'{expectation.field}' of {rows_text(found.there)} is already in the table"] * bool(found.there)
    samples = shown(found.samples, found.key, scene.plan, scene.salt)
    # a row counts once: of a key that is in the table all rows are bad, of another one all but the first
    return outcome(
        scene, expectation, (found.twice + found.keys_there, total), " and ".join(said), samples, found.method
    )


def _referring(scene: MeasureRequest, expectation: Expectation, found: OrphanKeys, total: int) -> Outcome:
    message = broken_text(expectation, found.rows)
    samples = shown(found.samples, found.key, scene.plan, scene.salt)
    return outcome(scene, expectation, (found.rows, total), message, samples, found.method)


def _aged(scene: MeasureRequest, expectation: Expectation, then: int | None) -> Outcome:
    if then is None:
        return without_value(expectation)
    return age_outcome(expectation, scene.now - int(then), "scan")
