"""Ownership of a contract by a repository, and how it moves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.model.lifecycle import RETIRED
from floe.registry.catalogs.message import catalog_message, catalogs_told
from floe.registry.lifecycle import newest
from floe.registry.outbox import put
from floe.registry.schema import contracts, versions
from floe.registry.store import Store, audited

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """The target of a transfer, its author, time and reason; `description` is the contract's, for catalogs."""

    to: str
    actor: str
    at: str
    reason: str | None = None
    description: str = ""


def move(store: Store, contract_id: str, wish: Transfer) -> tuple[str | None, bool]:
    """Give a contract to another repository, with audit and notice; from where, and whether it moved."""
    to, actor, at = wish.to, wish.actor, wish.at
    with store.begin(writes=True) as connection:
        here = contracts.c.contract_id == contract_id
        own = connection.execute(sa.select(contracts).where(here).with_for_update()).mappings().one()
        before = own["repository"]
        if before == to:
            return before, False
        connection.execute(sa.update(contracts).where(here).values(repository=to))
        said = {"from": before, "to": to, "reason": wish.reason}
        audited(connection, actor=actor, verb="transfer", subject=contract_id, at=at, **said)
        payload = {"event": "ownership_transferred", "contract": contract_id, **said, "by": actor, "at": at}
        put(connection, sink="notification", key=contract_id, payload=payload, at=at)
        _tell_catalogs(connection, {**own, "repository": to, "repository_before": before}, wish.description, at)
        return before, True


def _tell_catalogs(connection: Connection, contract: Row, description: str, at: str) -> None:
    """Let catalogs name the new repository at the contract's highest version that is not retired."""
    of = versions.c
    chosen = sa.select(of.version, of.major, of.schema_hash, of.effective_hash, of.published_at)
    chosen = chosen.where(of.contract_id == contract["contract_id"])
    for row in connection.execute(chosen.order_by(of.major.desc(), of.minor.desc(), of.patch.desc())).mappings():
        standing = newest(connection, contract["contract_id"], row["major"])
        if standing is None or standing.state != RETIRED:
            for catalog in catalogs_told(connection, contract["contract_id"]):
                told = catalog_message(catalog, contract, dict(row), description=description, at=row["published_at"])
                put(connection, **told, at=at)
            return
