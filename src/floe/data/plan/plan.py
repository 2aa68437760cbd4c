"""From a dataset of a contract to its plan."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from floe.data.plan.expectations import EXPECTATIONS
from floe.data.plan.expectations.pattern_mismatch import java_pattern
from floe.data.plan.quality import dataset_rules, field_rules
from floe.data.plan.service_levels import service_levels
from floe.data.plan.sql import quote
from floe.model import Contract, Dataset, Field, Relationship, Severity
from floe.model.claim import Claim
from floe.model.plan import Expectation, Plan, Reference
from floe.model.settings import LABELS
from floe.model.types import Array, MapOf

Wrap = Callable[[str], str]
# options of a logical type that promise something about values, and are not judged yet
_UNJUDGED = ("multipleOf", "uniqueItems", "minProperties", "maxProperties")


def plan(contract: Contract, dataset: Dataset, labels: Sequence[str] = LABELS) -> Plan:
    """Everything a dataset promises, as expectations with stable ids; labels above `internal` are masked in samples."""
    shown = {"", *labels[: labels.index("internal") + 1]} if "internal" in labels else {""}
    expectations = [
        *_key(dataset),
        *_rows(dataset),
        *_references(dataset),
        *dataset_rules(dataset),
        *service_levels(contract, dataset),
    ]
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
        columns=keys,
        structural=structural,
    )


def _rows(dataset: Dataset) -> Iterator[Expectation]:
    for field in dataset.fields:
        for expectation in _field(dataset, field, quote(field.column), "", lambda bad: bad):
            yield replace(expectation, columns=(field.column,))


def _field(dataset: Dataset, field: Field, value: str, parent: str, wrap: Wrap) -> Iterator[Expectation]:
    path = f"{dataset.name}.{field.path}"
    severity = Severity.CRITICAL if field.key_position else Severity.ERROR
    top = not parent and value == quote(field.column)
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
            claims=(Claim("not_null", field.column),) if top else (),
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
                claims=bad.claims if top and not bad.cause else (),
                structural=expectation.structural,
                cause=bad.cause,
            )
    yield from field_rules(path, field, value, wrap, top)
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
    if isinstance(pattern := field.options.get("pattern"), str) and java_pattern(pattern) is None:
        options.append("pattern")
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
    """Relationships: every key that is there is found in the dataset it refers to."""
    columns = {field.name: field.column for field in dataset.fields} | {
        field.column: field.column for field in dataset.fields
    }
    owners: list[tuple[str, tuple[Relationship, ...], tuple[Field, ...]]] = [(dataset.name, dataset.relationships, ())]
    owners += [(f"{dataset.name}.{field.path}", field.relationships, (field,)) for field in dataset.walk()]
    for path, relationships, on in owners:
        for index, relationship in enumerate(relationships):
            names = [field.path for field in on] or [name.rsplit(".", 1)[-1] for name in relationship.source]
            keys = tuple(columns.get(name, "") for name in names)
            target = _target(relationship.target)
            whole = target is not None and all(keys) and len(keys) == len(target.columns)
            yield Expectation(
                id=f"{path}:reference" + (f"[{index + 1}]" if index else ""),
                code="E555" if whole else "E580",
                name="reference-missing",
                field=path,
                severity=Severity.ERROR,
                expected=str(target) if target else ", ".join(relationship.target),
                keys=keys if whole else (),
                columns=tuple(filter(None, keys)),
                target=target if whole else None,
                cause=None if whole else "floe judges references between columns of tables, written as table.column",
            )


def _target(names: tuple[str, ...]) -> Reference | None:
    """`table.column`, or several columns of one table."""
    parts = [name.split("#")[-1].rsplit(".", 1) for name in names]
    if not parts or any(len(part) != 2 for part in parts) or len({part[0] for part in parts}) != 1:
        return None
    return Reference(parts[0][0].rsplit(".", 1)[-1], tuple(part[1] for part in parts))


def _distinct(expectations: list[Expectation]) -> Iterator[Expectation]:
    """Ids are ways to name an expectation for ever: two equal ones would be one."""
    seen: set[str] = set()
    for expectation in expectations:
        if expectation.id in seen:
            raise ValueError(f"two expectations have the id {expectation.id}")
        seen.add(expectation.id)
        yield expectation
