"""What the monitor last saw: the status of service levels, and probes by day."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa

from floe.registry.schema import check_runs, probe_days, sla_status, violations
from floe.registry.store import Store, insert_into

Row = Mapping[str, Any]


def keep_status(store: Store, rows: Iterable[Row]) -> None:
    """Keep the status of service levels over what was known of them."""
    keys = ("contract_id", "version", "dataset", "sla")
    with store.begin(writes=True) as connection:
        for row in rows:
            insert = insert_into(sla_status, store.postgresql).values(**row)
            rest = {name: row[name] for name in ("status", "value", "target", "at", "used")}
            connection.execute(insert.on_conflict_do_update(index_elements=list(keys), set_=rest))


def statuses(store: Store) -> list[dict[str, Any]]:
    """The last status of every service level."""
    columns = sla_status.c
    order = (columns.contract_id, columns.version, columns.dataset, columns.sla)
    with store.begin() as connection:
        return [dict(row) for row in connection.execute(sa.select(sla_status).order_by(*order)).mappings()]


class ProbeCounts(NamedTuple):
    """How many probes found the table, how many did not, and how often those that did took how many milliseconds."""

    up: int
    down: int
    took: Mapping[str, int]


def count_probe(store: Store, contract_id: str, dataset: str, day: str, took: str | None) -> None:
    """Count a probe of a day: how long it took, or None where the table was not found."""
    up, columns = took is not None, probe_days.c
    here = (columns.contract_id == contract_id) & (columns.dataset == dataset) & (columns.day == day)
    values = {"contract_id": contract_id, "dataset": dataset, "day": day, "up": 0, "down": 0, "took": {}}
    insert = insert_into(probe_days, store.postgresql).values(**values)
    with store.begin(writes=True) as connection:
        connection.execute(insert.on_conflict_do_nothing())
        counted = connection.execute(sa.select(columns.took).where(here).with_for_update()).scalar() or {}
        if took is not None:
            counted = {**counted, took: counted.get(took, 0) + 1}
        more = {"up": columns.up + int(up), "down": columns.down + int(not up), "took": counted}
        connection.execute(sa.update(probe_days).where(here).values(**more))


def probes_since(store: Store, contract_id: str, dataset: str, day: str) -> ProbeCounts:
    """The probes since a day."""
    columns = probe_days.c
    chosen = sa.select(columns.up, columns.down, columns.took).where(
        (columns.contract_id == contract_id) & (columns.dataset == dataset) & (columns.day >= day)
    )
    with store.begin() as connection:
        rows = connection.execute(chosen).all()
    took: dict[str, int] = {}
    for row in rows:
        for milliseconds, times in (row[2] or {}).items():
            took[milliseconds] = took.get(milliseconds, 0) + times
    return ProbeCounts(sum(row[0] for row in rows), sum(row[1] for row in rows), took)


def first_seen(store: Store, table_id: str) -> str | None:
    """The time of the first check or write of a table."""
    chosen = sa.select(sa.func.min(check_runs.c.at)).where(check_runs.c.table_id == table_id)
    with store.begin() as connection:
        return connection.execute(chosen).scalar()


def forget_runs(store: Store, before: str, probes_before: str) -> None:
    """Remove the monitor's own runs from before a moment, and sooner those that only found a table readable.

    What they found stays in incidents, probes and facts of days.
    """
    runs = check_runs.c
    plain = (runs.outcome == "pass") & runs.snapshot_after.is_(None) & (runs.at < probes_before)
    old = sa.select(runs.run_id).where((runs.mode == "monitor") & ((runs.at < before) | plain))
    with store.begin() as connection:
        if not connection.execute(old.limit(1)).first():
            return
    with store.begin(writes=True) as connection:
        connection.execute(sa.delete(violations).where(violations.c.run_id.in_(old)))
        connection.execute(sa.delete(check_runs).where(check_runs.c.run_id.in_(old)))
