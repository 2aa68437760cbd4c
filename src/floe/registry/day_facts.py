"""What tables held and batches brought, by UTC day."""

from typing import Any

import sqlalchemy as sa

from floe.registry.schema import day_facts
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
