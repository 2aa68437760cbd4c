"""The measurements of the last run on a table: one row per contract, dataset and location, which replaces the previous one."""

from collections.abc import Mapping
from typing import NamedTuple

import sqlalchemy as sa

from floe.registry.schema import verified
from floe.registry.store import Store


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
