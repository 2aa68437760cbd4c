"""Floe's own rules: freshness, volume, range, referentialIntegrity, pointInTime."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from floe.engine.plan.expectations.expectation import Bad, FieldContext, utc_parts, zone_name
from floe.engine.plan.expectations.out_of_range import above_maximum, below_minimum
from floe.engine.plan.references import referring
from floe.engine.plan.service_levels import elements, freshness_rule
from floe.lang.sql.literals import quote, text
from floe.model import Field, QualityRule
from floe.model.claim import Claim
from floe.model.plan import Expectation, NotEvaluable, RowRule, RowsPerDay
from floe.model.types import Atomic, Family

_ORDER = re.compile(r"\s*(`(?:``|[^`])+`|[\w$][\w$ .]*?)\s*(<=|<|>=|>|=)\s*(`(?:``|[^`])+`|[\w$][\w$ .]*?)\s*")
_OPPOSITE = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "=": "!="}
# the calendar day of a row as days since 1970, whatever zone the session has
_DAYS = {
    "date": "unix_date({0})",
    "timestamp_ntz": "unix_date(CAST({0} AS DATE))",
    "timestamp": "CAST(floor(unix_seconds(from_utc_timestamp({0}, {1})) / 86400) AS INT)",
}
_MOMENTS = ("timestamp", "timestamp_ntz", "date")
KINDS = ("freshness", "volume", "range", "referentialIntegrity", "pointInTime")


def implementation(rule: QualityRule) -> Mapping[str, Any]:
    """The definition of a custom rule of floe."""
    own = str(rule.engine).lower() == "floe"
    return rule.implementation if own and isinstance(rule.implementation, dict) else {}


def custom(base: Expectation, rule: QualityRule, ground: FieldContext) -> Expectation:
    """A custom rule of floe as an expectation; a wrong definition is its cause."""
    said = implementation(rule)
    kind = next(iter(said), "")
    if len(said) != 1 or kind not in KINDS or not isinstance(said[kind], dict):
        return _not(base, f"implementation must have exactly one of {', '.join(KINDS)}")
    match kind:
        case "freshness":
            return _freshness(base, rule, said[kind], ground)
        case "volume":
            return _volume(base, said[kind], ground)
        case "range":
            return _range(base, said[kind], ground)
        case "referentialIntegrity":
            return _reference(base, said[kind], ground)
    return _point_in_time(base, str(said[kind].get("rule")), ground)


def _not(base: Expectation, cause: str) -> Expectation:
    return replace(base, code="E580", check=NotEvaluable(cause))


def _freshness(base: Expectation, rule: QualityRule, said: Mapping[str, Any], ground: FieldContext) -> Expectation:
    named = said.get("column")
    field = ground.find(str(named)) if named else ground.field
    if field is None or field not in ground.dataset.fields:
        return _not(base, _no_column(named, ground) if named else "it has no column of the table")
    return freshness_rule(base.id, rule, said.get("maxDelay"), field, ground.dataset.name)


def _no_column(name: Any, ground: FieldContext) -> str:
    return f"'{ground.dataset.name}' has no column '{name}'"


def _volume(base: Expectation, said: Mapping[str, Any], ground: FieldContext) -> Expectation:
    least, most = said.get("minRowsPerDay"), said.get("maxRowsPerDay")
    bounds = {word: count for word, count in (("at least", least), ("at most", most)) if count is not None}
    if not bounds or not all(_is_count(count) for count in bounds.values()):
        return _not(base, "it needs minRowsPerDay or maxRowsPerDay, as whole numbers")
    named = said.get("column")
    field = ground.find(str(named)) if named else ground.field or _day_column(ground)
    if field is None:
        return _not(base, _no_column(named, ground) if named else "it has no column for the day")
    zone = zone_name(field)
    if zone is None:
        return _not(base, "the time zone of its column does not exist")
    day = _DAYS.get(str(field.type)) if isinstance(field.type, Atomic) else None
    if day is None:
        return _not(base, "its column is not a date or timestamp")
    return replace(
        base,
        code="E557",
        field=f"{ground.dataset.name}.{field.path}",
        expected=f"{' and '.join(f'{word} {count:,}' for word, count in bounds.items())} rows per day",
        check=RowsPerDay(day.format(quote(field.column), text(zone)), zone, least, most),
        columns=(field.column,),
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _day_column(ground: FieldContext) -> Field | None:
    """The freshness column, else the partition column."""
    candidates = (*_freshness_columns(ground), *ground.dataset.partition)
    return next((field for field in candidates if str(field.type) in _DAYS), None)


def _freshness_columns(ground: FieldContext) -> Iterator[Field]:
    """The columns with an age limit: by a rule of the column, a rule of the dataset, or a service level."""
    dataset = ground.dataset
    for field in dataset.fields:
        if any("freshness" in implementation(rule) for rule in field.rules):
            yield field
    for rule in dataset.rules:
        freshness = implementation(rule).get("freshness")
        if isinstance(freshness, dict) and (found := ground.find(str(freshness.get("column")))):
            yield found
    for sla, element in elements(ground.contract, dataset):
        if sla.property == "freshness" and element:
            yield element


def _range(base: Expectation, said: Mapping[str, Any], ground: FieldContext) -> Expectation:
    if ground.field is None:
        return _not(base, "a range belongs to a column, not to a dataset")
    zone = {key: ground.field.options[key] for key in ("defaultTimezone",) if key in ground.field.options}
    bounded = replace(ground.field, options={**zone, **said})
    conditions = (below_minimum.bad(ground.value, bounded), above_maximum.bad(ground.value, bounded))
    found = [bad for bad in conditions if bad]
    if not found:
        return _not(base, "a range needs minimum, maximum, exclusiveMinimum or exclusiveMaximum")
    if cause := next((bad.cause for bad in found if bad.cause), None):
        return _not(base, cause)
    return replace(
        base,
        code="E554",
        check=RowRule(ground.wrap(" OR ".join(f"({bad.sql})" for bad in found))),
        claims=_claims(found) if ground.top else (),
        operators={"mustBe": 0},
        expected=" and ".join(str(bad.expected) for bad in found),
    )


def _claims(found: Sequence[Bad]) -> tuple[Claim, ...]:
    """The claims that prove a rule when all hold; none if a part of it has none."""
    if not all(bad.claims for bad in found):
        return ()
    return tuple(claim for bad in found for claim in bad.claims)


def _reference(base: Expectation, said: Mapping[str, Any], ground: FieldContext) -> Expectation:
    to, of = (value if isinstance(value, list) else [value] for value in (said.get("to"), said.get("from")))
    names = [str(name) for name in of if name is not None] or ([ground.field.path] if ground.field else [])
    return referring(replace(base, code="E555", operators={"mustBe": 0}), ground, names, [str(value) for value in to])


def _point_in_time(base: Expectation, rule: str, ground: FieldContext) -> Expectation:
    """`a <= b` of two columns; other text is reported, never guessed."""
    found = _ORDER.fullmatch(rule)
    fields = [ground.find(_bare(found[place])) for place in (1, 3)] if found else []
    first, second = fields if len(fields) == 2 else (None, None)
    if not found or first is None or second is None:
        return _not(base, f"'{rule}' does not compare two columns of the table")
    sql, cause = _compared(first, _OPPOSITE[found[2]], second)
    names = (first.column, second.column)
    if cause:
        return replace(_not(base, cause), columns=names, expected=rule)
    return replace(base, code="E558", check=RowRule(sql), columns=names, operators={"mustBe": 0}, expected=rule)


def _compared(first: Field, operator: str, second: Field) -> tuple[str, str | None]:
    """A comparison of two columns that is the same in whatever zone the session is, and why there is none.

    Spark compares a timestamp with a day, or with a time without a zone, in the session's zone. Here a time without a
    zone is in the one that its field declares, else UTC, and a day starts at midnight there.
    """
    plain = f"{quote(first.column)} {operator} {quote(second.column)}"
    types, zones = [str(field.type) for field in (first, second)], [zone_name(field) for field in (first, second)]
    if None in zones:
        return "", "the time zone of one of its columns does not exist"
    if any(field.type in (Family("date"), Family("any")) for field in (first, second)):
        return _same_kind(first, second, plain), None
    if all(name in _MOMENTS for name in types):
        if types[0] == types[1] and (types[0] == "timestamp" or zones[0] == zones[1]):
            return plain, None
        return f"{_micros(first)} {operator} {_micros(second)}", None
    if "timestamp" in types:
        other = next((name for name in types if name not in _MOMENTS), "")
        return "", f"a timestamp is compared with a {other}, which depends on the time zone of the session"
    return plain, None


def _micros(field: Field) -> str:
    """A moment as microseconds since 1970 in UTC."""
    name, column = str(field.type), quote(field.column)
    if name == "timestamp":
        return f"unix_micros({column})"
    wall = f"CAST({column} AS TIMESTAMP_NTZ)" if name == "date" else column
    return utc_parts(wall, zone_name(field) or "UTC", 1_000_000)


def _same_kind(first: Field, second: Field, plain: str) -> str:
    """A comparison of columns without a type in the contract: Spark has the type."""
    zoned = [f"typeof({quote(field.column)}) = 'timestamp'" for field in (first, second)]
    said = "floe: a timestamp with time zone is compared with one without, add their physicalType"
    return f"CASE WHEN ({zoned[0]}) = ({zoned[1]}) THEN {plain} ELSE raise_error({text(said)}) END"


def _bare(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
