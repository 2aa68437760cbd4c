"""Registered contracts by their names: their id, their ODCS id, a table of theirs."""

import difflib
from collections.abc import Iterable

import sqlalchemy as sa

from floe.model import ContractError
from floe.registry.schema import contract_tables, contracts
from floe.registry.store import Store


def find_ids(store: Store, name: str) -> list[str]:
    """The contracts known by a name; an id means its own contract alone."""
    by_table = sa.select(contract_tables.c.contract_id).where(contract_tables.c.table_id == name)
    known = sa.or_(contracts.c.contract_id == name, contracts.c.odcs_id == name, contracts.c.contract_id.in_(by_table))
    chosen = sa.select(contracts.c.contract_id).where(known, contracts.c.newest.is_not(None))
    with store.begin() as connection:
        found = list(connection.execute(chosen.order_by(contracts.c.contract_id)).scalars())
    return [name] if name in found else found


def find_id(store: Store, name: str) -> str | None:
    """The contract known by a name; ContractError where several are."""
    ids = find_ids(store, name)
    if len(ids) > 1:
        raise ContractError(
            f"'{name}' is the name of {len(ids)} registered contracts: {', '.join(ids)}",
            "Pass the id of one of them",
            "E500",
        )
    return ids[0] if ids else None


def ids_by_name(store: Store, names: Iterable[str]) -> dict[str, str]:
    """The ids of registered contracts by whatever name they are called."""
    wanted, tables = sorted(set(names)), contract_tables.c
    fits = contracts.c.contract_id.in_(wanted) | contracts.c.odcs_id.in_(wanted)
    with store.begin() as connection:
        rows = connection.execute(sa.select(contracts.c.contract_id, contracts.c.odcs_id).where(fits)).all()
        chosen = sa.select(tables.table_id, tables.contract_id).where(tables.table_id.in_(wanted))
        found = {row.table_id: row.contract_id for row in connection.execute(chosen)}
    found |= {row.odcs_id: row.contract_id for row in rows}
    return found | {row.contract_id: row.contract_id for row in rows}


def all_names(store: Store) -> list[str]:
    """Every name of a contract, to suggest similar ones."""
    with store.begin() as connection:
        names = connection.execute(sa.select(contracts.c.contract_id, contracts.c.odcs_id)).all()
        tables = connection.execute(sa.select(contract_tables.c.table_id).distinct()).scalars()
        return sorted({*(value for row in names for value in row), *(table for table in tables if table)})


def unknown(name: str, names: Iterable[str]) -> ContractError:
    """The error for an unknown name, with the most similar one."""
    near = difflib.get_close_matches(name, list(names), 1)
    return ContractError(
        f"No contract is registered as '{name}'",
        f"Did you mean '{near[0]}'?"
        if near
        else "`floe contracts search` lists registered contracts; `floe publish` registers one",
        "E500",
    )
