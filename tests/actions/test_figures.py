"""`floe figures`: from what gates, tests, the monitor and the registry recorded."""

import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from floe.actions.figures import figures
from floe.actions.load.settings import load_settings
from floe.actions.monitor import monitor_check
from floe.cli import main
from floe.model import Severity
from floe.registry import open_store
from floe.registry.incidents import IncidentPlace, ObservedProblem, PlaceReport, settle
from floe.registry.schema import sign_offs
from floe.registry.sla_status import count_probe, keep_status
from floe.system.clock import stamp
from tests.helpers.monitored import FRESH, Clock, fill, promise, settings_of
from tests.helpers.registered import consume, put

NOW = datetime(2026, 1, 20, 12, tzinfo=UTC)
CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: urn:orders
name: orders
version: {version}
status: active
domain: shop
dataProduct: p
schema:
  - name: orders
    properties:
      - {{name: id, physicalType: bigint, description: The order.}}
      - {{name: at, physicalType: timestamp, description: " "}}
      - {{name: to, physicalType: string}}
      - {{name: sum, physicalType: "decimal(9,2)", description: In euro.}}
"""


@pytest.fixture
def settings(tmp_path, registry_url):
    return replace(load_settings({"registry.url": registry_url}, start=tmp_path), clock=lambda: NOW)


def run_of(number, mode, outcome="pass", codes=(), **more):
    """A run as gates and tests record it, `number` hours before now."""
    run: dict[str, Any] = {
        "run_id": f"{number}",
        "at": stamp(NOW - timedelta(hours=number)),
        "actor": "me",
        "contract": "shop.p/orders",
    }
    run |= {"version": "1.0.0", "table_id": "silver.shop.orders", "mode": mode, "outcome": outcome, "refused": False}
    run |= {"written": 0, "seconds": 6.0, "result": {}, **more}
    bad = [
        {"expectation": f"e{place}", "code": code, "name": "x", "severity": severity, "field": "f", "outcome": "fail"}
        for place, (code, severity) in enumerate(codes)
    ]
    return {"run": run, "violations": bad}


def values(found):
    return {one.name: (one.value, one.met) for one in found.figures}


def test_every_figure_from_recorded_facts(settings):
    store = open_store(settings.registry.url, settings.root)
    written = {"written": 5, "snapshot_after": "7"}
    looked = {"snapshot_after": "8", "result": {"committed_at": stamp(NOW - timedelta(hours=3, seconds=594))}}
    for entry in (
        run_of(900, "append", "fail", [("FLOE-E530", "critical")], refused=True),  # before the 30 days
        run_of(20, "append", **written),
        run_of(19, "merge", "fail", [("FLOE-E530", "critical")], refused=True),
        run_of(18, "append", "fail", [("FLOE-E550", "error")], written=3, snapshot_after="6"),
        run_of(17, "test", "fail", [("FLOE-E531", "critical"), ("FLOE-E532", "info")], result={"committed_at": None}),
        run_of(16, "test", "fail", [("FLOE-E531", "critical")]),  # the same drift again
        run_of(3, "monitor", **looked),  # found 594 + 6 seconds after the commit
        run_of(2, "monitor", **looked),
        run_of(1, "monitor", "fail", [("FLOE-E530", "critical")]),
    ):
        store.record(entry, at="2026-01-31T00:00:00.000Z")
    place = IncidentPlace("shop.p/orders", "1.0.0", "orders")
    for day in range(10, 20):  # ten watched days, stale on two of them
        count_probe(store, place.contract_id, place.dataset, f"2026-01-{day}", took="0.1")
    stale, bad = (ObservedProblem(*one, Severity.ERROR, "m") for one in (("freshness", "E560"), ("quality", "E550")))
    settle(store, place, PlaceReport([stale, bad], (), "1", None), datetime(2026, 1, 12, 9, tzinfo=UTC))
    settle(store, place, PlaceReport([], ("freshness", "quality"), "2", None), datetime(2026, 1, 13, 9, tzinfo=UTC))
    put(store, CONTRACT.format(version="1.0.0"))
    consume(store, "shop.p/orders", 1, "ml")
    major = {"bump": "MAJOR"}
    put(store, CONTRACT.format(version="2.0.0"), changes=major, effective_from="2026-01-15T08:00:00.000Z")
    yes = {"contract_id": "shop.p/orders", "version": "2.0.0", "team": "owner", "diff_hash": "h", "at": stamp(NOW)}
    with store.begin(writes=True) as connection:
        connection.execute(sa.insert(sign_offs).values(**yes, decision="override", by="me"))
    assert values(figures(settings)) == {
        "breaking_changes_in_production": (2, False),  # E531 by a test, 2.0.0 against its consumer
        "schema_caused_failures": (60, False),  # 3 of 5 runs
        "quality_incidents": (1, False),
        # days 8 of 10, runs 1 of 5, changes with two weeks' notice 0 of 1: 40 + 6 + 0
        "consumer_trust": (46, False),
        "schema_change_lead_time": (10, False),
        "time_to_detect": (0, True),  # two by the gate, one after ten minutes
        "consumers_told": (0, False),
        "documentation": (50, False),
    }
    week = {one.name: one for one in figures(settings, days=7).figures}
    assert (week["quality_incidents"].value, week["consumer_trust"].detail.split(",")[0]) == (
        None,
        "days that met their SLA 100.0 %",
    )
    (slow,) = [one for one in figures(settings).facts.commits if one.seconds]
    assert (slow.seconds, slow.table) == (600, "silver.shop.orders")


def test_quality_that_was_looked_at_without_an_incident_is_known(settings):
    store = open_store(settings.registry.url, settings.root)
    key = {"contract_id": "a", "version": "1.0.0", "dataset": "t", "sla": "quality"} | dict.fromkeys(
        ("value", "target", "used")
    )
    keep_status(store, [{**key, "status": "unknown", "at": stamp(NOW)}])
    assert values(figures(settings))["quality_incidents"] == (None, None)
    keep_status(store, [{**key, "status": "ok", "at": stamp(NOW)}])
    assert values(figures(settings))["quality_incidents"] == (0, True)


def test_a_commit_that_the_monitor_sees_is_timed_from_the_tables_own_log(tmp_path):
    clock = Clock()
    promise(tmp_path, "orders", FRESH)
    fill(tmp_path, "orders")
    settings = settings_of(tmp_path, clock)
    time.sleep(1.1)  # logs tell whole seconds
    clock.now = datetime.now(UTC)
    assert monitor_check([], settings).exit_code == 0
    assert values(figures(settings))["time_to_detect"] == (None, None)  # it was there before anybody looked
    time.sleep(1.1)
    fill(tmp_path, "orders")
    clock.now = datetime.now(UTC) + timedelta(minutes=2)
    assert monitor_check([], settings).exit_code == 0
    clock.move(minutes=30)
    monitor_check([], settings)  # the same commit
    (commit,) = figures(settings).facts.commits
    assert 119 <= commit.seconds <= 150
    assert values(figures(settings))["breaking_changes_in_production"] == (0, True)


def test_consumers_who_are_told_are_remembered_and_the_page_stands_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["figures"]) == 0
    assert "0 met, 0 missed, 8 unknown" in capsys.readouterr().out
    assert not (tmp_path / ".floe").exists()
    path = promise(tmp_path, "orders")
    promise(tmp_path, "other")
    words = ["publish", "contracts", "--skip-test", "no table yet"]
    assert main(words) == 0
    assert main(["consumers", "add", "shop.p/orders", "--team", "ml", "--contact", "ml@acme.example"]) == 0
    path.write_text(path.read_text().replace("version: 1.0.0", "version: 1.0.1").replace("#orders", "#shop"))
    assert main(words) == 0
    end = str((datetime.now(UTC) + timedelta(days=60)).date())
    assert (
        main(["deprecate", "shop.p/orders", "--reason", "old", "--replacement", "shop.p/other", "--sunset", end]) == 0
    )
    capsys.readouterr()
    assert main(["figures", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    told = next(one for one in said["figures"] if one["name"] == "consumers_told")
    assert (told["value"], told["status"], told["detail"]) == (100, "met", "2 of 2")
    assert said["summary"]["unknown"] == 8 - said["summary"]["met"] - said["summary"]["missed"]
    assert main(["figures", "--format", "html"]) == 0
    page = capsys.readouterr().out
    assert page.count("<section") == 8
    assert "shop.p/orders" in page
    assert not [word for word in ("<script", "src=", "href=", "url(", "@import") if word in page]


def test_days_are_a_number(capsys):
    with pytest.raises(SystemExit):
        main(["figures", "--days", "0"])
    assert "'0' is not a number of days from 1 to 3660" in capsys.readouterr().err
