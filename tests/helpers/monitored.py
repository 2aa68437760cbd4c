"""A small lakehouse to watch: contracts and Delta tables of one's own making, and a clock that obeys."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import sqlalchemy as sa
from deltalake import write_deltalake

from floe.actions.load.settings import load_settings
from floe.registry import open_store
from floe.registry.schema import check_runs, incidents, outbox, sla_status, violations
from floe.settings import Settings

TEXT = """apiVersion: v3.1.0
kind: DataContract
id: urn:{name}
name: {name}
version: {version}
status: {status}
domain: shop
dataProduct: p
team: {{name: shop, members: [{{username: ana@acme.com, role: owner}}]}}
support: [{{channel: "#orders", tool: slack, url: "https://acme.slack.com/orders"}}]
schema:
  - name: {name}
    physicalName: silver.shop.{name}
    properties:
      - {{name: id, physicalType: bigint, required: true}}
      - {{name: at, physicalType: timestamp}}
slaProperties:
{sla}
"""
FRESH = "  - {property: freshness, value: 1, unit: h}"


class Clock:
    """The time, moved by hand: the wall's, and the one that only goes forward."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)
        self.passed = 1000.0

    def __call__(self) -> datetime:
        return self.now

    def monotonic(self) -> float:
        return self.passed

    def move(self, **by: float) -> None:
        step = timedelta(**by)
        self.now += step
        self.passed += step.total_seconds()


def promise(root: Path, name: str, sla: str = FRESH, **said: str) -> Path:
    """Write a contract."""
    path = root / "contracts" / "silver" / "shop" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    values = {"version": "1.0.0", "status": "active", **said}
    path.write_text(TEXT.format(name=name, sla=sla, **values))
    return path


def fill(root: Path, name: str, rows: int = 2, at: datetime | None = None) -> Path:
    """Append rows to a contract's table; the commit is of now."""
    path = root / ".floe" / "warehouse" / "silver_shop" / name
    moments = pa.array([at or datetime.now(UTC)] * rows, pa.timestamp("us", "UTC"))
    write_deltalake(str(path), pa.table({"id": pa.array(range(rows), pa.int64()), "at": moments}), mode="append")
    return path


def settings_of(root: Path, clock: Clock, **given: Any) -> Settings:
    """Settings of a root, at a time of one's own."""
    return replace(load_settings(given, start=root), clock=clock)


def kept(settings: Settings) -> dict[str, list[dict[str, Any]]]:
    """What stands in the registry."""
    store = open_store(settings.registry.url, settings.root)
    found = {}
    with store.begin() as connection:
        for table in (incidents, outbox, sla_status, check_runs, violations):
            rows = connection.execute(sa.select(table)).mappings()
            found[table.name] = [json.loads(json.dumps(dict(row), default=str)) for row in rows]
    return found
