"""Messages put into the outbox, in the transaction of what they tell about."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.registry.schema import outbox

WAITING = "waiting"


def put_all(connection: Connection, told: Sequence[tuple[str, str, Mapping[str, Any]]], *, at: str) -> None:
    """Keep messages, each a sink, a key and a payload; those of one sink and key are sent in this order."""
    head = {"state": WAITING, "attempts": 0, "next_at": at, "created_at": at}
    rows = [{"sink": sink, "key": key, "payload": payload, **head} for sink, key, payload in told]
    connection.execute(sa.insert(outbox), rows)
