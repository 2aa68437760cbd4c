"""From a dataset of a contract to its plan."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from floe.data.plan.expectations import EXPECTATIONS
from floe.data.plan.sql import quote
from floe.model import Contract, Dataset, Field, QualityRule, Severity
from floe.model.plan import Expectation, Plan
from floe.model.settings import LABELS
from floe.model.types import Array, MapOf

Wrap = Callable[[str], str]
# options of a logical type that promise something about values, and are not judged yet
_UNJUDGED = ("pattern", "multipleOf", "uniqueItems", "minProperties", "maxProperties")
_FORMATS_OF_TYPES = ("i8", "i16", "i32", "i64", "f32", "f64")
# rules about a whole table, which a batch cannot answer
_TABLE_METRICS = ("rowCount",)
_TABLE_CUSTOM = ("freshness", "volume")


def plan(contract: Contract, dataset: Dataset, labels: Sequence[str] = LABELS) -> Plan:
    """Everything a dataset promises, as expectations with stable ids; labels above `internal` are masked in samples."""
    shown = {"", *labels[: labels.index("internal") + 1]} if "internal" in labels else {""}
    expectations = [*_key(dataset), *_rows(dataset), *_references(dataset), *_rules(dataset)]
    return Plan(
        contract=contract.identity.rsplit(":", 1)[0],
        version=contract.version,
        dataset=dataset.name,
        schema=dataset.schema,
        key=tuple(field.column for field in dataset.primary_key),
        partition=tuple(field.column for field in dataset.partition),
        masked=frozenset(f.column for f in dataset.fields if (f.classification or "") not in shown),
        expectations=tuple(_distinct(expectations)),
    )


def _key(dataset: Dataset) -> Iterator[Expectation]:
    key = dataset.primary_key
    if key:
        names = tuple(field.column for field in key)
        path = f"{dataset.name}.{names[0]}" if len(names) == 1 else f"{dataset.name}({', '.join(names)})"
        yield _unique(dataset, path, names, Severity.CRITICAL, structural=True)
    for field in dataset.fields:
        if field.unique and key != (field,):
            yield _unique(dataset, f"{dataset.name}.{field.path}", (field.column,), Severity.ERROR)


def _unique(
    dataset: Dataset, path: str, keys: tuple[str, ...], severity: Severity, structural: bool = False
) -> Expectation:
    name = "key-duplicated" if structural else "value-duplicated"
    return Expectation(
        id=f"{path}:{name}",
        code="E551",
        name=name,
        field=path,
        severity=severity,
        expected=0,
        keys=keys,
        structural=structural,
    )


def _rows(dataset: Dataset) -> Iterator[Expectation]:
    for field in dataset.fields:
        yield from _field(dataset, field, quote(field.column), "", lambda bad: bad)


def _field(dataset: Dataset, field: Field, value: str, parent: str, wrap: Wrap) -> Iterator[Expectation]:
    path = f"{dataset.name}.{field.path}"
    severity = Severity.CRITICAL if field.key_position else Severity.ERROR
    if field.required:
        missing = f"{parent} IS NOT NULL AND {value} IS NULL" if parent else f"{value} IS NULL"
        yield Expectation(
            id=f"{path}:null-value",
            code="E550",
            name="null-value",
            field=path,
            severity=severity,
            expected=0,
            sql=wrap(missing),
            structural=True,
        )
    for expectation in EXPECTATIONS:
        bad = expectation.bad(value, field)
        if bad:
            yield Expectation(
                id=f"{path}:{expectation.name}",
                code="E580" if bad.cause else expectation.code,
                name=expectation.name,
                field=path,
                severity=_severity(field, expectation.name, expectation.severity),
                expected=bad.expected,
                sql=None if bad.cause else wrap(bad.sql),
                structural=expectation.structural,
                cause=bad.cause,
            )
    yield from _unjudged(path, field)
    yield from _below(dataset, field, value, wrap)


def _severity(field: Field, name: str, default: Severity) -> Severity:
    """A listed-values rule may declare its own severity."""
    declared = next(
        (rule.severity for rule in field.rules if name == "value-not-listed" and rule.valid_values is not None), None
    )
    return _word(declared, default)


def _word(word: str | None, default: Severity) -> Severity:
    return Severity.of(word) if word and word.upper() in Severity.__members__ else default


def _unjudged(path: str, field: Field) -> Iterator[Expectation]:
    options = [key for key in _UNJUDGED if field.options.get(key) not in (None, False)]
    if field.options.get("format") is not None and field.logical_type == "string":
        options.append("format")
    for key in options:
        cause = f"floe does not judge '{key}' yet"
        yield Expectation(id=f"{path}:{key}", code="E580", name=key, field=path, severity=Severity.ERROR, cause=cause)


def _below(dataset: Dataset, field: Field, value: str, wrap: Wrap) -> Iterator[Expectation]:
    """The parts of a field: members of a struct, items of a list, keys and values of a map."""
    item = f"x{field.path.count('[]') + field.path.count('{')}"
    for child in field.fields:
        if isinstance(field.type, Array):
            yield from _field(dataset, child, item, "", _inside(wrap, value, item))
        elif isinstance(field.type, MapOf):
            side = f"map_keys({value})" if child.path.endswith("{key}") else f"map_values({value})"
            yield from _field(dataset, child, item, "", _inside(wrap, side, item))
        else:
            yield from _field(dataset, child, f"{value}.{quote(child.column)}", value, wrap)


def _inside(wrap: Wrap, collection: str, item: str) -> Wrap:
    return lambda bad: wrap(f"exists({collection}, {item} -> {bad})")


def _references(dataset: Dataset) -> Iterator[Expectation]:
    owners = [(dataset.name, dataset.relationships)]
    owners += [(f"{dataset.name}.{field.path}", field.relationships) for field in dataset.walk()]
    for path, relationships in owners:
        for index, relationship in enumerate(relationships):
            yield Expectation(
                id=f"{path}:reference[{index}]",
                code="E580",
                name="reference-missing",
                field=path,
                severity=Severity.ERROR,
                expected=", ".join(relationship.target),
                cause="floe does not judge references yet",
            )


def _rules(dataset: Dataset) -> Iterator[Expectation]:
    """Quality rules beyond the schema's facts; those nobody can judge yet say so."""
    owners: list[tuple[str, tuple[QualityRule, ...]]] = [(dataset.name, dataset.rules)]
    owners += [(f"{dataset.name}.{field.path}", field.rules) for field in dataset.walk()]
    for path, rules in owners:
        for index, rule in enumerate(rules):
            if rule.type == "text" or rule.valid_values is not None:
                continue
            name = rule.id or rule.name or rule.metric or rule.type
            yield Expectation(
                id=f"{path}:quality[{index}]",
                code="E580",
                name=name,
                field=path,
                severity=_word(
                    rule.severity, Severity.CRITICAL if "pointInTime" in _custom(rule) else Severity.WARNING
                ),
                cause=_cause(rule),
                gated=_is_gated(rule),
            )


def _is_gated(rule: QualityRule) -> bool:
    return not (
        rule.type == "sql" or rule.metric in _TABLE_METRICS or any(word in _custom(rule) for word in _TABLE_CUSTOM)
    )


def _custom(rule: QualityRule) -> dict[str, Any]:
    """The implementation of a rule of floe's own."""
    return rule.implementation if rule.engine == "floe" and isinstance(rule.implementation, dict) else {}


def _cause(rule: QualityRule) -> str:
    if rule.type == "custom" and rule.engine != "floe":
        return f"a rule of the engine '{rule.engine}', which floe does not run"
    return f"floe does not judge {rule.type} rules of this kind yet"


def _distinct(expectations: list[Expectation]) -> Iterator[Expectation]:
    """Ids are ways to name an expectation for ever: two equal ones would be one."""
    seen: set[str] = set()
    for expectation in expectations:
        if expectation.id in seen:
            raise ValueError(f"two expectations have the id {expectation.id}")
        seen.add(expectation.id)
        yield expectation
