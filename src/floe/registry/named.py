"""Registered contracts by the names that people use."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from floe.model import RegistryError
from floe.registry.schema import contract_tables, contracts
from floe.registry.store import Store


def find_named(store: Store, name: str) -> Mapping[str, Any] | None:
    """The contract of an id, an ODCS id or a table_id; RegistryError where several have it."""
    of_table = sa.select(contract_tables.c.contract_id).where(contract_tables.c.table_id == name)
    fits = (contracts.c.contract_id == name) | (contracts.c.odcs_id == name) | contracts.c.contract_id.in_(of_table)
    with store.begin() as connection:
        found = [dict(row) for row in connection.execute(sa.select(contracts).where(fits)).mappings()]
    found = [row for row in found if row["contract_id"] == name] or found
    if len(found) > 1:
        listed = ", ".join(sorted(row["contract_id"] for row in found))
        raise RegistryError(f"'{name}' names {len(found)} registered contracts: {listed}", "Name one by its id", "E500")
    return found[0] if found else None


def find_ids(store: Store, names: Iterable[str]) -> dict[str, str]:
    """The ids of registered contracts by whatever name they are called."""
    wanted, tables = sorted(set(names)), contract_tables.c
    fits = contracts.c.contract_id.in_(wanted) | contracts.c.odcs_id.in_(wanted)
    with store.begin() as connection:
        rows = connection.execute(sa.select(contracts.c.contract_id, contracts.c.odcs_id).where(fits)).all()
        chosen = sa.select(tables.table_id, tables.contract_id).where(tables.table_id.in_(wanted))
        found = {row.table_id: row.contract_id for row in connection.execute(chosen)}
    found |= {row.odcs_id: row.contract_id for row in rows}
    return found | {row.contract_id: row.contract_id for row in rows}


def unknown(store: Store, name: str) -> RegistryError:
    """Nothing is registered by this name; what comes near is named."""
    with store.begin() as connection:
        ids = list(connection.execute(sa.select(contracts.c.contract_id)).scalars())
    near = difflib.get_close_matches(name, ids, 1)
    return RegistryError(
        f"No contract is registered as '{name}'",
        f"Did you mean '{near[0]}'?" if near else "Register it with floe publish, or correct the name",
        "E500",
    )
