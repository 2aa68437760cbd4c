"""From a dataset of a contract to its plan."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from floe.engine.plan.expectations import EXPECTATIONS, FieldContext, Wrap
from floe.engine.plan.quality import references, rules, service_levels
from floe.lang.sql.literals import quote
from floe.model import Contract, Dataset, Field, Severity
from floe.model.contract import snapshot_keys
from floe.model.plan import Claim, Expectation, NotEvaluable, Plan, RowRule, SqlQuery, UniqueKey
from floe.model.types import Array, MapOf
from floe.settings import LABELS

_GRAIN = re.compile(r"(?:one|a)\s+row\s+(?:per|for\s+each)\s+(.+)", re.IGNORECASE)
_AND = re.compile(r"\s*(?:,\s*and\b|,|\band\b|\+|&)\s*", re.IGNORECASE)


def make_plan(contract: Contract, dataset: Dataset, labels: Sequence[str] = LABELS) -> Plan:
    """All expectations of a dataset, with stable ids; values of labels above `internal` are masked in samples."""
    shown = {"", *labels[: labels.index("internal") + 1]} if "internal" in labels else {""}
    ground = FieldContext(contract, dataset, dataset.name)
    expectations = [
        *_key(dataset),
        *_rows(ground),
        *references(ground),
        *rules(ground),
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
        yield _unique(_together(dataset, key), tuple(field.column for field in key), Severity.CRITICAL, structural=True)
    for field in dataset.fields:
        if field.unique and key != (field,):
            yield _unique(f"{dataset.name}.{field.path}", (field.column,), Severity.ERROR)
    grain = _grain(dataset)
    keys = tuple(field.column for field in grain)
    if keys and set(keys) != {field.column for field in key} and not any(field.unique for field in grain):
        found = _unique(_together(dataset, grain), keys, Severity.WARNING)
        yield replace(found, id=f"{dataset.name}:grain", name="grain-duplicated")


def _together(dataset: Dataset, key: Sequence[Field]) -> str:
    """How results name one column or several."""
    if len(key) == 1:
        return f"{dataset.name}.{key[0].path}"
    return f"{dataset.name}({', '.join(field.path for field in key)})"


def _grain(dataset: Dataset) -> tuple[Field, ...]:
    """The columns of the grain, if its text only lists columns."""
    text = str(dataset.node.get("dataGranularityDescription") or "").strip().rstrip(".")
    if not text:
        return ()
    phrase = _GRAIN.fullmatch(text)
    names = _AND.split(phrase[1] if phrase else text)
    fields = [next((f for f in dataset.fields if name.strip("`") in (f.name, f.column)), None) for name in names]
    return tuple(field for field in fields if field) if None not in fields else ()


def _unique(path: str, keys: tuple[str, ...], severity: Severity, structural: bool = False) -> Expectation:
    name = "key-duplicated" if structural else "value-duplicated"
    return Expectation(
        id=f"{path}:{name}",
        code="E551",
        name=name,
        field=path,
        severity=severity,
        expected=0,
        check=UniqueKey(keys),
        columns=keys,
        structural=structural,
    )


def _rows(ground: FieldContext) -> Iterator[Expectation]:
    fields = ground.dataset.fields
    columns = [quote(field.column) for field in fields]
    for field, column in zip(fields, columns, strict=True):
        of_column = ground._replace(field=field, path=f"{ground.dataset.name}.{field.path}", value=column, top=True)
        for expectation in _field(of_column, field):
            yield replace(expectation, columns=expectation.columns or (field.column,))


def _field(ground: FieldContext, field: Field) -> Iterator[Expectation]:
    path, value, parent = ground.path, ground.value, ground.parent
    if field.required or field in snapshot_keys(ground.dataset):
        missing = f"{parent} IS NOT NULL AND {value} IS NULL" if parent else f"{value} IS NULL"
        yield Expectation(
            id=f"{path}:null-value",
            code="E550",
            name="null-value",
            field=path,
            severity=Severity.CRITICAL if field.key_position else Severity.ERROR,
            expected=0,
            check=RowRule(ground.wrap(missing)),
            claims=(Claim("not_null", field.column),) if ground.top else (),
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
                check=NotEvaluable(bad.cause) if bad.cause else RowRule(ground.wrap(bad.sql)),
                claims=bad.claims if ground.top and not bad.cause else (),
                structural=expectation.structural,
            )
    if field.unique and not ground.top:
        yield _unique_part(ground)
    if field.rules:
        yield from rules(ground)
    yield from _below(ground, field)


def _severity(field: Field, name: str, default: Severity) -> Severity:
    """A listed-values rule may declare its own severity."""
    declared = next(
        (rule.severity for rule in field.rules if name == "value-not-listed" and rule.valid_values == field.values),
        None,
    )
    return Severity.of(declared) if declared and declared.upper() in Severity.__members__ else default


def _unique_part(ground: FieldContext) -> Expectation:
    """A unique member of a struct: counted by a separate query."""
    found = replace(_unique(ground.path, (), Severity.ERROR), columns=())
    if ground.column is None:
        cause = "floe checks uniqueness of columns, not of elements of arrays and maps"
        return replace(found, code="E580", check=NotEvaluable(cause))
    if set(ground.value) & set("${}"):
        cause = f"the name {ground.value} contains one of $ {{ }}, which a query cannot contain"
        return replace(found, code="E580", check=NotEvaluable(cause))
    groups = f"SELECT count(*) AS n FROM {{floe_table_0}} WHERE {ground.value} IS NOT NULL GROUP BY {ground.value}"
    sql = f"SELECT coalesce(sum(n - 1), 0) FROM ({groups})"
    return replace(found, check=SqlQuery(sql, (("floe_table_0", ground.dataset.name),)))


def _below(ground: FieldContext, field: Field) -> Iterator[Expectation]:
    """The parts of a field: members of a struct, items of a list, keys and values of a map."""
    value = ground.value
    name = f"x{field.path.count('[]') + field.path.count('{')}"
    for child in field.fields:
        if isinstance(field.type, Array):
            below = ground._replace(value=name, parent="", wrap=_inside(ground.wrap, value, name))
        elif isinstance(field.type, MapOf):
            side = f"map_keys({value})" if child.path.endswith("{key}") else f"map_values({value})"
            below = ground._replace(value=name, parent="", wrap=_inside(ground.wrap, side, name))
        else:
            below = ground._replace(value=f"{value}.{quote(child.column)}", parent=value)
        path = f"{ground.dataset.name}.{child.path}"
        yield from _field(below._replace(field=child, path=path, top=False), child)


def _inside(wrap: Wrap, collection: str, name: str) -> Wrap:
    return lambda bad: wrap(f"exists({collection}, {name} -> {bad})")


def _distinct(expectations: list[Expectation]) -> Iterator[Expectation]:
    """Ids are permanent: if two would be equal, the later one gets a number."""
    seen: set[str] = set()
    for expectation in expectations:
        id_, number = expectation.id, 1
        while id_ in seen:
            number += 1
            id_ = f"{expectation.id}#{number}"
        seen.add(id_)
        yield replace(expectation, id=id_)
