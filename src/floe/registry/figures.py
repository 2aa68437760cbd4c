"""The facts that key figures come from, of the days since one."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.model.figures import Batch, JudgedCommit, RecordedProblem, VersionChange
from floe.registry.schema import (
    audit,
    check_runs,
    consumers,
    incidents,
    lifecycle_transitions,
    probe_days,
    sign_offs,
    sla_status,
    versions,
    violations as found,
)
from floe.registry.signoffs import OVERRIDE, SIGNED
from floe.registry.store import Store, audited

_RUN, _BAD = check_runs.c, ("error", "critical")
_LOOKS = ("test", "monitor")
_SCHEMA = tuple(f"FLOE-E53{digit}" for digit in "012345")
NOTIFIED = "told"  # the audit's word for consumers whose messages were sent
Row = Mapping[str, Any]


def keep_notification(store: Store, payload: Row, *, at: str) -> None:
    """Note that the consumers of a contract were notified of a version or of its end."""
    kept = {name: payload.get(name) for name in ("kind", "version", "major", "state")}
    with store.begin(writes=True) as connection:
        audited(connection, actor="floe", verb=NOTIFIED, subject=str(payload["contract"]), at=at, **kept)


def batches(store: Store, since: str) -> tuple[Batch, ...]:
    """The runs of pipelines: batches and tests, without the checks of the monitor."""
    schema = _failed(_SCHEMA).where(_RUN.mode != "monitor")
    chosen = sa.select(_RUN.run_id, _RUN.at, _RUN.outcome, _RUN.refused).where(
        (_RUN.at >= since) & (_RUN.mode != "monitor")
    )
    with store.begin() as connection:
        broken = {row.run_id for row in connection.execute(schema.where(_RUN.at >= since))}
        rows = connection.execute(chosen.order_by(_RUN.at)).all()
    passed = [row.outcome == "pass" and not row.refused for row in rows]
    return tuple(
        Batch(row.at[:10], good, not good and row.run_id in broken) for row, good in zip(rows, passed, strict=True)
    )


def troubles(store: Store, since: str, codes: Iterable[str]) -> tuple[RecordedProblem, ...]:
    """Incidents that were open, errors and worse, and drift of these codes that tests alone found in tables."""
    row, wanted = incidents.c, tuple(f"FLOE-{code}" for code in codes)
    open_ = row.closed_at.is_(None) | (row.closed_at >= since)
    tested = _failed(wanted).where((_RUN.mode == "test") & (_RUN.at >= since)).order_by(_RUN.at)
    with store.begin() as connection:
        kept = connection.execute(sa.select(incidents).where(open_ & row.severity.in_(_BAD)).order_by(row.id)).all()
        seen = connection.execute(tested).all()
    made = [
        RecordedProblem(row.contract_id, row.dataset, row.kind, row.code, row.opened_at[:10], _day(row.closed_at))
        for row in kept
    ]
    known = {(problem.contract, problem.code) for problem in made}
    for entry in seen:  # the same drift of a table is found by every test; it counts once
        code = entry.code.removeprefix("FLOE-")
        if (entry.contract, code) not in known and (entry.table_id, code) not in known:
            known.add((entry.table_id, code))
            made.append(RecordedProblem(entry.contract, entry.table_id, "schema_drift", code, entry.at[:10], None))
    return tuple(made)


def _failed(codes: tuple[str, ...]) -> sa.Select[Any]:
    """Violations of these codes with their runs."""
    columns = (_RUN.run_id, _RUN.at, _RUN.contract, _RUN.table_id, found.c.code)
    bad = found.c.code.in_(codes) & (found.c.outcome == "fail") & found.c.severity.in_(_BAD)
    return sa.select(*columns).join(found, found.c.run_id == _RUN.run_id).where(bad)


def watched(store: Store, first: str) -> tuple[tuple[str, str, str], ...]:
    """The days on which datasets were probed."""
    row = probe_days.c
    chosen = sa.select(row.contract_id, row.dataset, row.day).where(row.day >= first).order_by(row.day)
    with store.begin() as connection:
        return tuple((entry[0], entry[1], entry[2]) for entry in connection.execute(chosen))


def quality_watched(store: Store, since: str) -> bool:
    """Whether the quality of a table was checked."""
    row = sla_status.c
    here = (row.sla == "quality") & (row.status != "unknown") & (row.at >= since)
    with store.begin() as connection:
        return connection.execute(sa.select(row.sla).where(here).limit(1)).first() is not None


def commits(store: Store, since: str) -> tuple[JudgedCommit, ...]:
    """Commits to tables that were known before, with the seconds until their first verdict."""
    known = sa.select(_RUN.table_id, sa.func.min(_RUN.at)).group_by(_RUN.table_id)
    gated = sa.select(_RUN.table_id, _RUN.snapshot_after, _RUN.at).where(
        _RUN.mode.notin_(_LOOKS) & ~_RUN.refused & (_RUN.written > 0) & _RUN.snapshot_after.isnot(None)
    )
    first = (
        sa.select(_RUN.table_id, _RUN.snapshot_after, sa.func.min(_RUN.at).label("at"))
        .where(_RUN.mode.in_(_LOOKS) & _RUN.snapshot_after.isnot(None) & (_RUN.at >= since))
        .group_by(_RUN.table_id, _RUN.snapshot_after)
        .subquery()
    )
    here = (_RUN.table_id == first.c.table_id) & (_RUN.snapshot_after == first.c.snapshot_after)
    columns = (_RUN.table_id, _RUN.snapshot_after, _RUN.at, _RUN.seconds, _RUN.result)
    looked = sa.select(*columns).join(first, here & (_RUN.at == first.c.at)).where(_RUN.mode.in_(_LOOKS))
    with store.begin() as connection:
        since_when = {row[0]: row[1] for row in connection.execute(known)}
        ours = {(row[0], row[1]): row[2] for row in connection.execute(gated)}
        looks = connection.execute(looked.order_by(_RUN.at)).all()
    made = [JudgedCommit(table, at[:10], 0.0) for (table, _), at in ours.items() if at >= since]
    seen = set(ours)
    for row in looks:
        committed = row.result.get("committed_at")
        keys = {(row.table_id, row.snapshot_after), (row.table_id, committed)}
        if committed and committed >= max(since, since_when[row.table_id]) and not keys & seen:
            took = max(0.0, _between(committed, row.at) + (row.seconds or 0))  # the writer's clock may go ahead
            made.append(JudgedCommit(row.table_id, committed[:10], took))
        seen |= keys
    return tuple(sorted(made, key=lambda judged_commit: judged_commit.day))


def changes(store: Store, since: str) -> tuple[VersionChange, ...]:
    """The versions after a contract's first, and the moves of ends, that were registered."""
    noted = sa.select(audit).where(audit.c.verb.in_((NOTIFIED, "notice"))).order_by(audit.c.id)
    moved = sa.select(lifecycle_transitions).where(lifecycle_transitions.c.at >= since)
    with store.begin() as connection:
        people = [row._asdict() for row in connection.execute(sa.select(consumers))]
        signed = [row._asdict() for row in connection.execute(sa.select(sign_offs))]
        notes = [row._asdict() for row in connection.execute(noted)]
        made = [_version(row, people, signed, notes) for row in _new_versions(connection, since)]
        moves = [row._asdict() for row in connection.execute(moved.order_by(lifecycle_transitions.c.id))]
    made += [_move(row, people, notes) for row in moves]
    return tuple(sorted(made, key=lambda version_change: version_change.day))


def _new_versions(connection: Connection, since: str) -> list[Row]:
    names = ("contract_id", "version", "major", "changes", "published_at", "effective_from")
    chosen = sa.select(*(versions.c[name] for name in names)).where(versions.c.published_at >= since)
    rows = connection.execute(chosen.order_by(versions.c.published_at))
    return [row._asdict() for row in rows if row.changes]


def _version(row: Row, people: Sequence[Row], signed: Sequence[Row], notes: Sequence[Row]) -> VersionChange:
    contract, version = row["contract_id"], row["version"]
    own_notes = [note for note in notes if note["subject"] == contract and note["detail"].get("version") == version]
    notices = [note["at"] for note in own_notes if note["verb"] == "notice"]
    known_since = min([*notices, row["published_at"]])
    of_contract = [person for person in people if person["contract_id"] == contract]
    consuming = [person for person in of_contract if _there(person, row["published_at"])]
    answers = [answer for answer in signed if (answer["contract_id"], answer["version"]) == (contract, version)]
    breaking = row["changes"].get("bump") == "MAJOR"
    return VersionChange(
        name=f"{contract}:{version}",
        day=row["published_at"][:10],
        breaking=breaking,
        lead_days=max(0, (_date(row["effective_from"]) - _date(known_since)).days),
        consumers=len(consuming),
        notified=any(note["verb"] == NOTIFIED for note in own_notes),
        overridden=breaking and _overridden(row, consuming, answers),
    )


def _overridden(row: Row, consuming: Sequence[Row], answers: Sequence[Row]) -> bool:
    """Whether a version was published by an override although teams of earlier majors had not signed it."""
    affected = {person["team"] for person in consuming if person["major"] < row["major"]}
    agreed = {answer["team"] for answer in answers if answer["decision"] == SIGNED}
    return bool(affected - agreed) and any(answer["decision"] == OVERRIDE for answer in answers)


def _move(row: Row, people: Sequence[Row], notes: Sequence[Row]) -> VersionChange:
    contract, major = row["contract_id"], row["major"]
    of_major = [person for person in people if (person["contract_id"], person["major"]) == (contract, major)]
    consuming = [person for person in of_major if _there(person, row["at"])]
    notified = any(
        note["verb"] == NOTIFIED
        and note["subject"] == contract
        and note["at"] >= row["at"]
        and (note["detail"].get("major"), note["detail"].get("state")) == (major, row["state"])
        for note in notes
    )
    return VersionChange(f"{contract}:{major} {row['state']}", row["at"][:10], False, 0, len(consuming), notified)


def _there(consumer: Row, at: str) -> bool:
    return bool(consumer["added_at"] <= at and (consumer["removed_at"] is None or consumer["removed_at"] > at))


def newest_documents(store: Store) -> list[Row]:
    """The newest version of every contract, with its text."""
    names = ("contract_id", "version", "source", "effective")
    order = (versions.c.contract_id, versions.c.major, versions.c.minor, versions.c.patch)
    with store.begin() as connection:
        rows = connection.execute(sa.select(*(versions.c[name] for name in names)).order_by(*order))
        return list({row.contract_id: row._asdict() for row in rows}.values())


def _day(at: str | None) -> str | None:
    return at[:10] if at else None


def _date(at: str) -> date:
    return date.fromisoformat(at[:10])


def _between(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
