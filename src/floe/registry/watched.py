"""What the monitor last saw: the status of service levels, and probes by day."""

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from floe.registry.schema import check_runs, probe_days, sla_status, violations
from floe.registry.store import Store

Row = Mapping[str, Any]


def keep_status(store: Store, rows: Iterable[Row]) -> None:
    """Keep the status of service levels over what was known of them."""
    keys = ("contract_id", "version", "dataset", "sla")
    with store.begin(writes=True) as connection:
        for row in rows:
            insert = (postgresql if store.postgresql else sqlite).insert(sla_status).values(**row)
            rest = {name: row[name] for name in ("status", "value", "target", "at")}
            connection.execute(insert.on_conflict_do_update(index_elements=list(keys), set_=rest))


def statuses(store: Store) -> list[dict[str, Any]]:
    """The last status of every service level."""
    columns = sla_status.c
    order = (columns.contract_id, columns.version, columns.dataset, columns.sla)
    with store.begin() as connection:
        return [dict(row) for row in connection.execute(sa.select(sla_status).order_by(*order)).mappings()]


def count_probe(store: Store, contract_id: str, dataset: str, day: str, up: bool) -> None:
    """Count a probe of a day."""
    values = {"contract_id": contract_id, "dataset": dataset, "day": day, "up": int(up), "down": int(not up)}
    insert = (postgresql if store.postgresql else sqlite).insert(probe_days).values(**values)
    more = {"up": probe_days.c.up + int(up), "down": probe_days.c.down + int(not up)}
    with store.begin(writes=True) as connection:
        connection.execute(insert.on_conflict_do_update(index_elements=["contract_id", "dataset", "day"], set_=more))


def probes_since(store: Store, contract_id: str, dataset: str, day: str) -> tuple[int, int]:
    """How many probes since a day found the table, and how many did not."""
    columns = probe_days.c
    chosen = sa.select(sa.func.sum(columns.up), sa.func.sum(columns.down)).where(
        (columns.contract_id == contract_id) & (columns.dataset == dataset) & (columns.day >= day)
    )
    with store.begin() as connection:
        row = connection.execute(chosen).one()
    return int(row[0] or 0), int(row[1] or 0)


def first_seen(store: Store, table_id: str) -> str | None:
    """When a table was first looked at or written to."""
    chosen = sa.select(sa.func.min(check_runs.c.at)).where(check_runs.c.table_id == table_id)
    with store.begin() as connection:
        return connection.execute(chosen).scalar()


def forget_runs(store: Store, before: str) -> None:
    """Remove the monitor's own runs from before a moment; what they found stays in incidents."""
    old = sa.select(check_runs.c.run_id).where((check_runs.c.mode == "monitor") & (check_runs.c.at < before))
    with store.begin() as connection:
        if not connection.execute(old.limit(1)).first():
            return
    with store.begin(writes=True) as connection:
        connection.execute(sa.delete(violations).where(violations.c.run_id.in_(old)))
        connection.execute(sa.delete(check_runs).where(check_runs.c.run_id.in_(old)))
