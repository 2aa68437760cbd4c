"""Expectations on the rows of a frame: one pass for all row rules, one shuffle per key set, one join per reference."""

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from pyspark.sql import DataFrame

from floe.data.spark.cost import described
from floe.data.spark.keys import Edges, Known, Lost, Repeated, dense, judge_keys, known_of, lost_rows, whole_keys
from floe.data.spark.measure_query import by_table
from floe.data.spark.row_pass import Asked, Counted, count_rows
from floe.data.spark.said import ENGINE_ERRORS, first_line
from floe.data.spark.samples import Key, key_of, shown
from floe.data.spark.together import together
from floe.data.words import broken_text, rows_text
from floe.model.age import aged
from floe.model.outcome import Measured, judged, unmeasured
from floe.model.plan import Bounds, Expectation, Plan, Reference
from floe.model.result import Outcome

_Answers = dict[str, Repeated | Lost | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The rows to judge and what they are held to.

    `existing` are the rows in the table already, whose keys may not come again; at a `gate` the rows are a batch's,
    and rules about the whole table are left out. `unread` says why a table that keys refer to could not be read.
    `total` is how many rows there are, where that is known; those that break nothing need not be among the rows then.
    `bounds` are values between which all values of columns lie, where they are known; `apart` says of columns whether
    files hold values apart from one another's; `common` are values that columns of text have again and again.
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
    apart: Mapping[str, bool] = field(default_factory=dict)
    common: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Seen(NamedTuple):
    """What the queries found: the row pass, the key its samples show, and by id what came of keys, or why nothing did."""

    counted: Counted
    key: Key
    answers: Mapping[str, Repeated | Lost | str]


def measure(scene: Scene) -> tuple[int, list[Outcome]]:
    """How many rows there are, and what came of each expectation on them."""
    asked = [one for one in scene.plan.expectations if one.gated or not scene.gate]
    key = key_of(scene.rows, scene.plan.key)
    rules = [one for one in asked if one.sql or (one.age and one.age.seconds)]
    unfollowed = {one.id: cause for one in asked if one.target and (cause := _no_target(scene, one.target))}
    edges, keyed = _edges(scene, asked), [one for one in asked if one.keys and one.id not in unfollowed]
    rows = partial(_counted_rows, scene, key, rules, edges)
    if edges or scene.total is None:  # how a key is judged depends on what the row pass sees
        counted = rows()
        calls = _key_calls(scene, key, keyed, counted)
        found = together(scene.rows.sparkSession, calls)
    else:
        calls = _key_calls(scene, key, keyed, Counted(scene.total, {}))
        *found, counted = together(scene.rows.sparkSession, [*calls, rows])
    seen = Seen(counted, key, {**counted.causes, **unfollowed, **ChainMap(*found)})
    return counted.rows, [_measured(scene, one, seen) for one in scene.plan.expectations]


def _counted_rows(scene: Scene, key: Key, rules: list[Expectation], edges: list[str]) -> Counted:
    """The row pass; nothing is read where nothing is asked that is not known."""
    if scene.total is not None and not rules and not edges:
        return Counted(scene.total, {})
    with described(scene.rows.sparkSession, f"{scene.plan.contract}: {len(rules)} row rules"):
        return count_rows(Asked(scene.rows, key, rules, scene.now, edges, scene.total, scene.common))


def _measured(scene: Scene, expectation: Expectation, seen: Seen) -> Outcome:
    answer, total = seen.answers.get(expectation.id), seen.counted.rows
    if scene.gate and not expectation.gated:
        return unmeasured(expectation)
    if isinstance(answer, str):
        return unmeasured(expectation, answer)
    if isinstance(answer, Lost):
        return _referring(scene, expectation, answer, total)
    if isinstance(answer, Repeated):
        return _unique(scene, expectation, answer, total)
    if expectation.sql or (expectation.age and expectation.age.seconds):
        return _counted(scene, expectation, seen)
    if expectation.query or expectation.volume:
        return by_table(scene, expectation)
    if expectation.counts:
        return outcome(scene, expectation, (total, total), f"'{expectation.field}' has {rows_text(total)}")
    unknown = None if scene.gate or expectation.watched else "the time of the last commit is not known here"
    return unmeasured(expectation, (not scene.gate and expectation.cause) or unknown)


def _counted(scene: Scene, expectation: Expectation, seen: Seen) -> Outcome:
    number = seen.counted.numbers[expectation.id]
    if not expectation.sql:
        return _aged(scene, expectation, number)
    samples = shown(seen.counted.samples.get(expectation.id), seen.key, scene.plan, scene.salt)
    return outcome(scene, expectation, (number or 0, seen.counted.rows), broken_text(expectation, number or 0), samples)


def _edges(scene: Scene, asked: list[Expectation]) -> list[str]:
    """The columns of keys of whole numbers, whose least and most value tell how dense they are; unless they are known."""
    keys = [key_of(scene.rows, one.keys) for one in asked if one.keys and (one.target or scene.existing is None)]
    columns = {name for one in keys if len(one.whole) == len(one.names) for name in one.names}
    return sorted(columns - set(scene.bounds))


def _dense(scene: Scene, columns: Sequence[str], counted: Counted) -> Edges:
    """The edges of a key of whole numbers, where one bit per possible key is cheap."""
    if len(key_of(scene.rows, columns).whole) < len(columns):
        return None
    return dense([scene.bounds.get(one) or counted.edges(one) for one in columns], counted.rows)


def _known(scene: Scene, columns: Sequence[str], counted: Counted) -> Known:
    seen = {name: edges for name in columns if (edges := counted.edges(name))}
    between, bounds = _dense(scene, columns, counted), {**seen, **scene.bounds}
    return known_of(columns, between, counted.rows, scene.apart, bounds, scene.plan.masked)


def _key_calls(scene: Scene, key: Key, asked: list[Expectation], counted: Counted) -> list[Callable[[], _Answers]]:
    """One query per distinct key set, with the references from just these columns; one per other reference."""
    sets = dict.fromkeys(_set(one) for one in asked if not one.target)
    calls: list[Callable[[], _Answers]] = []
    for columns in sets:
        mine = [one for one in asked if _set(one) == columns and not one.target]
        along = [one for one in asked if _set(one) == columns and one.target]
        calls.append(partial(_key_set, scene, columns, mine, along, counted))
    others = [one for one in asked if one.target and _set(one) not in sets]
    # what has most stages begins first
    return [*(partial(_reference, scene, key, one, counted) for one in others), *calls]


def _set(expectation: Expectation) -> tuple[str, ...]:
    return tuple(sorted(expectation.keys))


def _key_set(
    scene: Scene, columns: tuple[str, ...], mine: list[Expectation], along: list[Expectation], counted: Counted
) -> _Answers:
    targets = [_target(scene, one, columns) for one in along]
    try:
        words = [f"key ({', '.join(columns)})", *(f"reference {one.target}" for one in along)]
        with described(scene.rows.sparkSession, f"{scene.plan.contract}: {', '.join(words)}"):
            known = _known(scene, columns, counted)
            repeated, lost = judge_keys(scene.rows, key_of(scene.rows, columns), scene.existing, targets, known)
    except ENGINE_ERRORS as error:
        return dict.fromkeys([one.id for one in (*mine, *along)], f"Spark: {first_line(error)}")
    found = {one.id: answer for one, answer in zip(along, lost, strict=True)}
    return {**dict.fromkeys([one.id for one in mine], repeated), **found}


def _reference(scene: Scene, key: Key, expectation: Expectation, counted: Counted) -> _Answers:
    try:
        with described(scene.rows.sparkSession, f"{scene.plan.contract}: reference {expectation.target}"):
            target = _target(scene, expectation, expectation.keys)
            edges = _dense(scene, expectation.keys, counted)
            return {expectation.id: lost_rows(scene.rows, key, expectation.keys, target, edges)}
    except ENGINE_ERRORS as error:
        return {expectation.id: f"Spark: {first_line(error)}"}


def _target(scene: Scene, expectation: Expectation, columns: tuple[str, ...]) -> DataFrame:
    """The keys that the columns, in this order, may refer to."""
    assert expectation.target is not None
    column = dict(zip(expectation.keys, expectation.target.columns, strict=True))
    return whole_keys(scene.references[expectation.target.dataset], [column[name] for name in columns])


def _no_target(scene: Scene, target: Reference) -> str | None:
    """Why a reference cannot be followed."""
    if target.dataset in scene.unread:
        return f"'{target.dataset}' cannot be read: {scene.unread[target.dataset]}"
    others = scene.references.get(target.dataset)
    if others is None:
        return f"no table is known for '{target.dataset}': name it by --reference {target.dataset}=TABLE"
    missing = [column for column in target.columns if column not in others.columns]
    return f"'{target.dataset}' has no column '{missing[0]}'" if missing else None


def outcome(
    scene: Scene, expectation: Expectation, numbers: tuple[int, int], message: str, samples: tuple[Any, ...] = ()
) -> Outcome:
    """What came of an expectation whose number is known, of how many rows."""
    return judged(expectation, Measured(*numbers, message, samples), "scan", empty_passes=scene.gate)


def _unique(scene: Scene, expectation: Expectation, found: Repeated, total: int) -> Outcome:
    of_batch = " of the batch" if scene.gate else ""
    said = [f"'{expectation.field}' repeats in {rows_text(found.twice)}{of_batch}"] * bool(found.twice)
    said += [f"'{expectation.field}' of {rows_text(found.there)} is in the table already"] * bool(found.there)
    samples = shown(found.samples, found.key, scene.plan, scene.salt)
    # a row counts once: of a key that is in the table all rows are bad, of another one all but the first
    return outcome(scene, expectation, (found.twice + found.keys_there, total), " and ".join(said), samples)


def _referring(scene: Scene, expectation: Expectation, found: Lost, total: int) -> Outcome:
    message = broken_text(expectation, found.rows)
    samples = shown(found.samples, found.key, scene.plan, scene.salt)
    return outcome(scene, expectation, (found.rows, total), message, samples)


def _aged(scene: Scene, expectation: Expectation, then: int | None) -> Outcome:
    if then is None:
        return unmeasured(expectation, f"'{expectation.field}' has no value to tell an age by")
    return aged(expectation, scene.now - int(then), "scan")
