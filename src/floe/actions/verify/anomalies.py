"""Anomalies: what is unusual about a table or a batch today, by what was recorded of the days before."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.engine.metadata.anomaly import WINDOW, DayPoint, batch_anomalies, table_anomalies
from floe.model import RegistryError
from floe.model.result import Outcome
from floe.system.clock import stamp

if TYPE_CHECKING:
    from floe.registry import Store


def of_table(store: "Store", fact: Mapping[str, Any]) -> list[Outcome]:
    """What is unusual about a table that holds what a fact says."""
    today = _point(fact)
    return table_anomalies(fact["dataset"], today, _points(store, fact, today.day))


def of_batch(store: "Store", fact: Mapping[str, Any]) -> tuple[Outcome, ...]:
    """What is unusual about a batch; nothing where the registry is out of reach, for nothing is known then."""
    today = _point(fact)
    try:
        before = _points(store, fact, today.day)
    except RegistryError:
        return ()
    return tuple(batch_anomalies(fact["dataset"], today, before))


def fact_of(
    contract: str, dataset: str, source: str, now: datetime, rows: int, nulls: Mapping[str, int]
) -> dict[str, Any]:
    """What is kept of a table or batch for the days to come."""
    day = stamp(now)[:10]
    head = {"contract_id": contract, "dataset": dataset, "source": source, "day": day}
    return {**head, "rows": rows, "nulls": dict(nulls)}


def _points(store: "Store", fact: Mapping[str, Any], day: date) -> list[DayPoint]:
    first = (day - WINDOW).isoformat()
    return [
        _point(row)
        for row in registry.day_facts.facts_since(store, fact["contract_id"], fact["dataset"], fact["source"], first)
    ]


def _point(row: Mapping[str, Any]) -> DayPoint:
    """A day; of several batches their mean."""
    times = row.get("times") or 1
    nulls = {name: count / times for name, count in row["nulls"].items()}
    return DayPoint(date.fromisoformat(row["day"]), row["rows"] / times, nulls)
