"""Who did what and when: one row for every change that people make."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.registry.schema import audit
from floe.registry.store import Store


def audited(connection: Connection, *, actor: str, verb: str, subject: str, at: str, **detail: Any) -> None:
    """Write an entry in the transaction of what it is about."""
    row = {"at": at, "actor": actor, "verb": verb, "subject": subject, "detail": detail}
    connection.execute(sa.insert(audit).values(**row))


def trail(store: Store, subject: str) -> list[Mapping[str, Any]]:
    """What happened to a contract, oldest first."""
    chosen = sa.select(audit).where(audit.c.subject == subject).order_by(audit.c.id)
    with store.begin() as connection:
        return [dict(row) for row in connection.execute(chosen).mappings()]
