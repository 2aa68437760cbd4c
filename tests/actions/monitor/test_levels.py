"""Service levels over time, by facts set by hand: the error budget, how fast probes answer, how long repairs take."""

from datetime import UTC, datetime, timedelta

import pytest

from floe.actions.monitor import monitor_check, monitor_status
from floe.cli import main
from floe.registry import open_store
from floe.registry.sla_status import count_probe
from tests.helpers.monitored import Clock, fill, kept, promise, settings_of


@pytest.fixture
def clock():
    return Clock()


def only(result):
    (watch,) = result.watches
    return watch


def check_of(watch, kind):
    return next((one for one in watch.checks if one.kind == kind), None)


def probed(settings, day: datetime, *took: str | None) -> None:
    """Probes of a day: milliseconds, or None where the table was not found."""
    store = open_store(settings.registry.url, settings.root)
    for one in took:
        count_probe(store, "shop.p/orders", "orders", day.isoformat()[:10], one)


def test_the_ninety_ninth_percentile_of_probes(tmp_path, clock, registry_url):
    """Of 98 probes none says anything; with the look's own there are 99, with the next 100, of which one was slow."""
    promise(tmp_path, "orders", "  - {property: latencyP99, value: 60, unit: s}")
    fill(tmp_path, "orders")
    settings = settings_of(tmp_path, clock, **{"registry.url": registry_url})
    probed(settings, clock.now - timedelta(days=29), *["20"] * 96, "90000")
    probed(settings, clock.now - timedelta(days=30), *["900000"] * 50)  # too long ago
    few = check_of(only(monitor_check([], settings)), "latency")
    assert (few.outcome.outcome, few.outcome.cause) == ("not_evaluated", "97 of 100 required probes")
    for _ in range(2):
        monitor_check([], settings)
    kept_ = check_of(only(monitor_check([], settings)), "latency")
    assert (kept_.status, kept_.value < 60, kept_.target) == ("ok", True, 60)
    probed(settings, clock.now, "120000")
    slow = check_of(only(monitor_check([], settings)), "latency")
    assert (slow.outcome.code, slow.status, slow.value) == ("E562", "error", 90.0)
    assert slow.outcome.message == "99 % of 102 probes answered within 90 s, the contract requires 60 s"


def test_the_time_to_repair_is_that_of_open_incidents(tmp_path, clock):
    """Stale after an hour; two hours are promised for the repair, of which 80 % are 96 minutes."""
    sla = "  - {property: freshness, value: 1, unit: h}\n  - {property: timeToRepair, value: 2, unit: h}"
    promise(tmp_path, "orders", sla)
    fill(tmp_path, "orders")
    settings = settings_of(tmp_path, clock)
    seen = []
    for minutes in (0, 61, 95, 3, 23):  # broken at 61; lasting 0, 95, 98, 121
        clock.move(minutes=minutes)
        seen.append(check_of(only(monitor_check([], settings)), "recovery"))
    assert [one.status for one in seen] == ["ok", "ok", "ok", "info", "error"]
    assert seen[-1].outcome.code == "E563"
    assert seen[-1].outcome.message == "An incident is open for 2h 1min, the contract requires repair within 2h"
    assert {one["code"] for one in kept(settings)["incidents"]} == {"E560", "E563"}
    clock.now = datetime.now(UTC) + timedelta(seconds=5)
    fill(tmp_path, "orders")
    monitor_check([], settings)
    assert check_of(only(monitor_check([], settings)), "recovery").status == "ok"
    assert all(one["closed_at"] for one in kept(settings)["incidents"])


def test_the_error_budget_is_in_the_status(tmp_path, clock, monkeypatch, capsys):
    """90 % are promised: of 40 probes four may fail, and one did."""
    promise(tmp_path, "orders", "  - {property: availability, value: 90, unit: percent}")
    fill(tmp_path, "orders")
    settings = settings_of(tmp_path, clock)
    probed(settings, clock.now, *["20"] * 38, None)
    monitor_check([], settings)
    row = next(one for one in monitor_status(settings)["statuses"] if one["sla"] == "availability")
    assert (row["status"], row["used"]) == ("ok", 0.25)
    monkeypatch.chdir(tmp_path)
    assert main(["monitor", "status"]) == 0
    assert "availability ok (error budget: 75% left)" in capsys.readouterr().out
