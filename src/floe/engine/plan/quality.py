"""A contract's quality rules as expectations."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from typing import Any

from floe.engine.plan.custom import custom, implementation
from floe.engine.plan.expectations.expectation import FieldContext, zone_of
from floe.engine.plan.expectations.pattern_mismatch import java_pattern, unmatched
from floe.engine.plan.query import query_of
from floe.lang.sql.literals import fits, literal
from floe.model import Field, QualityRule, Severity
from floe.model.claim import Claim
from floe.model.plan import Expectation, NotEvaluable, RowCount, RowRule, UniqueKey
from floe.model.result import described, problem

_UNITS = (None, "rows", "percent", "%", "pct")


def rules(ground: FieldContext) -> Iterator[Expectation]:
    """The rules of a field or of a whole dataset."""
    listed = ground.field.values if ground.field else None
    for id_, rule in _named(ground.path, ground.field.rules if ground.field else ground.dataset.rules):
        if (
            rule.valid_values is None or rule.valid_values != listed
        ):  # otherwise it is the enum fact, which the field has
            yield _judged(_base(id_, ground.path, rule), rule, ground)


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
    return Expectation(
        id=id_,
        code="E556",
        name=rule.id or rule.name or rule.metric or rule.type,
        field=path,
        severity=_severity(rule),
        operators=rule.operators,
        unit="percent" if rule.unit in ("percent", "%", "pct") else None,
        expected=described(rule.operators, rule.unit) if rule.operators and not problem(rule.operators) else None,
        gated=_gated(rule),
        check=NotEvaluable("it has no metric"),
    )


def _severity(rule: QualityRule) -> Severity:
    """The severity that a rule names; error where it names none, so that a broken rule is never green by omission."""
    word = (rule.severity or "").strip().upper()
    if word == "WARN":
        return Severity.WARNING
    if word in Severity.__members__:
        return Severity[word]
    return Severity.CRITICAL if "pointInTime" in implementation(rule) else Severity.ERROR


def _gated(rule: QualityRule) -> bool:
    """Whether a batch can answer a rule; what is about the whole table cannot."""
    return rule.type != "sql" and rule.metric != "rowCount" and not {"freshness", "volume"} & set(implementation(rule))


def _judged(base: Expectation, rule: QualityRule, ground: FieldContext) -> Expectation:
    """A rule as an expectation; code E580 and a cause if it cannot be evaluated."""
    if rule.type == "custom":
        if str(rule.engine).lower() == "floe":
            return custom(base, rule, ground)
        return _not(base, f"floe does not run the engine '{rule.engine}'")
    if cause := problem(rule.operators):
        return _not(base, cause)
    if rule.type == "sql":
        return _sql(base, rule, ground)
    if rule.unit not in _UNITS:
        return _not(base, f"the unit '{rule.unit}' is neither rows nor percent")
    return _of_column(base, rule, ground, ground.field) if ground.field else _of_dataset(base, rule, ground)


def _not(base: Expectation, cause: str) -> Expectation:
    return replace(base, code="E580", check=NotEvaluable(cause))


def _sql(base: Expectation, rule: QualityRule, ground: FieldContext) -> Expectation:
    if not rule.query or not rule.query.strip():
        return _not(base, "the rule has no query")
    query, cause = query_of(rule.query, ground.contract, ground.dataset, ground.column)
    return replace(base, check=query, unit=None) if query else _not(base, str(cause))


def _of_dataset(base: Expectation, rule: QualityRule, ground: FieldContext) -> Expectation:
    if rule.metric == "rowCount":
        if base.unit == "percent":
            return _not(base, "rowCount cannot be a percentage")
        return replace(base, code="E557", check=RowCount())
    if rule.metric != "duplicateValues":
        return _not(base, f"'{rule.metric}' applies to a column, not to a dataset")
    names = rule.arguments.get("properties")
    fields = [ground.find(str(name)) for name in names] if isinstance(names, list) else []
    lost = [str(name) for name, field in zip(names or (), fields, strict=True) if field is None]
    if lost or not fields:
        return _not(base, f"'{ground.dataset.name}' has no column '{lost[0]}'" if lost else "it has no properties")
    known = tuple(dict.fromkeys(field.column for field in fields if field))
    return replace(base, code="E551", check=UniqueKey(known), columns=known)


def _of_column(base: Expectation, rule: QualityRule, ground: FieldContext, field: Field) -> Expectation:
    value, wrap = ground.value, ground.wrap
    match rule.metric:
        case "nullValues":
            claims = (Claim("not_null", field.column),) if ground.top else ()
            return replace(base, code="E550", check=RowRule(wrap(f"{value} IS NULL")), claims=claims)
        case "missingValues" if isinstance(listed := rule.arguments.get("missingValues"), list):
            only_null = all(entry is None for entry in listed) and bool(listed)
            claims = (Claim("not_null", field.column),) if ground.top and only_null else ()
            return replace(base, code="E550", check=RowRule(wrap(_among(value, field, listed))), claims=claims)
        case "missingValues":
            return _not(base, "it has no missingValues")
        case "invalidValues":
            return _invalid(base, rule, ground, field)
        case "duplicateValues" if ground.top:
            return replace(base, code="E551", check=UniqueKey((field.column,)))
        case "duplicateValues":
            return _not(base, "floe counts duplicates of columns, not of nested fields")
        case "rowCount":
            return _not(base, "'rowCount' applies to a dataset, not to a column")
    return _not(base, f"'{rule.metric}' is not a library metric")


def _among(value: str, field: Field, listed: list[Any]) -> str:
    """Whether a value is one of a list that may name null."""
    zone = zone_of(field) or UTC
    fitting = [entry for entry in listed if entry is not None and fits(entry, field.type)]
    named = ", ".join(literal(entry, field.type, zone) for entry in fitting)
    tests = [f"{value} IS NULL"] * (None in listed) + [f"coalesce({value} IN ({named}), false)"] * bool(named)
    return " OR ".join(tests) or "false"


def _invalid(base: Expectation, rule: QualityRule, ground: FieldContext, field: Field) -> Expectation:
    listed, pattern = rule.arguments.get("validValues"), rule.arguments.get("pattern")
    tests, code = [], "E552"
    if isinstance(listed, list):
        tests.append(f"NOT {_among(ground.value, field, [entry for entry in listed if entry is not None])}")
    if isinstance(pattern, str):
        java, cause = java_pattern(pattern)
        if java is None:
            return _not(base, str(cause))
        tests.append(unmatched(ground.value, java))
        code = "E553" if not isinstance(listed, list) else code
    if not tests:
        return _not(base, "it has neither validValues nor a pattern")
    bad = ground.wrap(f"{ground.value} IS NOT NULL AND ({' OR '.join(tests)})")
    return replace(base, code=code, check=RowRule(bad))
