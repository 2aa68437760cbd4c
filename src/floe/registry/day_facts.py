"""What tables held and batches brought, by UTC day, and the measurements of the last run on each table."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa

from floe.registry.schema import day_facts, verified
from floe.registry.store import Store

_ROW = day_facts.c


def facts_since(store: Store, contract_id: str, dataset: str, source: str, day: str) -> list[dict[str, Any]]:
    """The facts from a day on, oldest first."""
    chosen = sa.select(day_facts).where(
        (_ROW.contract_id == contract_id) & (_ROW.dataset == dataset) & (_ROW.source == source) & (_ROW.day >= day)
    )
    with store.begin() as connection:
        return [dict(row) for row in connection.execute(chosen.order_by(_ROW.day)).mappings()]


def forget_facts(store: Store, day: str) -> None:
    """Remove what is older than a day."""
    with store.begin() as connection:
        if not connection.execute(sa.select(_ROW.day).where(_ROW.day < day).limit(1)).first():
            return
    with store.begin(writes=True) as connection:
        connection.execute(sa.delete(day_facts).where(_ROW.day < day))


class HistoryKey(NamedTuple):
    """A dataset of a contract on one table."""

    contract_id: str
    dataset: str
    location: str


def recall(store: Store, place: HistoryKey) -> str | None:
    """What was kept, where something was."""
    with store.begin() as connection:
        found = connection.execute(sa.select(verified.c.state).where(_here(place))).scalar()
    return str(found) if found is not None else None


def keep(store: Store, place: HistoryKey, values: Mapping[str, str]) -> None:
    """Keep what a run measured (table_uid, snapshot, at, state); of two runs at once the later one's stays, and both are right."""
    with store.begin(writes=True) as connection:
        connection.execute(sa.delete(verified).where(_here(place)))
        connection.execute(sa.insert(verified).values(**place._asdict(), **values))


def _here(place: HistoryKey) -> sa.ColumnElement[bool]:
    columns = verified.c
    return (
        (columns.contract_id == place.contract_id)
        & (columns.dataset == place.dataset)
        & (columns.location == place.location)
    )
