"""Expectations on the rows of a frame: one pass for all row rules, one shuffle per key."""

import hashlib
from collections.abc import Iterable
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from floe.data.plan.sql import quote
from floe.model.plan import Expectation, Plan
from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome

SAMPLES = 5


def measure(rows: DataFrame, plan: Plan, salt: str, existing: DataFrame | None) -> tuple[int, list[Outcome]]:
    """How many rows there are, and what came of each expectation on them."""
    asked = [expectation for expectation in plan.expectations if expectation.sql]
    counts = [sql.expr(f"count_if({expectation.sql})") for expectation in asked]
    total, *bad = rows.agg(sql.expr("count(*)"), *counts).collect()[0]
    violations = {expectation.id: count for expectation, count in zip(asked, bad, strict=True)}
    outcomes = []
    for expectation in plan.expectations:
        if expectation.sql:
            where = expectation.sql if violations[expectation.id] else None
            samples = _samples(rows.where(sql.expr(where)), plan, salt) if where else ()
            outcomes.append(outcome(expectation, violations[expectation.id], _said(expectation), samples))
        elif expectation.keys:
            outcomes += _unique(rows, plan, expectation, salt, existing)
        else:
            outcomes.append(unmeasured(expectation))
    return int(total), outcomes


def unmeasured(expectation: Expectation, cause: str | None = None) -> Outcome:
    """What nobody judged, and why: never a pass."""
    gated = expectation.gated or cause is not None
    return Outcome(
        id=expectation.id,
        code="E580",
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=NOT_EVALUATED if gated else NOT_GATED,
        message=f"'{expectation.name}' of '{expectation.field}' was not evaluated"
        if gated
        else "a promise about the whole table, not about a batch",
        cause=cause or expectation.cause,
        expected=expectation.expected,
    )


def outcome(expectation: Expectation, violations: int, message: str, samples: tuple[Any, ...] = ()) -> Outcome:
    """What came of an expectation that was counted."""
    return Outcome(
        id=expectation.id,
        code=expectation.code,
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=FAIL if violations else PASS,
        message=message if violations else "",
        violations=violations,
        actual=violations,
        expected=expectation.expected,
        how="scan",
        samples=samples,
        structural=expectation.structural,
    )


def _said(expectation: Expectation) -> str:
    if expectation.code == "E550":
        return f"Null in '{expectation.field}', which the contract requires"
    return f"Values of '{expectation.field}' are not {_wanted(expectation)}"


def _wanted(expectation: Expectation) -> str:
    listed = expectation.expected
    return f"among {', '.join(map(str, listed))}" if isinstance(listed, list) else str(listed)


def _unique(
    rows: DataFrame, plan: Plan, expectation: Expectation, salt: str, existing: DataFrame | None
) -> Iterable[Outcome]:
    keys = list(expectation.keys)
    columns = [sql.col(quote(key)) for key in keys]
    whole = rows.where(sql.expr(" AND ".join(f"{quote(key)} IS NOT NULL" for key in keys))).select(*columns)
    groups = whole.groupBy(*columns).agg(sql.expr("count(*) AS `floe count`")).where("`floe count` > 1")
    twice = int(groups.agg(sql.expr("coalesce(sum(`floe count` - 1), 0)")).collect()[0][0])
    known = whole.join(existing.select(*columns), keys, "left_semi") if existing is not None else None
    again = known.agg(sql.expr("count(*)"), sql.count_distinct(*columns)).collect()[0] if known is not None else (0, 0)
    there, keys_there = int(again[0]), int(again[1])
    message = " and ".join(
        part
        for part in (
            f"'{expectation.field}' repeats in {_rows(twice)} of the batch" if twice else "",
            f"'{expectation.field}' of {_rows(there)} is in the table already" if there else "",
        )
        if part
    )
    first = (
        _samples(groups, plan, salt, keys)
        if twice
        else _samples(known, plan, salt, keys)
        if known is not None and there
        else ()
    )
    # a row counts once: of a key that is in the table all rows are bad, of another one all but the first
    yield outcome(expectation, twice + keys_there, message, first)


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _samples(bad: DataFrame, plan: Plan, salt: str, keys: list[str] | None = None) -> tuple[Any, ...]:
    """A few keys of bad rows; what is classified appears only as a salted hash."""
    names = keys or list(plan.key)
    if not names:
        return ()
    found = bad.select(*(sql.col(quote(name)) for name in names)).limit(SAMPLES).collect()
    return tuple(
        {name: _shown(value, name in plan.masked, salt) for name, value in zip(names, row, strict=True)}
        for row in found
    )


def _shown(value: Any, masked: bool, salt: str) -> Any:
    if value is None:
        return None
    if masked:
        return "hash:" + hashlib.sha256(f"{salt}{value}".encode()).hexdigest()[:16]
    return value if isinstance(value, int | str | bool) else str(value)
