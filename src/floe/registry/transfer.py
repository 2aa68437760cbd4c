"""Ownership of a contract by a repository, and how it moves."""

import sqlalchemy as sa

from floe.registry.audit import audited
from floe.registry.outbox import put
from floe.registry.schema import contracts
from floe.registry.store import Store


def move(
    store: Store, contract_id: str, to: str, *, actor: str, at: str, reason: str | None
) -> tuple[str | None, bool]:
    """Give a contract to another repository, with audit and notice; from where, and whether it moved."""
    with store.begin(writes=True) as connection:
        here = contracts.c.contract_id == contract_id
        own = connection.execute(sa.select(contracts).where(here).with_for_update()).mappings().one()
        before = own["repository"]
        if before == to:
            return before, False
        connection.execute(sa.update(contracts).where(here).values(repository=to))
        said = {"from": before, "to": to, "reason": reason}
        audited(connection, actor=actor, verb="transfer", subject=contract_id, at=at, **said)
        payload = {"event": "ownership_transferred", "contract": contract_id, **said, "by": actor, "at": at}
        put(connection, sink="notification", key=contract_id, payload=payload, at=at)
        return before, True
