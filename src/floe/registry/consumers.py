"""The consumers of contracts and their sign-offs."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.registry.schema import audit, consumers, contracts, sign_offs
from floe.registry.store import Store, audited, insert_into

Row = Mapping[str, Any]
EVERYONE = "*"  # the team of an override, which is for all teams


def consumer_id(contract_id: str, team: str, through: str | None) -> str:
    """The identity of a consumer of a contract: its team, and the contract it produces from it."""
    return hashlib.sha256(f"{contract_id}\0{team}\0{through or ''}".encode()).hexdigest()[:16]


def locked(connection: Connection, contract_id: str) -> None:
    """Lock the contract against transfers and registrations until the transaction ends."""
    chosen = sa.select(contracts.c.contract_id).where(contracts.c.contract_id == contract_id).with_for_update()
    connection.execute(chosen)


def find_consumer(connection: Connection, key: str) -> Row | None:
    """A current consumer of a contract."""
    chosen = sa.select(consumers).where((consumers.c.consumer_id == key) & consumers.c.removed_at.is_(None))
    row = connection.execute(chosen).mappings().first()
    return dict(row) if row else None


def keep_consumer(connection: Connection, store: Store, row: Row) -> None:
    """Write a consumer down, in the place of what was known of it; with an audit entry."""
    insert = insert_into(consumers, store.postgresql).values(**row, removed_at=None)
    rest = {name: value for name, value in row.items() if name != "consumer_id"}
    connection.execute(insert.on_conflict_do_update(index_elements=["consumer_id"], set_={**rest, "removed_at": None}))
    said = {name: row[name] for name in ("team", "contact", "major", "version_range", "columns", "through")}
    _audited(connection, row, "consumers add", row["added_by"], row["added_at"], **said)


def remove_consumers(connection: Connection, rows: Sequence[Row], actor: str, at: str) -> None:
    """Take consumers off the list; their rows stay as history."""
    for row in rows:
        here = consumers.c.consumer_id == row["consumer_id"]
        connection.execute(sa.update(consumers).where(here).values(removed_at=at))
        _audited(connection, row, "consumers remove", actor, at, team=row["team"], through=row["through"])


def _audited(connection: Connection, row: Row, verb: str, actor: str, at: str, **detail: Any) -> None:
    audited(connection, actor=actor, verb=verb, subject=row["contract_id"], at=at, **detail)


def relying(connection: Connection, contract_id: str, major: int | None = None) -> list[Row]:
    """The consumers of a contract, or of one of its MAJOR lines, by team."""
    c = consumers.c
    chosen = sa.select(consumers).where((c.contract_id == contract_id) & c.removed_at.is_(None))
    chosen = chosen if major is None else chosen.where(c.major == major)
    return [dict(row) for row in connection.execute(chosen.order_by(c.team, c.consumer_id)).mappings()]


def all_consumers(store: Store, contract_id: str | None = None, team: str | None = None) -> list[Row]:
    """The current consumers: of one contract, of one team, or all."""
    c = consumers.c
    chosen = sa.select(consumers).where(c.removed_at.is_(None))
    chosen = chosen.where(c.contract_id == contract_id) if contract_id else chosen
    chosen = chosen.where(c.team == team) if team else chosen
    with store.begin() as connection:
        ordered = chosen.order_by(c.contract_id, c.team, c.consumer_id)
        return [dict(row) for row in connection.execute(ordered).mappings()]


def sign(connection: Connection, row: Row) -> bool:
    """Store a sign-off, under the contract's lock, and return whether it is new: a team signs off a diff once."""
    same = [sign_offs.c[name] == row[name] for name in ("contract_id", "version", "team", "diff_hash")]
    if connection.execute(sa.select(sign_offs.c.team).where(*same)).first():
        return False
    connection.execute(sa.insert(sign_offs).values(**row))
    said = {name: row[name] for name in ("version", "team", "diff_hash", "decision", "reason")}
    verb = f"consumers {row['decision']}"
    audited(connection, actor=row["by"], verb=verb, subject=row["contract_id"], at=row["at"], **said)
    return True


def noticed(store: Store, contract_id: str, version: str) -> str | None:
    """The hash of the change in the last notification of consumers."""
    chosen = sa.select(audit.c.detail).where((audit.c.subject == contract_id) & (audit.c.verb == "notice"))
    with store.begin() as connection:
        told = list(connection.execute(chosen.order_by(audit.c.id.desc())).scalars())
    return next((str(value["diff_hash"]) for value in told if value.get("version") == version), None)
