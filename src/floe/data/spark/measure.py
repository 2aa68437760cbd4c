"""Expectations on the rows of a frame: one pass for all row rules, one shuffle per key."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from floe.data.plan.sql import quote
from floe.data.spark.measure_query import by_table
from floe.model.age import aged
from floe.model.plan import Expectation, Plan, Reference
from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome
from floe.model.threshold import holds

SAMPLES = 5
_TOLERANCE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The rows to judge and what they are held to.

    `existing` are the rows in the table already, whose keys may not come again; at a `gate` the rows are a batch's,
    and rules about the whole table are left out.
    """

    rows: DataFrame
    plan: Plan
    salt: str
    existing: DataFrame | None = None
    references: Mapping[str, DataFrame] = field(default_factory=dict)
    gate: bool = True
    now: int = 0


def measure(scene: Scene) -> tuple[int, list[Outcome]]:
    """How many rows there are, and what came of each expectation on them."""
    asked = [one for one in scene.plan.expectations if (one.sql or one.age) and (one.gated or not scene.gate)]
    total, *numbers = scene.rows.agg(
        sql.expr("count(*)"), *(sql.expr(_aggregate(scene, one)) for one in asked)
    ).collect()[0]
    found = {expectation.id: number for expectation, number in zip(asked, numbers, strict=True)}
    return int(total), [_measured(scene, one, int(total), found.get(one.id)) for one in scene.plan.expectations]


def _aggregate(scene: Scene, expectation: Expectation) -> str:
    """What an expectation asks of all rows at once."""
    if expectation.sql:
        return f"count_if({expectation.sql})"
    age = expectation.age
    if age is None or not age.seconds:
        return "CAST(NULL AS BIGINT)"
    # a row from the future does not make a table fresh
    newest = f"max(CASE WHEN {age.seconds} <= {scene.now + _TOLERANCE} THEN {age.seconds} END)"
    return newest if age.kind == "newest" else f"min({age.seconds})"


def _measured(scene: Scene, expectation: Expectation, total: int, count: int | None) -> Outcome:
    if scene.gate and not expectation.gated:
        return unmeasured(expectation)
    if expectation.sql and count is not None:
        samples = _samples(scene, scene.rows.where(sql.expr(expectation.sql))) if count else ()
        return outcome(scene, expectation, (count, total), _said(expectation, count), samples)
    if expectation.age and expectation.age.seconds:
        return _aged(scene, expectation, count)
    if expectation.target:
        return _referring(scene, expectation, expectation.target, total)
    if expectation.keys:
        return _unique(scene, expectation, total)
    if expectation.query or expectation.volume:
        return by_table(scene, expectation)
    if expectation.counts:
        return outcome(scene, expectation, (total, total), f"'{expectation.field}' has {_rows(total)}")
    unknown = None if scene.gate or expectation.watched else "the time of the last commit is not known here"
    return unmeasured(expectation, (not scene.gate and expectation.cause) or unknown)


def unmeasured(expectation: Expectation, cause: str | None = None) -> Outcome:
    """What nobody judged, and why: never a pass."""
    known = cause or expectation.cause
    gated = expectation.gated or known is not None
    return Outcome(
        id=expectation.id,
        code="E580",
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=NOT_GATED if not cause and (expectation.watched or not expectation.gated) else NOT_EVALUATED,
        message=f"'{expectation.name}' of '{expectation.field}' was not evaluated"
        if gated
        else "about the whole table, not about a batch",
        cause=known,
        expected=expectation.expected,
    )


def outcome(
    scene: Scene, expectation: Expectation, numbers: tuple[int, int], message: str, samples: tuple[Any, ...] = ()
) -> Outcome:
    """What came of an expectation whose number is known, of how many rows."""
    measured, total = numbers
    if expectation.unit == "percent" and not total and not scene.gate:
        return unmeasured(expectation, "a share of no rows is not known: the table is empty")
    value = Fraction(measured * 100, total or 1) if expectation.unit == "percent" else Fraction(measured)
    # an empty batch breaks no promise about rows
    kept = (scene.gate and not total) or holds(expectation.operators, value)
    return Outcome(
        id=expectation.id,
        code=expectation.code,
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=PASS if kept else FAIL,
        message="" if kept else message,
        violations=None if expectation.counts else measured,
        actual=measured if expectation.unit != "percent" else round(float(value), 4),
        expected=expectation.expected,
        how="scan",
        samples=() if kept else samples,
        structural=expectation.structural,
    )


def _said(expectation: Expectation, count: int) -> str:
    if expectation.name == "null-value":
        return f"Null in '{expectation.field}', which the contract requires"
    if expectation.code == "E550":
        return f"'{expectation.field}' is missing in {_rows(count)}, the contract asks for {expectation.expected}"
    return f"Values of '{expectation.field}' are not {_wanted(expectation)}"


def _wanted(expectation: Expectation) -> str:
    if ":quality." in expectation.id:
        return f"as the rule '{expectation.name}' asks"
    listed = expectation.expected
    return f"among {', '.join(map(str, listed))}" if isinstance(listed, list) else str(listed)


def _unique(scene: Scene, expectation: Expectation, total: int) -> Outcome:
    keys = list(expectation.keys)
    columns = [sql.col(quote(key)) for key in keys]
    whole = scene.rows.where(sql.expr(" AND ".join(f"{quote(key)} IS NOT NULL" for key in keys))).select(*columns)
    groups = whole.groupBy(*columns).agg(sql.expr("count(*) AS `floe count`")).where("`floe count` > 1")
    twice = int(groups.agg(sql.expr("coalesce(sum(`floe count` - 1), 0)")).collect()[0][0])
    known = whole.join(scene.existing.select(*columns), keys, "left_semi") if scene.existing is not None else None
    again = known.agg(sql.expr("count(*)"), sql.count_distinct(*columns)).collect()[0] if known is not None else (0, 0)
    there, keys_there = int(again[0]), int(again[1])
    said = [f"'{expectation.field}' repeats in {_rows(twice)}{' of the batch' if scene.gate else ''}"] * bool(twice)
    said += [f"'{expectation.field}' of {_rows(there)} is in the table already"] * bool(there)
    first = groups if twice else known
    samples = _samples(scene, first, keys) if first is not None and twice + there else ()
    # a row counts once: of a key that is in the table all rows are bad, of another one all but the first
    return outcome(scene, expectation, (twice + keys_there, total), " and ".join(said), samples)


def _aged(scene: Scene, expectation: Expectation, then: int | None) -> Outcome:
    if then is None:
        return unmeasured(expectation, f"'{expectation.field}' has no value to tell an age by")
    return aged(expectation, max(0, scene.now - int(then)), "scan")


def _referring(scene: Scene, expectation: Expectation, target: Reference, total: int) -> Outcome:
    """Rows whose key is whole and not found where it should be."""
    others = scene.references.get(target.dataset)
    if others is None:
        return unmeasured(
            expectation, f"no table is known for '{target.dataset}': name it by --reference {target.dataset}=TABLE"
        )
    missing = [column for column in target.columns if column not in others.columns]
    if missing:
        return unmeasured(expectation, f"'{target.dataset}' has no column '{missing[0]}'")
    keys = [f"floe key {index}" for index in range(len(target.columns))]
    there = others.select(
        *(sql.col(quote(column)).alias(key) for column, key in zip(target.columns, keys, strict=True))
    )
    mine = scene.rows.where(sql.expr(" AND ".join(f"{quote(column)} IS NOT NULL" for column in expectation.keys)))
    for column, key in zip(expectation.keys, keys, strict=True):
        mine = mine.withColumn(key, sql.col(quote(column)))
    lost = mine.join(there, keys, "left_anti")
    count = int(lost.count())
    message = f"'{expectation.field}' of {_rows(count)} is not in '{target}'"
    return outcome(scene, expectation, (count, total), message, _samples(scene, lost) if count else ())


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _samples(scene: Scene, bad: DataFrame, keys: list[str] | None = None) -> tuple[Any, ...]:
    """A few keys of bad rows; what is classified appears only as a salted hash."""
    names = keys or list(scene.plan.key)
    if not names:
        return ()
    found = bad.select(*(sql.col(quote(name)) for name in names)).limit(SAMPLES).collect()
    return tuple(
        {name: _shown(value, name in scene.plan.masked, scene.salt) for name, value in zip(names, row, strict=True)}
        for row in found
    )


def _shown(value: Any, masked: bool, salt: str) -> Any:
    if value is None:
        return None
    if masked:
        return "hash:" + hashlib.sha256(f"{salt}{value}".encode()).hexdigest()[:16]
    return value if isinstance(value, int | str | bool) else str(value)
