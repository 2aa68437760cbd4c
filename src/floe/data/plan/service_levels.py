"""Service levels that a table's own rows or log can answer: freshness and retention."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from floe.data.plan.sql import quote
from floe.model import Contract, Dataset, Field, QualityRule, Severity, Sla
from floe.model.plan import Age, Expectation
from floe.model.quantity import parse_quantity
from floe.model.types import Atomic

_COUNTED = {
    "timestamp": "unix_seconds({})",
    "timestamp_ntz": "timestampdiff(SECOND, TIMESTAMP_NTZ '1970-01-01 00:00:00', {})",
    "date": "datediff({}, DATE '1970-01-01') * 86400L",
}
_WATCHED = "watched by the monitor over time, not by a test"


def service_levels(contract: Contract, dataset: Dataset) -> Iterator[Expectation]:
    """The contract's service levels as far as they are about this dataset."""
    seen: dict[str, int] = {}
    for sla in contract.sla:
        field = _element(sla.element, dataset)
        if (sla.element and not field) or (not sla.element and len(contract.datasets) > 1):
            continue
        seen[sla.property] = seen.get(sla.property, 0) + 1
        id_ = f"{dataset.name}:sla.{sla.property}" + (f"[{seen[sla.property]}]" if seen[sla.property] > 1 else "")
        yield _level(id_, sla, dataset, field)


def freshness_rule(base_id: str, rule: QualityRule, delay: Any, field: Field, dataset: str) -> Expectation:
    """Floe's own freshness rule on a column."""
    sla = Sla(property="freshness", value=delay)
    found = _aged(base_id, "stale-data", "E560", sla, f"{dataset}.{field.path}", Age("newest", _seconds(field)))
    word = (rule.severity or "").upper()
    return replace(found, severity=Severity[word] if word in Severity.__members__ else Severity.WARNING)


def _level(id_: str, sla: Sla, dataset: Dataset, field: Field | None) -> Expectation:
    path = f"{dataset.name}.{field.path}" if field else dataset.name
    match sla.property:
        case "freshness" | "latency":
            age = Age("newest", _seconds(field)) if field else Age("commit")
            return _aged(id_, "stale-data", "E560", sla, path, age)
        case "retention" if sla.driver == "regulatory" and field:
            return _aged(id_, "kept-too-long", "E564", sla, path, Age("oldest", _seconds(field)))
    return Expectation(
        id=id_,
        code="E580",
        name=sla.property,
        field=path,
        severity=Severity.ERROR,
        expected=f"{sla.value} {sla.unit or ''}".strip(),
        watched=_WATCHED,
        gated=False,
    )


def _aged(id_: str, name: str, code: str, sla: Sla, path: str, age: Age) -> Expectation:
    limit, cause = _limit(sla)
    if age.kind != "commit" and not age.seconds:
        cause = "its column is no date or timestamp"
    return Expectation(
        id=id_,
        code=code if cause is None else "E580",
        name=name,
        field=path,
        severity=Severity.ERROR,
        gated=False,
        expected=f"at most {parse_quantity(sla.value, sla.unit).canonical}" if limit is not None else None,
        age=age if cause is None else None,
        operators={"mustBeLessOrEqualTo": limit},
        cause=cause,
    )


def _limit(sla: Sla) -> tuple[int | None, str | None]:
    try:
        seconds = parse_quantity(sla.value, sla.unit).seconds
    except ValueError as error:
        return None, str(error)
    return (int(seconds), None) if seconds is not None else (None, f"'{sla.value}' is no duration")


def _element(text: str | None, dataset: Dataset) -> Field | None:
    """The column an element names: `table.column`, or `column` alone."""
    name = (text or "").removeprefix(f"{dataset.name}.")
    return next((field for field in dataset.fields if name in (field.name, field.column)), None)


def _seconds(field: Field) -> str:
    """A column as seconds since 1970 in UTC, whatever zone the session has."""
    match field.type:
        case Atomic(name) if name in _COUNTED:
            return _COUNTED[name].format(quote(field.column))
    return ""
