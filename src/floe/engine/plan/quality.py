"""A contract's quality rules, floe's own rules, references and service levels as expectations.

floe's own rules are freshness, volume, range, referentialIntegrity and pointInTime. Service levels are those that a table's
own rows or log can answer: freshness, latency and retention.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from decimal import Decimal
from typing import Any, Literal

from floe.engine.plan.expectations import (
    Bad,
    FieldContext,
    above_maximum,
    below_minimum,
    java_pattern,
    unmatched,
    utc_parts,
    zone_name,
    zone_of,
)
from floe.engine.plan.query import query_of
from floe.lang.quantity import parse_quantity
from floe.lang.sql.literals import fits, literal, quote, text
from floe.model import Contract, Dataset, Field, QualityRule, Relationship, Severity, Sla
from floe.model.plan import (
    Claim,
    CommitAge,
    CostBudget,
    Expectation,
    ForeignKey,
    MonitorOnly,
    NotEvaluable,
    Reference,
    RowAge,
    RowCount,
    RowRule,
    RowsPerDay,
    UniqueKey,
)
from floe.model.result import described, problem
from floe.model.service_level import level_name
from floe.model.types import Atomic, Family

# a column as seconds since 1970 in UTC, whatever zone the session has
_COUNTED = {
    "timestamp": "unix_seconds({0})",
    "date": "datediff({0}, DATE '1970-01-01') * 86400L",
}
_STORAGE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(?:([kmgtp])(i)?)?(?:B|bytes)\s*", re.IGNORECASE)
_COMPUTE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(s|m|min|h|d)\s*/\s*(hour|h|day|d|week|month)\s*", re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "hour": 3600, "d": 86_400, "day": 86_400, "week": 604_800}
_SECONDS["month"] = 30 * 86_400
_WATCHED = "checked by the monitor over time, not by a test"
_NOWHERE = "its element is not in the contract"


def service_levels(contract: Contract, dataset: Dataset) -> Iterator[Expectation]:
    """The contract's service levels as far as they are about this dataset."""
    seen: dict[str, int] = {}
    for sla, field in elements(contract, dataset):
        seen[sla.property] = seen.get(sla.property, 0) + 1
        id_ = f"{dataset.name}:sla.{sla.property}" + (f"[{seen[sla.property]}]" if seen[sla.property] > 1 else "")
        yield replace(_level(id_, sla, dataset, field), level=sla.property)
    for index, sla in enumerate(_lost(contract) if dataset is contract.datasets[0] else ()):
        id_ = f"{dataset.name}:sla.{sla.property}.lost" + (f"[{index + 1}]" if index else "")
        yield replace(_monitor_only(id_, sla, dataset.name), check=NotEvaluable(f"{_NOWHERE}: '{sla.element}'"))
    yield from _budget(contract, dataset)


def _budget(contract: Contract, dataset: Dataset) -> Iterator[Expectation]:
    """Budgets of storage and computing, which recorded sizes and runs decide."""
    said = dataset.custom.get("costBudget") or contract.custom.get("costBudget")
    for kind, limit in said.items() if isinstance(said, Mapping) else ():
        level = Sla(property=f"costBudget.{kind}", value=limit)
        budget = _amount(kind, str(limit))
        cause = f"'{kind}: {limit}' is not a budget such as storage: 50 GB or compute: 2h/day"
        found = _monitor_only(f"{dataset.name}:{level.property}", level, dataset.name)
        code = "E565" if budget else "E580"
        yield replace(found, code=code, check=budget or NotEvaluable(cause), severity=Severity.ERROR)


def _amount(kind: str, limit: str) -> CostBudget | None:
    """A budget as written.

    >>> _amount("storage", "50 GB"), _amount("compute", "2h/day")
    (CostBudget(kind='storage', most=50000000000, within=None), CostBudget(kind='compute', most=7200, within=86400))
    """
    if kind == "storage" and (found := _STORAGE.fullmatch(limit)):
        base = 1024 if found[3] else 1000
        return CostBudget(kind, int(Decimal(found[1]) * base ** " kmgtp".index((found[2] or " ").lower())))
    if kind == "compute" and (found := _COMPUTE.fullmatch(limit)):
        return CostBudget(kind, int(Decimal(found[1]) * _SECONDS[found[2].lower()]), _SECONDS[found[3].lower()])
    return None


def elements(contract: Contract, dataset: Dataset) -> Iterator[tuple[Sla, Field | None]]:
    """The service levels about a dataset, each with the column it names; one without an element is about every dataset."""
    for sla in contract.sla:
        named = _sla_elements(sla, contract)
        if not named:
            yield sla, None
        for name in named:
            field = _column(name, dataset)
            if field or _is_dataset(name, dataset):
                yield sla, field


def _sla_elements(sla: Sla, contract: Contract) -> list[str]:
    said = sla.element or contract.node.get("slaDefaultElement")
    return [name.strip() for name in str(said or "").split(",") if name.strip()]


def _lost(contract: Contract) -> list[Sla]:
    """Service levels whose element is nowhere in the contract."""
    return [
        sla
        for sla in contract.sla
        if (names := _sla_elements(sla, contract))
        and not any(
            _column(name, dataset) or _is_dataset(name, dataset) for name in names for dataset in contract.datasets
        )
    ]


def _is_dataset(name: str, dataset: Dataset) -> bool:
    return name in (dataset.name, dataset.physical_name)


def _column(name: str, dataset: Dataset) -> Field | None:
    """The column an element names: `table.column`, or `column` alone."""
    for table in (dataset.name, dataset.physical_name or dataset.name):
        name = name.removeprefix(f"{table}.")
    return next((field for field in dataset.fields if name in (field.name, field.column)), None)


def freshness_rule(base_id: str, rule: QualityRule, delay: Any, field: Field, dataset: str) -> Expectation:
    """Floe's own freshness rule on a column."""
    sla = Sla(property="freshness", value=delay)
    found = _age_level(base_id, ("stale-data", "E560"), sla, f"{dataset}.{field.path}", _age("newest", field))
    word = (rule.severity or "").upper()
    severity = Severity[word] if word in Severity.__members__ else Severity.WARNING
    return replace(found, severity=severity, columns=(field.column,))


def _level(id_: str, sla: Sla, dataset: Dataset, field: Field | None) -> Expectation:
    path = f"{dataset.name}.{field.path}" if field else dataset.name
    read = (field.column,) if field else ()
    match level_name(sla.property):
        case "freshness":
            age = _age("newest", field) if field else CommitAge()
            return replace(_age_level(id_, ("stale-data", "E560"), sla, path, age), columns=read)
        case "latency" if field:
            return replace(_age_level(id_, ("late-data", "E562"), sla, path, _age("newest", field)), columns=read)
        case "retention" if sla.driver == "regulatory" and field:
            return replace(_age_level(id_, ("kept-too-long", "E564"), sla, path, _age("oldest", field)), columns=read)
    return _monitor_only(id_, sla, path)


def _monitor_only(id_: str, sla: Sla, path: str) -> Expectation:
    return Expectation(
        id=id_,
        code="E580",
        name=sla.property,
        field=path,
        severity=Severity.ERROR,
        expected=f"{sla.value} {sla.unit or ''}".strip(),
        check=MonitorOnly(_WATCHED),
        level=sla.property,
        gated=False,
    )


def _age_level(id_: str, named: tuple[str, str], sla: Sla, path: str, age: RowAge | CommitAge | None) -> Expectation:
    limit, cause = _limit(sla)
    if age is None:
        cause = "its column is not a date or timestamp in an existing time zone"
    return Expectation(
        id=id_,
        code=named[1] if cause is None else "E580",
        name=named[0],
        field=path,
        severity=Severity.ERROR,
        gated=False,
        expected=f"at most {parse_quantity(sla.value, sla.unit).canonical}" if limit is not None else None,
        check=age if age and cause is None else NotEvaluable(str(cause)),
        operators={"mustBeLessOrEqualTo": limit},
    )


def _limit(sla: Sla) -> tuple[int | None, str | None]:
    try:
        seconds = parse_quantity(sla.value, sla.unit).seconds
    except ValueError as error:
        return None, str(error)
    return (int(seconds), None) if seconds is not None else (None, f"'{sla.value}' is not a duration")


def _age(kind: Literal["newest", "oldest"], field: Field) -> RowAge | None:
    """How old the values of a column are; None where it is no date or timestamp in a zone that exists."""
    zone = zone_name(field)
    match field.type:
        case Atomic("timestamp_ntz") if zone:
            return RowAge(kind, utc_parts(quote(field.column), zone, 1), zone)
        case Atomic(name) if name in _COUNTED and zone:
            return RowAge(kind, _COUNTED[name].format(quote(field.column)))
    return None


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


_FORM = "floe checks references between columns of tables, written as table.column"


def references(ground: FieldContext) -> Iterator[Expectation]:
    """The relationships of a dataset and of its fields."""
    dataset = ground.dataset
    owners: list[tuple[str, tuple[Relationship, ...], Field | None]] = [(dataset.name, dataset.relationships, None)]
    owners += [(f"{dataset.name}.{field.path}", field.relationships, field) for field in dataset.walk()]
    for path, relationships, on in owners:
        for index, relationship in enumerate(relationships):
            base = Expectation(
                id=f"{path}:reference" + (f"[{index + 1}]" if index else ""),
                code="E555",
                name="reference-missing",
                field=path,
                severity=Severity.ERROR,
                check=NotEvaluable(_FORM),
            )
            names = [on.path] if on else [name.rsplit(".", 1)[-1] for name in relationship.source]
            yield referring(base, ground, names, relationship.target)


def referring(base: Expectation, ground: FieldContext, names: Sequence[str], to: Sequence[str]) -> Expectation:
    """An expectation that columns are found in others; not evaluated where one of them is not known."""
    found = [ground.find(name) for name in names]
    keys = tuple(field.column for field in found if field)
    target = _target(to)
    if target is None or len(keys) != len(names) or len(keys) != len(target.columns) or not keys:
        said = str(target) if target else ", ".join(to)
        return replace(base, code="E580", expected=said, columns=keys, check=NotEvaluable(_FORM))
    return replace(base, expected=str(target), columns=keys, check=ForeignKey(keys, target))


def _target(names: Sequence[str]) -> Reference | None:
    """`table.column`, or several columns of one table."""
    parts = [name.split("#")[-1].rsplit(".", 1) for name in names]
    if not parts or any(len(part) != 2 for part in parts) or len({part[0] for part in parts}) != 1:
        return None
    return Reference(parts[0][0].rsplit(".", 1)[-1], tuple(part[1] for part in parts))


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
