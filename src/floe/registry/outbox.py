"""Messages to send: stored in the transaction of their cause, sent later, at least once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.model import RegistryError
from floe.model.outbox_message import Outgoing
from floe.registry.schema import audit, outbox
from floe.registry.store import WAITING, Store, audited, put_all

SENT, DEAD = "sent", "dead"
DROPPED = "outbox-dropped"  # the audit's word for messages given up to keep the outbox small
_ROW = outbox.c


@dataclass(frozen=True, slots=True)
class Count:
    """The number of messages per state, and the time of the next attempt."""

    waiting: int = 0
    sent: int = 0
    dead: int = 0
    dropped: int = 0
    next_at: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The count for programs."""
        return {name: getattr(self, name) for name in ("waiting", "sent", "dead", "dropped", "next_at")}


def put(connection: Connection, *, sink: str, key: str, payload: Mapping[str, Any], at: str) -> None:
    """Keep a message; those of one sink and key are sent in the order they were put."""
    put_all(connection, [(sink, key, payload)], at=at)


def next_messages(store: Store, now: str | None = None) -> list[Outgoing]:
    """Each key's oldest waiting message, where it is due; those not tried the longest first."""
    oldest = sa.select(sa.func.min(_ROW.id)).where(_ROW.state == WAITING).group_by(_ROW.sink, _ROW.key)
    chosen = sa.select(outbox).where(_ROW.id.in_(oldest)).order_by(_ROW.next_at, _ROW.id)
    if now is not None:
        chosen = chosen.where(_ROW.next_at <= now)
    names = ("id", "sink", "key", "payload", "created_at", "attempts")
    with store.begin() as connection:
        return [Outgoing(*(row[name] for name in names)) for row in connection.execute(chosen).mappings()]


def mark(store: Store, message: Outgoing, **values: Any) -> None:
    """Store the result of sending; nothing if the message no longer waits."""
    here = (_ROW.id == message.id) & (_ROW.state == WAITING)
    with store.begin(writes=True) as connection:
        connection.execute(sa.update(outbox).where(here).values(attempts=message.attempts + 1, **values))


def was_reported(store: Store, note: str) -> bool:
    """Whether a note was already reported for a message."""
    with store.begin() as connection:
        return connection.execute(sa.select(_ROW.id).where(_ROW.error == note).limit(1)).first() is not None


def count(store: Store) -> Count:
    """The number of messages per state."""
    with store.begin() as connection:
        by_state = sa.select(_ROW.state, sa.func.count()).group_by(_ROW.state)
        found = {row[0]: int(row[1]) for row in connection.execute(by_state)}
        soonest = connection.execute(sa.select(sa.func.min(_ROW.next_at)).where(_ROW.state == WAITING)).scalar()
        lost = connection.execute(
            sa.select(audit.c.detail).where((audit.c.subject == "outbox") & (audit.c.verb == DROPPED))
        ).scalars()
        dropped = sum(int(detail["count"]) for detail in lost)
    return Count(found.get(WAITING, 0), found.get(SENT, 0), found.get(DEAD, 0), dropped, soonest)


def sent_since(store: Store, sink: str, prefix: str, since: str) -> list[Mapping[str, Any]]:
    """What was sent to a sink since a moment, of keys that begin so."""
    here = (_ROW.sink == sink) & (_ROW.state == SENT) & (_ROW.sent_at >= since) & _ROW.key.startswith(prefix)
    with store.begin() as connection:
        return list(connection.execute(sa.select(_ROW.payload).where(here)).scalars())


def messages(store: Store, states: Sequence[str] = (WAITING, DEAD), limit: int = 50) -> list[dict[str, Any]]:
    """The oldest messages in some states, with their payloads."""
    chosen = sa.select(outbox).where(_ROW.state.in_(states)).order_by(_ROW.id).limit(limit)
    with store.begin() as connection:
        return [dict(row) for row in connection.execute(chosen).mappings()]


def retry(store: Store, id_: int, *, actor: str, at: str) -> None:
    """Let a dead message wait again, and a waiting one be tried at once; RegistryError where there is none."""
    with store.begin(writes=True) as connection:
        state = connection.execute(sa.select(_ROW.state).where(_ROW.id == id_)).scalar()
        if state is None:
            raise RegistryError(f"The outbox has no message {id_}", "`floe outbox list` shows its messages")
        if state == SENT:
            raise RegistryError(f"Message {id_} was already sent", "`floe outbox list` shows waiting and dead messages")
        values = {"state": WAITING, "attempts": 0, "next_at": at}
        connection.execute(sa.update(outbox).where(_ROW.id == id_).values(**values))
        audited(connection, actor=actor, verb="outbox-retry", subject=f"outbox:{id_}", at=at, was=state)


def drop(store: Store, ids: Sequence[int], *, why: str, at: str) -> None:
    """Give messages up, counted in the audit by the same transaction."""
    with store.begin(writes=True) as connection:
        detail = {"count": len(ids), "why": why, "first": min(ids), "last": max(ids)}
        audited(connection, actor="floe", verb=DROPPED, subject="outbox", at=at, **detail)
        for start in range(0, len(ids), 500):
            connection.execute(sa.delete(outbox).where(_ROW.id.in_(ids[start : start + 500])))


def too_old(store: Store, before: str) -> list[int]:
    """Waiting messages with attempts from before a time, and dead ones; oldest first."""
    tried = (_ROW.state == DEAD) | ((_ROW.state == WAITING) & (_ROW.attempts > 0))
    return _ids(store, sa.select(_ROW.id).where((_ROW.created_at < before) & tried).order_by(_ROW.id))


def too_many(store: Store, most: int) -> list[int]:
    """The oldest messages beyond a number of unsent ones."""
    unsent = sa.select(_ROW.id).where(_ROW.state != SENT).order_by(_ROW.id.desc()).offset(most)
    return sorted(_ids(store, unsent.limit(1_000_000)))  # SQLite takes an offset only with a limit


def forget_sent(store: Store, before: str) -> None:
    """Remove messages that were sent before a moment."""
    here = (_ROW.state == SENT) & (_ROW.sent_at < before)
    if not _ids(store, sa.select(_ROW.id).where(here).limit(1)):
        return
    with store.begin(writes=True) as connection:
        connection.execute(sa.delete(outbox).where(here))


def _ids(store: Store, chosen: sa.Select[Any]) -> list[int]:
    with store.begin() as connection:
        return cast("list[int]", list(connection.execute(chosen).scalars()))
