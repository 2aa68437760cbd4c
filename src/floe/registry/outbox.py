"""Messages that must be sent: kept in the transaction of what they tell about, sent later, at least once."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.registry.schema import outbox

WAITING, SENT, DEAD = "waiting", "sent", "dead"


def put(connection: Connection, *, sink: str, key: str, payload: Mapping[str, Any], at: str) -> None:
    """Keep a message; those of one key are sent in the order they were put."""
    row = {"sink": sink, "key": key, "payload": payload, "state": WAITING, "attempts": 0, "next_at": at}
    connection.execute(sa.insert(outbox).values(**row, created_at=at))
