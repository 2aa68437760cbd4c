"""A contract's quality rules as expectations."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from floe.data.plan.expectations.out_of_range import above_maximum, below_minimum
from floe.data.plan.expectations.pattern_mismatch import java_pattern
from floe.data.plan.service_levels import freshness_rule
from floe.data.plan.sql import literal, quote, text
from floe.model import Dataset, Field, QualityRule, Severity
from floe.model.claim import Claim
from floe.model.plan import Expectation
from floe.model.threshold import described, problem

Wrap = Callable[[str], str]
_UNITS = (None, "rows", "percent", "%", "pct")
_ORDER = re.compile(r"\s*`?([\w ]+?)`?\s*(<=|<|>=|>|=)\s*`?([\w ]+?)`?\s*")
_OPPOSITE = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "=": "!="}
_NOT_YET = "floe does not judge this kind of rule yet"


def field_rules(path: str, field: Field, value: str, wrap: Wrap, top: bool) -> Iterator[Expectation]:
    """The rules that stand on a field, counted over its rows."""
    for id_, rule in _named(path, field.rules):
        if rule.valid_values is not None:
            continue  # the enum fact, which the field's own values say
        base = _base(id_, path, rule)
        judged = (
            _custom(base, rule, field, value, wrap)
            if rule.type == "custom"
            else _metric(base, rule, field, value, wrap, top)
        )
        yield judged if judged else replace(base, code="E580", cause=base.cause or _NOT_YET)


def dataset_rules(dataset: Dataset) -> Iterator[Expectation]:
    """The rules that stand on a whole dataset."""
    columns = {field.column: field for field in dataset.fields} | {field.name: field for field in dataset.fields}
    for id_, rule in _named(dataset.name, dataset.rules):
        base = _base(id_, dataset.name, rule)
        judged = None if base.cause else _whole(base, rule, columns)
        yield judged if judged else replace(base, code="E580", cause=base.cause or _NOT_YET)


def _named(path: str, rules: tuple[QualityRule, ...]) -> Iterator[tuple[str, QualityRule]]:
    """Rules with ids that stay theirs: their own, else what they measure, numbered where it is measured again."""
    seen: dict[str, int] = {}
    for rule in rules:
        if rule.type == "text":
            continue
        name = rule.id or rule.name or rule.metric or rule.type
        seen[name] = seen.get(name, 0) + 1
        yield f"{path}:quality.{name}" + (f"[{seen[name]}]" if seen[name] > 1 else ""), rule


def _base(id_: str, path: str, rule: QualityRule) -> Expectation:
    word = (rule.severity or "").upper()
    default = Severity.CRITICAL if "pointInTime" in implementation(rule) else Severity.WARNING
    return Expectation(
        id=id_,
        code="E556",
        name=rule.id or rule.name or rule.metric or rule.type,
        field=path,
        severity=Severity[word] if word in Severity.__members__ else default,
        operators=rule.operators,
        unit="percent" if rule.unit in ("percent", "%", "pct") else None,
        expected=described(rule.operators, rule.unit) if rule.operators and not problem(rule.operators) else None,
        cause=_cause(rule),
        gated=_gated(rule),
    )


def _cause(rule: QualityRule) -> str | None:
    """Why nobody can judge a rule; None where that is not known yet."""
    if rule.type == "custom":
        return None if rule.engine == "floe" else f"a rule of the engine '{rule.engine}', which floe does not run"
    if rule.type == "library" and rule.unit not in _UNITS:
        return f"the unit '{rule.unit}' is none of rows and percent"
    return problem(rule.operators) if rule.type == "library" else _NOT_YET


def _gated(rule: QualityRule) -> bool:
    """Whether a batch can answer a rule; what is about the whole table cannot."""
    return rule.type != "sql" and rule.metric != "rowCount" and not {"freshness", "volume"} & set(implementation(rule))


def implementation(rule: QualityRule) -> dict[str, Any]:
    """What a rule of floe's own says."""
    return rule.implementation if rule.engine == "floe" and isinstance(rule.implementation, dict) else {}


def _metric(
    base: Expectation, rule: QualityRule, field: Field, value: str, wrap: Wrap, top: bool
) -> Expectation | None:
    if base.cause:
        return None
    match rule.metric:
        case "nullValues":
            claims = (Claim("not_null", field.column),) if top else ()
            return replace(base, code="E550", sql=wrap(f"{value} IS NULL"), claims=claims)
        case "missingValues" if isinstance(listed := rule.arguments.get("missingValues"), list):
            return replace(base, code="E550", sql=wrap(_among(value, field, listed)))
        case "invalidValues":
            return _invalid(base, rule, field, value, wrap)
        case "duplicateValues" if top:
            return replace(base, code="E551", keys=(field.column,))
    return None


def _among(value: str, field: Field, listed: list[Any]) -> str:
    """Whether a value is one of a list that may name null."""
    named = ", ".join(literal(entry, field.type) for entry in listed if entry is not None)
    tests = [f"{value} IS NULL"] * (None in listed) + [f"coalesce({value} IN ({named}), false)"] * bool(named)
    return " OR ".join(tests) or "false"


def _invalid(base: Expectation, rule: QualityRule, field: Field, value: str, wrap: Wrap) -> Expectation | None:
    listed, pattern = rule.arguments.get("validValues"), rule.arguments.get("pattern")
    tests, code = [], "E552"
    if isinstance(listed, list):
        tests.append(f"NOT {_among(value, field, [entry for entry in listed if entry is not None])}")
    if isinstance(pattern, str):
        java = java_pattern(pattern)
        if java is None:
            return replace(base, code="E580", cause=f"the pattern '{pattern}' cannot be said to Java")
        tests.append(f"NOT {value} RLIKE {text(java)}")
        code = "E553" if not isinstance(listed, list) else code
    return replace(base, code=code, sql=wrap(f"{value} IS NOT NULL AND ({' OR '.join(tests)})")) if tests else None


def _custom(base: Expectation, rule: QualityRule, field: Field, value: str, wrap: Wrap) -> Expectation | None:
    """The rules of floe's own that stand on a field: range and freshness."""
    delay = implementation(rule).get("freshness")
    if isinstance(delay, dict) and not base.cause:
        return freshness_rule(base.id, rule, delay.get("maxDelay"), field, base.field.split(".")[0])
    bounds = implementation(rule).get("range")
    if base.cause or not isinstance(bounds, dict):
        return None
    bounded = replace(field, options=bounds)
    found = [bad for bad in (below_minimum.bad(value, bounded), above_maximum.bad(value, bounded)) if bad]
    if not found:
        return None
    sql = " OR ".join(f"({bad.sql})" for bad in found)
    return replace(
        base,
        code="E554",
        sql=wrap(sql),
        operators={"mustBe": 0},
        expected=" and ".join(str(bad.expected) for bad in found),
    )


def _whole(base: Expectation, rule: QualityRule, columns: dict[str, Field]) -> Expectation | None:
    if rule.metric == "rowCount":
        return replace(base, code="E557", counts=True)
    if rule.metric == "duplicateValues" and isinstance(names := rule.arguments.get("properties"), list):
        known = tuple(columns[name].column for name in names if name in columns)
        return replace(base, code="E551", keys=known, columns=known) if known and len(known) == len(names) else None
    order = implementation(rule).get("pointInTime")
    if isinstance(order, dict):
        return _point_in_time(base, str(order.get("rule")), columns)
    return None


def _point_in_time(base: Expectation, rule: str, columns: dict[str, Field]) -> Expectation:
    """`a <= b` of two columns; other text is said, never guessed."""
    found = _ORDER.fullmatch(rule)
    if not found or not {found[1], found[3]} <= set(columns):
        return replace(base, code="E580", cause=f"'{rule}' is no comparison of two columns of the table")
    left, right = (quote(columns[found[place]].column) for place in (1, 3))
    sql = f"{left} {_OPPOSITE[found[2]]} {right}"
    names = (columns[found[1]].column, columns[found[3]].column)
    return replace(base, code="E558", sql=sql, columns=names, operators={"mustBe": 0}, expected=rule)
