"""Fault 32 to 37 through the service and `floe monitor check`: gaps, bad neighbours, clocks and zones, empty tables."""

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
import sqlalchemy as sa
from deltalake import write_deltalake

from floe.actions.monitor import monitor_check
from floe.registry import open_store
from floe.registry.schema import probe_days
from tests.helpers.monitored import FRESH, Clock, fill, kept, promise, settings_of
from tests.helpers.service import numbers, round_of, service_of

YEAR = FRESH.replace("unit: h", "unit: y")


def only(result):
    (watch,) = result.watches
    return watch


def check_of(watch, kind):
    return next(one for one in watch.checks if one.kind == kind)


def test_a_day_without_a_monitor_is_one_look_and_neither_up_nor_down(tmp_path):
    clock = Clock()
    promise(tmp_path, "orders", "  - {property: availability, value: 50, unit: percent}")
    fill(tmp_path, "orders")
    service = service_of(tmp_path, clock)
    for hours in (1, 24, 1):
        round_of(service)
        clock.move(hours=hours)
    with service.store.begin() as connection:
        days = connection.execute(sa.select(probe_days.c.up, probe_days.c.down)).all()
    assert (sum(row[0] for row in days), sum(row[1] for row in days)) == (3, 0)
    assert len(kept(service.settings)["check_runs"]) == 3


def test_one_bad_among_a_hundred(tmp_path):
    """One contract's table is of a format nobody knows, its log is damaged, or it is gone: 97 others are fine."""
    clock = Clock()
    for number in range(97):
        promise(tmp_path, f"t{number}", YEAR)
        fill(tmp_path, f"t{number}")
    path = promise(tmp_path, "hudi", YEAR)
    server = "servers: [{server: s, type: s3, location: /nowhere/hudi, format: hudi}]\n"
    path.write_text(path.read_text().replace("schema:\n", f"{server}schema:\n", 1))
    promise(tmp_path, "gone", YEAR)
    promise(tmp_path, "damaged", YEAR)
    (log,) = (fill(tmp_path, "damaged") / "_delta_log").glob("*.json")
    log.write_text("{not json")
    service = service_of(tmp_path, clock)
    round_of(service)
    up = numbers(service, "floe_contract_availability_up")
    assert {name for name, value in up.items() if not value} == {"hudi", "gone", "damaged"}
    assert len(up) == 100
    errors = numbers(service, "floe_contract_check_errors_total")
    assert {name for name, count in errors.items() if count} == {"hudi", "gone", "damaged"}
    assert service.ready
    assert service.result.exit_code == 1
    found = {one["dataset"]: one["message"] for one in kept(service.settings)["incidents"] if one["code"] == "E561"}
    assert "missing" in found["gone"]
    assert "hudi" in found["hudi"]


def test_a_contract_with_a_senseless_interval_stops_no_other(tmp_path):
    path = promise(tmp_path, "often", YEAR)
    own = "customProperties: [{property: monitoring, value: {freshness: often}}]\n"
    path.write_text(path.read_text().replace("schema:\n", f"{own}schema:\n", 1))
    promise(tmp_path, "orders", YEAR)
    fill(tmp_path, "orders")
    service = service_of(tmp_path, Clock())
    round_of(service)
    assert numbers(service, "floe_contract_availability_up") == {"orders": 1}
    assert list(numbers(service, "floe_contract_check_errors_total").values()) == [1]
    assert (service.ready, service.result.exit_code) == (True, 2)


def test_compiled_artifacts_that_vanish_or_come_back_are_told_and_read_again(tmp_path):
    promise(tmp_path, "orders", YEAR)
    fill(tmp_path, "orders")
    clock = Clock()
    service = service_of(tmp_path, clock)
    compiled = tmp_path / "compiled_artifacts.json"
    states = []
    for text in (None, '{"format": "floe/compiled-artifacts/v9"}', None):
        compiled.unlink(missing_ok=True)
        if text:
            compiled.write_text(text)
        round_of(service)
        states.append((service.ready, service.health()["contracts"]))
        clock.move(minutes=2)
    assert states == [(True, 1), (False, 1), (True, 1)]


def test_a_table_that_floe_may_not_read_is_down_for_that_cause(tmp_path):
    promise(tmp_path, "orders", YEAR)
    promise(tmp_path, "open", YEAR)
    closed = fill(tmp_path, "orders")
    fill(tmp_path, "open")
    settings = settings_of(tmp_path, Clock())
    monitor_check([], settings)  # loads what nobody may not load
    with _as_nobody(tmp_path, closed):
        found = {one.dataset: one for one in monitor_check([], settings).watches}
    assert found["open"].outcome == "pass"
    down = check_of(found["orders"], "availability").outcome
    assert (down.code, down.outcome, down.actual) == ("E561", "fail", "permission")


@contextmanager
def _as_nobody(root: Path, closed: Path) -> Iterator[None]:
    """A folder is closed to everybody, and we are nobody: root may read anything."""
    for path in (root, *root.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    for above in root.parents:
        if str(above).startswith("/tmp/"):
            above.chmod(above.stat().st_mode | 0o011)
    closed.chmod(0)
    before = os.geteuid()
    if before == 0:
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
    try:
        yield
    finally:
        os.seteuid(before)
        closed.chmod(0o755)


def _naive(root: Path, name: str, *values: datetime | None) -> None:
    """A table of times without a zone."""
    path = root / ".floe" / "warehouse" / "silver_shop" / name
    rows = pa.table({"id": pa.array(range(len(values)), pa.int64()), "at": pa.array(values, pa.timestamp("us"))})
    write_deltalake(str(path), rows, mode="append")


def _ntz(root: Path, name: str, zone: str | None) -> None:
    path = promise(root, name, f"  - {{property: freshness, value: 2, unit: h, element: {name}.at}}")
    meant = f", logicalType: timestamp, logicalTypeOptions: {{defaultTimezone: {zone}}}" if zone else ""
    text = path.read_text().replace("physicalType: timestamp}", f"physicalType: timestamp_ntz{meant}}}")
    path.write_text(text)


@pytest.mark.parametrize(
    ("zone", "local", "now", "hours"),
    [
        # clocks went back at 03:00 (01:00 UTC) and are at +01:00
        ("Europe/Berlin", datetime(2026, 10, 25, 6, 30), datetime(2026, 10, 25, 6, 30), 1.0),
        # clocks go back in the hours to come; 23:30 is still at +02:00
        ("Europe/Berlin", datetime(2026, 10, 24, 23, 30), datetime(2026, 10, 25, 3, 30), 6.0),
        # clocks went forward at 02:00 and are at -04:00
        ("America/New_York", datetime(2026, 3, 8, 6, 0), datetime(2026, 3, 8, 12, 0), 2.0),
        # clocks went back by half an hour at 02:00 and are at +10:30
        ("Australia/Lord_Howe", datetime(2026, 4, 5, 6, 0), datetime(2026, 4, 4, 20, 0), 0.5),
        ("Australia/Lord_Howe", datetime(2026, 4, 4, 20, 0), datetime(2026, 4, 4, 20, 0), 11.0),
        (None, datetime(2028, 2, 29, 10, 0), datetime(2028, 2, 29, 11, 30), 1.5),  # UTC, on a leap day
    ],
)
def test_times_without_a_zone_are_meant_in_the_declared_one(tmp_path, zone, local, now, hours):
    clock = Clock()
    clock.now = now.replace(tzinfo=UTC)
    _ntz(tmp_path, "orders", zone)
    _naive(tmp_path, "orders", local, local - timedelta(days=200))
    check = check_of(only(monitor_check([], settings_of(tmp_path, clock), kinds=("freshness",))), "freshness")
    assert (check.value, check.outcome.how) == (hours, "metadata")
    assert (check.outcome.outcome == "pass") is (hours <= 2)


def test_a_column_of_nulls_is_not_evaluated_then_stale(tmp_path):
    clock = Clock()
    _ntz(tmp_path, "orders", None)
    _naive(tmp_path, "orders", None, None)
    settings = settings_of(tmp_path, clock)
    seen = []
    for _ in range(3):
        seen.append(check_of(only(monitor_check([], settings, kinds=("freshness",))), "freshness"))
        clock.move(minutes=61)
    assert [one.status for one in seen] == ["unknown", "unknown", "error"]
    assert (seen[0].outcome.code, seen[2].outcome.code) == ("E580", "E560")


def test_an_empty_table_answers_its_row_count_and_no_share(tmp_path):
    path = promise(tmp_path, "orders", YEAR)
    rule = "    quality:\n      - {metric: rowCount, mustBeGreaterThan: 0, severity: error}\n"
    text = path.read_text().replace("slaProperties:", f"{rule}slaProperties:")
    share = "quality: [{metric: nullValues, unit: percent, mustBeLessThan: 5}]"
    path.write_text(text.replace("name: at, physicalType: timestamp", f"name: at, physicalType: timestamp, {share}"))
    fill(tmp_path, "orders", rows=0)
    found = {
        one.outcome.name: one.outcome
        for one in only(monitor_check([], settings_of(tmp_path, Clock()), kinds=("quality",))).checks
    }
    outcomes = {name: one.outcome for name, one in found.items()}
    assert "fail" in [one.outcome for one in found.values() if ".rowCount" in one.id or "rowCount" in one.id], outcomes
    assert "not_evaluated" in [one.outcome for one in found.values() if "nullValues" in one.id], outcomes


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
def test_slots_pass_through_a_change_of_clocks(tmp_path, zone):
    """Availability every 15 minutes over the night of the change: one look per slot, whatever walls show."""
    clock = Clock()
    change = {"Europe/Berlin": (10, 24, 22), "America/New_York": (11, 1, 4), "Australia/Lord_Howe": (4, 4, 13)}[zone]
    month, day, hour = change
    clock.now = datetime(2026, month, day, hour, tzinfo=UTC).astimezone(ZoneInfo(zone))
    path = promise(tmp_path, "orders", YEAR)
    often = "customProperties: [{property: monitoring, value: {availability: 15m}}]\n"
    path.write_text(path.read_text().replace("schema:\n", f"{often}schema:\n", 1))
    fill(tmp_path, "orders")
    service = service_of(tmp_path, clock)
    for _ in range(4 * 5):
        round_of(service)
        clock.move(minutes=15)
    runs = sorted(run["at"] for run in kept(service.settings)["check_runs"])
    assert len(runs) == len(set(runs)) == 20
    store = open_store(service.settings.registry.url, tmp_path)
    with store.begin() as connection:
        assert connection.execute(sa.select(sa.func.sum(probe_days.c.up))).scalar() == 20


def test_what_only_found_a_table_readable_is_forgotten_after_two_days(tmp_path):
    promise(tmp_path, "orders", YEAR)
    fill(tmp_path, "orders")
    clock = Clock()
    service = service_of(tmp_path, clock)
    for _ in range(3):  # with all kinds, then twice availability alone
        round_of(service)
        clock.move(minutes=5)
    assert len(kept(service.settings)["check_runs"]) == 3
    clock.move(days=3)
    round_of(service)
    assert len(kept(service.settings)["check_runs"]) == 2
