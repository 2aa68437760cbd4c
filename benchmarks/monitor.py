"""What `floe monitor run` needs for many contracts: one process, small Delta and Iceberg tables, the default intervals.

    python benchmarks/monitor.py [--contracts 1000] [--minutes 60]

First a round of freshness and drift of every contract; then an hour of the service. Its clock is the machine's, but it
skips the time in which nothing is due, so that an hour takes as long as its work. PATH has no java, so that a JVM cannot
start. Exits 1 where a bar is missed: a round under 60 s, no slot later than 10 % of its interval, memory flat.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa

from floe.actions.load.settings import load_settings
from floe.actions.monitor import monitor_check
from floe.events.prometheus import Metrics
from floe.model.lease import Lease
from floe.monitor.schedule import Schedule
from floe.monitor.service import Service
from floe.registry import open_store
from floe.settings import Settings

ROUND_BAR, DRIFT_BAR, GROWTH_BAR = 60.0, 0.10, 0.05
CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: urn:{name}
name: {name}
version: 1.0.0
status: active
domain: shop
dataProduct: p
schema:
  - name: {name}
    physicalName: silver.shop.{name}
    properties:
      - {{name: id, physicalType: bigint, required: true}}
      - {{name: at, physicalType: timestamp}}
slaProperties:
  - {{property: freshness, value: 1, unit: d}}
  - {{property: availability, value: 99, unit: percent}}
"""


class Clock:
    """The machine's time, and what was skipped of it."""

    def __init__(self) -> None:
        self.skipped = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.skipped

    def __call__(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.skipped)


@dataclass(slots=True)
class Timed(Schedule):
    """Slots that remember how late they were taken, as a share of their interval."""

    late: list[float] = field(default_factory=list)
    worst: dict[str, float] = field(default_factory=dict)

    def claim(self, busy: Collection[str], most: int) -> tuple[list[Lease], int]:
        before = {name: dict(slots) for name, slots in self._next.items()}
        turns, skipped = Schedule.claim(self, busy, most)
        for turn in turns:
            for kind in turn.kinds:
                if kind in before.get(turn.name, {}):
                    share = (turn.at - before[turn.name][kind]) / self._every[turn.name][kind]
                    self.late.append(share)
                    self.worst[kind] = max(share, self.worst.get(kind, 0.0))
        return turns, skipped


def make(root: Path, count: int) -> None:
    """Contracts and tables, half of them Delta, half Iceberg."""
    from deltalake import write_deltalake
    from pyiceberg.catalog.sql import SqlCatalog

    warehouse = root / ".floe" / "warehouse"
    warehouse.mkdir(parents=True)
    given = {"uri": f"sqlite:///{root}/.floe/iceberg.db", "warehouse": str(warehouse)}
    catalog = SqlCatalog("ice", **given)
    catalog.create_namespace("shop")
    now = datetime.now(UTC)
    moments = pa.array([now, now], pa.timestamp("us", "UTC"))
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), ("at", pa.timestamp("us", "UTC"))])
    rows = pa.table([pa.array([1, 2], pa.int64()), moments], schema=schema)
    folder = root / "contracts" / "silver" / "shop"
    folder.mkdir(parents=True)
    for number in range(count):
        name = f"{'di'[number % 2]}{number:04}"
        if name.startswith("d"):
            write_deltalake(str(warehouse / "silver_shop" / name), rows)
        else:
            catalog.create_table(f"shop.{name}", schema).append(rows)
        (folder / f"{name}.yaml").write_text(CONTRACT.format(name=name))


def settings_of(root: Path, clock: Clock) -> Settings:
    catalog = {
        "type": "sql",
        "uri": f"sqlite:///{root}/.floe/iceberg.db",
        "warehouse": str(root / ".floe" / "warehouse"),
    }
    names = {"silver.shop.i*": "ice.shop.{table}"}
    return replace(load_settings({"catalogs": {"ice": catalog}, "tables.names": names}, start=root), clock=clock)


def memory() -> float:
    """Megabytes that the process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def hour(service: Service, clock: Clock, minutes: int) -> list[float]:
    """Run so many minutes of the service's time; its memory after each five of them, from the first full round on."""
    service.step()
    while not service.idle or service.step() == 0:
        service.wait(service.step())
    held, ends = [memory()], clock.monotonic() + 60 * minutes
    every = clock.monotonic() + 300
    while clock.monotonic() < ends:
        soonest = service.step()
        if service.idle and soonest > 0:
            clock.skipped += min(soonest, max(0.0, ends - clock.monotonic()))
        else:
            service.wait(soonest)
        if clock.monotonic() >= every:
            held.append(memory())
            every += 300
    service.drain(30)
    return held


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contracts", type=int, default=1000)
    parser.add_argument("--minutes", type=int, default=60)
    options = parser.parse_args()
    os.environ["PATH"] = "/nowhere"
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        root, clock = Path(folder), Clock()
        make(root, options.contracts)
        settings = settings_of(root, clock)
        started = time.monotonic()
        result = monitor_check([], settings, kinds=("freshness", "schema_drift"))
        took = time.monotonic() - started
        outcomes = {one.outcome for one in result.watches}
        missed += ["not all were fine"] if outcomes != {"pass"} else []
        missed += ["round"] if took > ROUND_BAR else []
        print(f"round      {len(result.watches):,} freshness and drift checks in {took:.1f} s  bar {ROUND_BAR:g} s")
        store = open_store(settings.registry.url, root)
        schedule = Timed(clock.monotonic)
        service = Service(settings, store, Metrics(), clock.monotonic, slots=schedule)
        started = time.monotonic()
        held = hour(service, clock, options.minutes)
        spent = time.monotonic() - started
        worst = max(schedule.worst.values(), default=0.0)
        missed += ["drift"] if worst > DRIFT_BAR else []
        most = ", ".join(f"{kind} {share:.1%}" for kind, share in sorted(schedule.worst.items()))
        print(
            f"service    {options.minutes} minutes of slots in {spent:.0f} s of work, {len(schedule.late):,} slots taken"
        )
        print(f"drift      latest {worst:.1%} of its interval  bar {DRIFT_BAR:.0%}  ({most})")
        third = max(1, len(held) // 3)
        growth = min(held[-third:]) / min(held[:third]) - 1
        missed += ["memory"] if growth > GROWTH_BAR else []
        print(
            f"memory     {held[0]:.0f} MB after the first round, {held[-1]:.0f} MB at the end, {growth:+.1%}  bar {GROWTH_BAR:.0%}"
        )
        missed += ["a JVM"] if "pyspark" in sys.modules else []
    print("missed: " + ", ".join(missed) if missed else "all bars kept")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
