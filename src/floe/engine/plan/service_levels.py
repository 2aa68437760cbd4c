"""Service levels that a table's own rows or log can answer: freshness, latency and retention."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Literal

from floe.engine.plan.expectations.expectation import utc_parts, zone_name
from floe.lang.quantity import parse_quantity
from floe.lang.sql.literals import quote
from floe.model import Contract, Dataset, Field, QualityRule, Severity, Sla
from floe.model.plan import CommitAge, CostBudget, Expectation, MonitorOnly, NotEvaluable, RowAge
from floe.model.service_level import level_name
from floe.model.types import Atomic

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
        named = _named(sla, contract)
        if not named:
            yield sla, None
        for name in named:
            field = _column(name, dataset)
            if field or _is_dataset(name, dataset):
                yield sla, field


def _named(sla: Sla, contract: Contract) -> list[str]:
    said = sla.element or contract.node.get("slaDefaultElement")
    return [name.strip() for name in str(said or "").split(",") if name.strip()]


def _lost(contract: Contract) -> list[Sla]:
    """Service levels whose element is nowhere in the contract."""
    return [
        sla
        for sla in contract.sla
        if (names := _named(sla, contract))
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
