"""Which column came from which: one row per pair and job, kept once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from floe.registry.schema import contract_tables, contracts, lineage, table_registry
from floe.registry.store import Store, audited

_KEY = ("source_table", "source_column", "target_table", "target_column", "job")
_AT_ONCE = 500


def keep_lineage(store: Store, rows: Sequence[Mapping[str, Any]], *, actor: str, at: str) -> int:
    """Store new edges and return their number."""
    with store.lock("floe.lineage"), store.begin(writes=True) as connection:
        targets = sorted({row["target_table"] for row in rows})
        known = set()
        for some in _parts(targets):
            chosen = sa.select(*(lineage.c[name] for name in _KEY)).where(lineage.c.target_table.in_(some))
            known |= {tuple(row) for row in connection.execute(chosen)}
        new = {_key(row): row for row in rows if _key(row) not in known}
        for some in _parts(list(new.values())):
            connection.execute(sa.insert(lineage), [dict(row) for row in some])
        if new:
            audited(connection, actor=actor, verb="lineage import", subject="lineage", at=at, rows=len(new))
    return len(new)


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in _KEY)


def _parts(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (values[i : i + _AT_ONCE] for i in range(0, len(values), _AT_ONCE))


def find_lineage(store: Store) -> list[Mapping[str, Any]]:
    """All that is known of which column came from which."""
    with store.begin() as connection:
        rows = connection.execute(sa.select(lineage).order_by(lineage.c.id)).mappings()
        return [dict(row) for row in rows]


def find_tables(store: Store) -> list[Mapping[str, Any]]:
    """The tables of registered contracts: contract_id, dataset, table_id, and name and location where known."""
    known = table_registry.c
    chosen = sa.select(contract_tables, known.location, known.name).join(
        table_registry, known.table_id == contract_tables.c.table_id, isouter=True
    )
    with store.begin() as connection:
        return [dict(row) for row in connection.execute(chosen).mappings()]


def contract_ids(store: Store) -> list[str]:
    """The ids of all registered contracts."""
    with store.begin() as connection:
        return list(connection.execute(sa.select(contracts.c.contract_id).order_by(contracts.c.contract_id)).scalars())
