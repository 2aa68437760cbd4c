"""The states of MAJOR lines: each transition is a row, stored with its audit entry and the notifications of consumers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.model.lifecycle import RETIRED, Standing, due, settled, used
from floe.registry import outbox
from floe.registry.catalogs.message import catalogs_told, retired_message
from floe.registry.consumers import locked, relying
from floe.registry.schema import contracts, lifecycle_transitions
from floe.registry.store import Store, audited
from floe.system.clock import stamp

# The state of a line without transitions: its document has it
First = Callable[[], Standing]
_DAYS = ("announced", "sunset_date", "retire_date")
_SAID = ("replacement", "reason", "migration_guide")


def state(store: Store, contract_id: str, major: int, now: datetime, first: First) -> Standing:
    """The current state of a line; transitions that are due are recorded if the line is registered."""
    registered = sa.select(contracts.c.contract_id).where(contracts.c.contract_id == contract_id)
    with store.begin() as connection:
        known = newest(connection, contract_id, major) or first()
        if not any(due(known, now.date())):
            return known
        if not connection.execute(registered).first():
            return settled(known, now.date())
    return move(store, (contract_id, major), lambda standing: standing, now=now, actor="floe", first=first)[1]


def move(
    store: Store,
    line: tuple[str, int],
    decide: Callable[[Standing], Standing],
    *,
    now: datetime,
    actor: str,
    first: First,
) -> tuple[Standing, Standing]:
    """The old and the new state of a line; due transitions come first, and all is stored or nothing.

    Args:
        store: where.
        line: the contract and its MAJOR.
        decide: gives the new standing, the same one to leave it, or raises to refuse.
        now: when.
        actor: who.
        first: what holds where nothing was moved yet.
    """
    contract_id, major = line
    with store.begin(writes=True) as connection:
        locked(connection, contract_id)
        was = newest(connection, contract_id, major) or first()
        for following in due(was, now.date()):
            _keep(connection, was, following, now, "floe")
            was = following
        decided = decide(was)
        if decided != was:
            _keep(connection, was, decided, now, actor)
    return was, decided


def standings(store: Store, contract_ids: Iterable[str], today: date) -> dict[tuple[str, int], Standing]:
    """The states of lines with transitions, by contract and MAJOR; nothing is written."""
    moves = lifecycle_transitions
    chosen = sa.select(moves).where(moves.c.contract_id.in_(sorted(set(contract_ids)))).order_by(moves.c.id)
    with store.begin() as connection:
        rows = connection.execute(chosen).mappings().all()
    return {(row["contract_id"], row["major"]): settled(_standing(row), today) for row in rows}


def newest(connection: Connection, contract_id: str, major: int) -> Standing | None:
    """Where the last move of a line left it; None where nothing was moved."""
    moves = lifecycle_transitions
    chosen = sa.select(moves).where((moves.c.contract_id == contract_id) & (moves.c.major == major))
    row = connection.execute(chosen.order_by(moves.c.id.desc()).limit(1)).mappings().first()
    return _standing(row) if row else None


def _standing(row: Mapping[Any, Any]) -> Standing:
    values: dict[str, Any] = {name: date.fromisoformat(row[name]) if row[name] else None for name in _DAYS}
    values |= {name: row[name] for name in _SAID}
    since = date.fromisoformat(row["on_day"])
    head = Standing(contract=row["contract_id"], major=row["major"], state=row["state"], since=since)
    return replace(head, **values)


def _keep(connection: Connection, was: Standing, standing: Standing, now: datetime, actor: str) -> None:
    shape, at = standing.to_dict(), stamp(now)
    row = {name: shape[name] for name in (*_DAYS, *_SAID, "major", "state")}
    row |= {"contract_id": standing.contract, "was": was.state, "on_day": str(standing.since or now.date())}
    connection.execute(sa.insert(lifecycle_transitions).values(**row, at=at, by=actor))
    verb = standing.state if standing.state != was.state else f"{standing.state} again"
    audited(connection, actor=actor, verb=verb, subject=standing.contract, at=at, **shape, was=was.state)
    told = relying(connection, standing.contract, standing.major)
    if told:
        payload = _notice(was, standing, told)
        outbox.put(connection, sink="notification", key=standing.contract, payload=payload, at=at)
    if standing.state == RETIRED:
        _leave_catalogs(connection, standing, at)


def _leave_catalogs(connection: Connection, standing: Standing, at: str) -> None:
    """Let catalogs hold a retired line no longer."""
    chosen = sa.select(contracts).where(contracts.c.contract_id == standing.contract)
    for contract in connection.execute(chosen).mappings().all():
        for catalog in catalogs_told(connection, standing.contract):
            outbox.put(connection, **retired_message(catalog, dict(contract), standing.major), at=at)


def _notice(was: Standing, standing: Standing, consumers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The notification of consumers, in the form of the other messages to them."""
    finding = used(standing)
    kept = ("consumer_id", "team", "contact", "major", "version_range", "columns")
    return {
        "kind": f"contract-{standing.state if finding else 'revived'}",
        "message": finding.message if finding else f"Contract {standing.name} is {standing.state} again",
        "code": f"FLOE-{finding.code}" if finding else None,
        "was": was.state,
        **standing.to_dict(),
        "consumers": [{name: consumer[name] for name in kept} for consumer in consumers],
    }
