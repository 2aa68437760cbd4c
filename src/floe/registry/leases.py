"""The monitor's slots on PostgreSQL: replicas share them, each is taken by one of them, and a late one is refused.

Idea: a row per contract says when its next check is due, who holds it and until when. A replica takes due rows
(`FOR UPDATE SKIP LOCKED`), holds each by a lease that it renews while it works, and ends it in the transaction that writes what
it found.

Why it is right: the row lock lets one transaction take a slot. Each take-over raises the row's token, and the end of a check
compares it: a replica that was paused, and whose slot another took over, has its whole transaction refused, so a slot is recorded
at most once. A slot moves on only when a check ended, so it is recorded at least once. The database's clock is the only clock
here; if it is set back, a slot further away than its interval counts as due.

Memory: a row per contract; a claim takes no more rows than the replica has room for.

Failure: a replica that dies or is frozen loses its lease after 2 to 60 seconds (the contract's shortest interval), and another
takes the slot. A registry that is down stops checks and loses none: slots that were missed become one.

Gain: replicas need no leader and no setting that divides contracts among them. It is about being right, and was not measured.
"""

import os
import socket
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Connection

from floe.model import LeaseError
from floe.model.lease import Lease, next_slot, phases
from floe.registry.schema import monitor_slots
from floe.registry.store import Store, unlock_when_frozen

_SHORTEST, _LONGEST = 2.0, 60.0  # seconds of a lease
_IDLE = 60.0
_ROW = monitor_slots.c
_NOW = sa.select(sa.extract("epoch", sa.func.clock_timestamp()))
Every = Mapping[str, Mapping[str, float]]  # contract -> kind of check -> seconds


@dataclass(slots=True)
class SharedLeases:
    """The contracts that this replica may check now; all replicas share the clock of the database."""

    store: Store
    holder: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}")
    _every: Every = field(default_factory=dict)
    _phase: Mapping[str, float] = field(default_factory=dict)

    def know(self, every: Every) -> None:
        """Take in which contracts there are, and how often each kind of check is due."""
        self._every, self._phase = every, phases(every)
        rows = [{"name": name, "due": {}, "next_at": 0.0, "token": 0} for name in sorted(every)]
        if rows:
            with self.store.begin(writes=True) as connection:
                connection.execute(postgresql.insert(monitor_slots).on_conflict_do_nothing(), rows)

    def note(self, name: str, seen: str, kinds: Collection[str]) -> None:
        """Request checks of a contract whose tables have new snapshots."""
        with self.store.begin(writes=True) as connection:
            here = (_ROW.name == name) & _ROW.seen.is_distinct_from(seen)
            row = connection.execute(sa.select(_ROW.due).where(here).with_for_update()).first()
            if row is not None:
                now = _now(connection)
                due = {**row[0], **dict.fromkeys(kinds, now)}
                connection.execute(sa.update(monitor_slots).where(here).values(due=due, next_at=now, seen=seen))

    def claim(self, busy: Collection[str], most: int) -> tuple[list[Lease], int]:
        """Take leases of contracts that are due and free; `done` gets the number of skipped slots."""
        names = [name for name in self._every if name not in busy]
        if most <= 0 or not names:
            return [], 0
        with self.store.begin(writes=True) as connection:
            unlock_when_frozen(connection)
            now = _now(connection)
            rows = connection.execute(self._free(names, now, most)).mappings().all()
            return [self._taken(connection, row, now) for row in rows], 0

    def _free(self, names: list[str], now: float, most: int) -> sa.Select[Any]:
        """What is due; a slot that lies further off than its interval is from before the clock was set back."""
        longest = max(min(self._every[name].values(), default=_IDLE) for name in names)
        due = (_ROW.next_at <= now) | (_ROW.next_at > now + longest)
        mine = _ROW.name == sa.any_(sa.cast(names, postgresql.ARRAY(sa.String)))
        free = _ROW.until.is_(None) | (_ROW.until <= now)
        chosen = sa.select(monitor_slots).where(mine & due & free).order_by(_ROW.next_at).limit(most)
        return chosen.with_for_update(skip_locked=True)

    def _taken(self, connection: Connection, row: Mapping[Any, Any], now: float) -> Lease:
        name, every, due = row["name"], self._every[row["name"]], row["due"]
        come = [kind for kind in {**every, **due} if _has_come(due.get(kind, now), every.get(kind), now)]
        values = {"token": row["token"] + 1, "holder": self.holder, "until": now + self._lease(name)}
        connection.execute(sa.update(monitor_slots).where(_ROW.name == name).values(**values))
        return Lease(name, tuple(come), values["token"], now)

    def renew(self, turns: Collection[Lease]) -> None:
        """Hold on to turns that are still under way."""
        if not turns:
            return
        with self.store.begin(writes=True) as connection:
            now = _now(connection)
            for turn in turns:
                held = (_ROW.name == turn.name) & (_ROW.token == turn.token)
                until = now + self._lease(turn.name)
                connection.execute(sa.update(monitor_slots).where(held).values(until=until))

    def done(self, store: Store, turn: Lease) -> bool:
        """End a turn in the transaction of what it found; LeaseError where another took over. Whether slots were missed."""
        with store.begin(writes=True) as connection:
            mine = (_ROW.name == turn.name) & (_ROW.token == turn.token)
            row = connection.execute(sa.select(_ROW.due).where(mine).with_for_update()).first()
            if row is None:
                raise LeaseError(
                    f"{turn.name}: another monitor took over this check, so the late outcome is discarded",
                    "No action is needed if this process was paused; otherwise give it more CPU or memory",
                )
            now, every = _now(connection), self._every.get(turn.name, {})
            due, missed = _moved(row[0], turn, every, now, self._phase.get(turn.name, 0.0))
            next_at = min(due.values(), default=now + _IDLE)
            values = {"due": due, "next_at": next_at, "until": None}
            connection.execute(sa.update(monitor_slots).where(_ROW.name == turn.name).values(**values))
        return missed

    def mine(self) -> set[str]:
        """The contracts whose last lease was this replica's."""
        with self.store.begin() as connection:
            chosen = sa.select(_ROW.name).where(_ROW.holder == self.holder)
            return set(connection.execute(chosen).scalars())

    def soonest(self) -> float:
        """Seconds until the next attempt is useful: others move slots too."""
        return 1.0

    def renew_every(self) -> float:
        """Seconds between two renewals."""
        return min((self._lease(name) for name in self._every), default=_LONGEST) / 3

    def _lease(self, name: str) -> float:
        """Seconds a turn is held without a sign of life: no longer than the contract's shortest interval."""
        return min(_LONGEST, max(_SHORTEST, min(self._every[name].values(), default=_LONGEST)))


def _now(connection: Connection) -> float:
    return float(connection.execute(_NOW).scalar_one())


def _has_come(slot: float, step: float | None, now: float) -> bool:
    return slot <= now or (step is not None and slot > now + step)


def _moved(
    due: Mapping[str, float], turn: Lease, every: Mapping[str, float], now: float, phase: float
) -> tuple[dict[str, float], bool]:
    """The slots after a lease; checks requested during the lease stay due."""
    after, missed = dict(due), False
    for kind in turn.kinds:
        then, step = due.get(kind), every.get(kind)
        if then is not None and turn.at < then <= now:
            continue
        if step is None:
            after.pop(kind, None)
            continue
        start = min(turn.at - step * phase if then is None else then, turn.at)
        after[kind] = next_slot(start, step, now)
        missed = missed or after[kind] > next_slot(start, step, turn.at)
    return after, missed
