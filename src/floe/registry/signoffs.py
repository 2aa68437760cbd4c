"""The consumers of a MAJOR: their sign-offs, their notice period, an owner's override."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.registry import outbox
from floe.registry.schema import audit, consumers, sign_offs
from floe.registry.store import audited

SIGNED, OVERRIDE = "signed", "override"
_NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class BreakingStep:
    """A breaking change to sign off: the new version, and the hash of its changes."""

    contract_id: str
    version: str
    major: int
    diff_hash: str


@dataclass(frozen=True, slots=True)
class Consent:
    """The consumers of the versions before a breaking change, their sign-offs, and the time of their notification."""

    consumers: Sequence[Mapping[str, Any]]
    signed: frozenset[str]
    override: Mapping[str, Any] | None
    noticed_at: str | None

    @property
    def missing(self) -> list[str]:
        """The teams that have not signed off."""
        return sorted({str(consumer["team"]) for consumer in self.consumers} - self.signed)


def find_consumers(connection: Connection, contract_id: str, below: int | None = None) -> list[Mapping[str, Any]]:
    """Those who rely on a contract now; with `below`, those pinned to an earlier MAJOR."""
    chosen = sa.select(consumers).where((consumers.c.contract_id == contract_id) & consumers.c.removed_at.is_(None))
    if below is not None:
        chosen = chosen.where(consumers.c.major < below)
    rows = connection.execute(chosen.order_by(consumers.c.team, consumers.c.consumer_id))
    return [dict(row) for row in rows.mappings()]


def find_consent(connection: Connection, step: BreakingStep) -> Consent:
    """What is known about a breaking change; a sign-off counts for the very change it was given for."""
    said = sign_offs.c
    chosen = sa.select(sign_offs).where(
        (said.contract_id == step.contract_id) & (said.version == step.version) & (said.diff_hash == step.diff_hash)
    )
    rows = [dict(row) for row in connection.execute(chosen).mappings()]
    return Consent(
        find_consumers(connection, step.contract_id, step.major),
        frozenset(str(row["team"]) for row in rows if row["decision"] == SIGNED),
        next((row for row in rows if row["decision"] == OVERRIDE), None),
        _noticed(connection, step),
    )


def _noticed(connection: Connection, step: BreakingStep) -> str | None:
    """The time of the first notification of consumers about a breaking change."""
    chosen = sa.select(audit.c.at, audit.c.detail).where(
        (audit.c.subject == step.contract_id) & (audit.c.verb == _NOTICE)
    )
    told = [row.at for row in connection.execute(chosen) if row.detail.get("diff_hash") == step.diff_hash]
    return min(told, default=None)


def give_notice(connection: Connection, step: BreakingStep, message: Mapping[str, Any], *, actor: str, at: str) -> None:
    """Notify consumers of a breaking change once; their notice period starts then."""
    if _noticed(connection, step):
        return
    said = {"version": step.version, "diff_hash": step.diff_hash}
    audited(connection, actor=actor, verb=_NOTICE, subject=step.contract_id, at=at, **said)
    outbox.put(connection, sink="notification", key=step.contract_id, payload=message, at=at)
