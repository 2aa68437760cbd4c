"""Incidents: opened, worsened and closed, each notified once."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.model import Severity
from floe.model.violation_type import violation_type
from floe.registry import outbox
from floe.registry.schema import incidents
from floe.registry.store import Store
from floe.system.clock import stamp

QUIET = timedelta(minutes=30)  # the same incident within this time is not notified again, unless it is worse
DAILY = timedelta(days=1)
_REMINDED = ("E571",)  # consumers of a sunset contract are notified every day
_ROW = incidents.c
Row = Mapping[str, Any]
Key = tuple[str, str]  # kind of check and code


@dataclass(frozen=True, slots=True)
class IncidentPlace:
    """The dataset of a contract, in a version."""

    contract_id: str
    version: str
    dataset: str


@dataclass(frozen=True, slots=True)
class ObservedProblem:
    """What is wrong at a place, the worst of its kind and code."""

    kind: str
    code: str
    severity: Severity
    message: str


@dataclass(frozen=True, slots=True)
class PlaceReport:
    """The violations of a check, the kinds that were checked completely, and the contacts."""

    found: Sequence[ObservedProblem]
    sure: Collection[str]  # kinds that were checked completely: a violation that is not found has ended
    run_id: str
    tell: Mapping[str, Any] | None  # owner and support for the message; None: no notification


def recent(store: Store, place: IncidentPlace, now: datetime) -> dict[Key, int]:
    """How many checks found each violation within the last day; an open incident counts completely."""
    since = stamp(now - DAILY)
    chosen = sa.select(_ROW.kind, _ROW.code, sa.func.sum(_ROW.times)).where(_at(place) & (_ROW.seen_at >= since))
    with store.begin() as connection:
        rows = connection.execute(chosen.group_by(_ROW.kind, _ROW.code)).all()
    return {(row[0], row[1]): int(row[2]) for row in rows}


def settle(store: Store, place: IncidentPlace, sight: PlaceReport, now: datetime) -> list[dict[str, Any]]:
    """Open, worsen and close incidents, with the messages about it, all or nothing; what changed is given back."""
    with store.begin(writes=True) as connection:
        there = {(row["kind"], row["code"]): row for row in _open(connection, place)}
        moved = [
            _seen(
                connection,
                place,
                observed_problem,
                there.get((observed_problem.kind, observed_problem.code)),
                sight,
                now,
            )
            for observed_problem in sight.found
        ]
        known = {(observed_problem.kind, observed_problem.code) for observed_problem in sight.found}
        over = [row for key, row in there.items() if key not in known and key[0] in sight.sure]
        moved += [_closed(connection, place, row, sight, now) for row in over]
    return [entry for entry in moved if entry]


def open_incidents(store: Store) -> list[dict[str, Any]]:
    """The incidents that are open, the worst and oldest first."""
    chosen = sa.select(incidents).where(_ROW.closed_at.is_(None)).order_by(_ROW.opened_at)
    with store.begin() as connection:
        rows = [dict(row) for row in connection.execute(chosen).mappings()]
    return sorted(rows, key=lambda row: -Severity.of(row["severity"]))


def broken_since(store: Store, place: IncidentPlace) -> list[str]:
    """Since when what is open at a place is broken: not what comes near a limit, nor what ends or is slow to be repaired."""
    broken = _at(place) & _ROW.closed_at.is_(None) & (_ROW.times > 0) & _ROW.kind.not_in(("deprecation", "recovery"))
    with store.begin() as connection:
        rows = connection.execute(sa.select(_ROW.broken_at, _ROW.opened_at).where(broken)).all()
    return [row[0] or row[1] for row in rows]


def _at(place: IncidentPlace) -> sa.ColumnElement[bool]:
    return (_ROW.contract_id == place.contract_id) & (_ROW.dataset == place.dataset)


def _open(connection: Connection, place: IncidentPlace) -> list[Row]:
    chosen = sa.select(incidents).where(_at(place) & _ROW.closed_at.is_(None))
    return [dict(row) for row in connection.execute(chosen).mappings()]


def _seen(
    connection: Connection,
    place: IncidentPlace,
    observed_problem: ObservedProblem,
    there: Row | None,
    sight: PlaceReport,
    now: datetime,
) -> dict[str, Any] | None:
    at = stamp(now)
    said: dict[str, Any] = {
        "version": place.version,
        "severity": str(observed_problem.severity),
        "message": observed_problem.message,
    }
    said |= {"run_id": sight.run_id, "seen_at": at}
    if there is None:
        event, row = "opened", _insert(connection, place, observed_problem, said)
        told_at, told = _last_told(connection, place, observed_problem, row["id"])
    else:
        worse = observed_problem.severity > Severity.of(there["severity"])
        said["broken_at"] = there["broken_at"] or (at if _breach(observed_problem) else None)
        event, row = "worsened" if worse else "", {**there, **said, "times": there["times"] + _breach(observed_problem)}
        values = {**said, "times": row["times"]}
        connection.execute(sa.update(incidents).where(_ROW.id == row["id"]).values(**values))
        told_at, told = there["told_at"], there["told_severity"]
    if not event and _remind(observed_problem, told_at, now):
        event = "reminded"
    if not event:
        return None
    return (
        _told(connection, event, row, sight, now)
        if speaks(observed_problem.severity, told, told_at, now)
        else _event(event, row)
    )


def speaks(severity: Severity, told: str | None, told_at: str | None, now: datetime) -> bool:
    """Whether to notify: there was no notification for a while, or it is worse than the last one.

    >>> from datetime import UTC
    >>> now = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> speaks(Severity.ERROR, "error", "2026-01-01T11:45:00.000Z", now)
    False
    >>> speaks(Severity.CRITICAL, "error", "2026-01-01T11:45:00.000Z", now)
    True
    >>> speaks(Severity.ERROR, "error", "2026-01-01T11:30:00.000Z", now)
    True
    """
    if told is None or told_at is None:
        return True
    return severity > Severity.of(told) or told_at <= stamp(now - QUIET)


def _breach(observed_problem: ObservedProblem) -> int:
    """Whether it is more than nearness to a limit, as a count."""
    return int(observed_problem.severity >= Severity.ERROR)


def _remind(observed_problem: ObservedProblem, told_at: str | None, now: datetime) -> bool:
    return observed_problem.code in _REMINDED and told_at is not None and told_at <= stamp(now - DAILY)


def _insert(connection: Connection, place: IncidentPlace, observed_problem: ObservedProblem, said: Row) -> Row:
    row: dict[str, Any] = {"contract_id": place.contract_id, "dataset": place.dataset}
    row |= {"kind": observed_problem.kind, "code": observed_problem.code}
    row |= {**said, "times": _breach(observed_problem), "opened_at": said["seen_at"], "closed_at": None}
    row["broken_at"] = said["seen_at"] if _breach(observed_problem) else None
    made = connection.execute(sa.insert(incidents).values(**row).returning(_ROW.id)).scalar_one()
    return {**row, "id": made}


def _last_told(
    connection: Connection, place: IncidentPlace, observed_problem: ObservedProblem, but: int
) -> tuple[str | None, str | None]:
    """The time of the last notification of the same violation, in a closed incident."""
    here = (
        _at(place)
        & (_ROW.kind == observed_problem.kind)
        & (_ROW.code == observed_problem.code)
        & (_ROW.id != but)
        & _ROW.told_at.isnot(None)
    )
    chosen = sa.select(_ROW.told_at, _ROW.told_severity).where(here).order_by(_ROW.told_at.desc()).limit(1)
    row = connection.execute(chosen).first()
    return (row[0], row[1]) if row else (None, None)


def _closed(
    connection: Connection, place: IncidentPlace, row: Row, sight: PlaceReport, now: datetime
) -> dict[str, Any]:
    at = stamp(now)
    connection.execute(sa.update(incidents).where(_ROW.id == row["id"]).values(closed_at=at))
    over = {**row, "version": place.version, "closed_at": at, "run_id": sight.run_id}
    if row["told_at"] is None:  # its start was not notified
        return _event("closed", over)
    return _told(connection, "closed", over, sight, now)


def _told(connection: Connection, event: str, row: Row, sight: PlaceReport, now: datetime) -> dict[str, Any]:
    said = _event(event, row)
    if sight.tell is None:
        return said
    at = stamp(now)
    payload = {"kind": "contract-incident", **said, **sight.tell}
    outbox.put(connection, sink="notification", key=row["contract_id"], payload=payload, at=at)
    if event != "closed":
        values = {"told_at": at, "told_severity": row["severity"]}
        connection.execute(sa.update(incidents).where(_ROW.id == row["id"]).values(**values))
    return said


def _event(event: str, row: Row) -> dict[str, Any]:
    """An incident as messages and programs read it."""
    message = row["message"] if event != "closed" else f"Over: {row['message']}"
    return {
        "event": event,
        "incident": row["id"],
        "contract": row["contract_id"],
        "version": row["version"],
        "dataset": row["dataset"],
        "check": row["kind"],
        "code": f"FLOE-{row['code']}",
        "type": violation_type(row["code"]),
        "severity": row["severity"],
        "message": message,
        "opened_at": row["opened_at"],
        "closed_at": row["closed_at"],
        "run_id": row["run_id"],
    }
