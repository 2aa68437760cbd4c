"""`floe monitor check`: what is seen, kept and told, on real Delta tables without a JVM."""

import json
import os
import shutil
import sys
import time
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families

from floe.actions.monitor import MonitorResult, monitor_check, monitor_status
from floe.cli import main
from floe.events.prometheus import Metrics
from floe.registry import open_store
from floe.registry.incidents import open_incidents
from floe.registry.schema import versions
from tests.helpers.consumers import register_text
from tests.helpers.monitored import FRESH, Clock, fill, kept, promise, settings_of


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def shop(tmp_path, clock, registry_url):
    """A root with one fresh table."""
    promise(tmp_path, "orders")
    fill(tmp_path, "orders")
    return settings_of(tmp_path, clock, **{"registry.url": registry_url})


def samples(result: MonitorResult) -> dict[tuple, float]:
    metrics = Metrics()
    for one in result.watches:
        metrics.take(one)
    families = text_string_to_metric_families(metrics.text())
    return {(s.name, *sorted(s.labels.items())): s.value for family in families for s in family.samples}


def only(result):
    (watch,) = result.watches
    return watch


def check_of(watch, kind):
    return next(one for one in watch.checks if one.kind == kind)


def test_a_stale_table_is_told_everywhere_by_the_same_name(shop, clock):
    assert monitor_check([], shop).exit_code == 0
    clock.move(hours=3)
    result = monitor_check([], shop)
    assert result.exit_code == 1
    check = check_of(only(result), "freshness")
    assert (check.outcome.code, str(check.level), check.type) == ("E560", "error", "freshness_violation")
    found = kept(shop)
    (incident,) = found["incidents"]
    named = ("shop.p/orders", "1.0.0", "orders")
    assert (incident["contract_id"], incident["version"], incident["dataset"]) == named
    assert (incident["code"], incident["severity"], incident["closed_at"]) == ("E560", "error", None)
    (message,) = found["outbox"]
    said = message["payload"]
    assert (message["sink"], said["kind"], said["event"]) == ("notification", "contract-incident", "opened")
    assert (said["contract"], said["version"], said["dataset"], said["code"]) == (*named, "FLOE-E560")
    assert (said["owner"], said["support"]) == ("ana@acme.com", ["#orders slack https://acme.slack.com/orders"])
    labels = {"contract": "shop.p/orders", "version": "1.0.0", "dataset": "orders"}
    counted = {**labels, "code": "FLOE-E560", "type": "freshness_violation", "severity": "error"}
    numbers = samples(result)
    assert numbers["floe_contract_violations_total", *sorted(counted.items())] == 1
    assert numbers["floe_contract_freshness_hours", *sorted(labels.items())] == pytest.approx(3, abs=0.05)
    run = next(one for one in found["check_runs"] if one["run_id"] == incident["run_id"])
    assert (run["mode"], run["contract"], run["version"], run["outcome"]) == ("monitor", *named[:2], "fail")
    (violation,) = found["violations"]
    assert violation["code"] == "FLOE-E560"
    status = {row["sla"]: row["status"] for row in found["sla_status"]}
    assert status == {
        "availability": "ok",
        "freshness": "error",
        "schema_drift": "ok",
        "quality": "ok",
        "deprecation": "ok",
    }


def test_a_new_commit_closes_the_incident_and_says_so(shop, clock, tmp_path):
    clock.move(hours=3, minutes=5)  # the commit is a moment younger than the clock's beginning
    monitor_check([], shop)
    fill(tmp_path, "orders", at=clock.now)
    clock.now = datetime.now(UTC) + timedelta(seconds=5)
    assert monitor_check([], shop).exit_code == 0
    found = kept(shop)
    assert [one["closed_at"] is not None for one in found["incidents"]] == [True]
    assert [one["payload"]["event"] for one in found["outbox"]] == ["opened", "closed"]
    assert found["outbox"][1]["payload"]["message"].startswith("Over: The last commit is 3h")
    assert monitor_status(shop)["incidents"] == []


def test_the_ladder_on_a_table_that_grows_old(shop, clock):
    """One hour is promised: 48 minutes are 80 %, 54 are 90 %; the third breach within a day is critical."""
    seen = []
    for minutes in (40, 9, 6, 10, 10, 10):  # 40, 49, 55, 65, 75, 85
        clock.move(minutes=minutes)
        seen.append(check_of(only(monitor_check([], shop)), "freshness").status)
    assert seen == ["ok", "info", "warning", "error", "error", "critical"]
    events = [(one["payload"]["event"], one["payload"]["severity"]) for one in kept(shop)["outbox"]]
    assert events == [("opened", "warning"), ("worsened", "error"), ("worsened", "critical")]


def test_the_same_again_within_half_an_hour_is_not_told(shop, clock, tmp_path):
    clock.move(hours=3)
    monitor_check([], shop)
    first = clock.now
    for _ in range(2):
        clock.now = datetime.now(UTC) + timedelta(seconds=5)
        fill(tmp_path, "orders")
        monitor_check([], shop)
        clock.now = first = first + timedelta(minutes=10)
        monitor_check([], shop)
    found = kept(shop)
    assert len(found["incidents"]) == 3
    told = [(one["payload"]["event"], one["payload"]["severity"]) for one in found["outbox"]]
    # opened; closed; opened again is not told; its end neither; the third breach is critical, so it is told
    assert told == [("opened", "error"), ("closed", "error"), ("opened", "critical")]


def test_warn_records_and_tells_nobody(tmp_path, clock):
    promise(tmp_path, "orders")
    fill(tmp_path, "orders")
    settings = settings_of(tmp_path, clock, **{"data_contracts.enforcement": "warn"})
    clock.move(hours=3)
    assert monitor_check([], settings).exit_code == 1
    assert [len(kept(settings)[name]) for name in ("incidents", "outbox")] == [1, 0]


def test_off_watches_nothing(tmp_path, clock):
    promise(tmp_path, "orders")
    settings = settings_of(tmp_path, clock, **{"data_contracts.enforcement": "off"})
    assert monitor_check([], settings).watches == ()


def test_one_broken_contract_stops_no_other(tmp_path, clock):
    for name in ("a", "b", "c"):
        promise(tmp_path, name)
        fill(tmp_path, name)
    path = promise(tmp_path, "broken")
    path.write_text(path.read_text().replace("kind: DataContract", "kind: DataContract\nkind: twice"))
    result = monitor_check([], settings_of(tmp_path, clock))
    outcomes = {one.dataset or "broken": one.outcome for one in result.watches}
    assert outcomes == {"a": "pass", "b": "pass", "c": "pass", "broken": "not_evaluated"}
    assert "FLOE-E509" in (result.watches[0].error or "")
    assert result.exit_code == 2


def test_a_missing_table_is_down_and_all_else_is_not_evaluated(shop, tmp_path):
    shutil.rmtree(tmp_path / ".floe" / "warehouse" / "silver_shop" / "orders")
    watch = only(monitor_check([], shop))
    down = check_of(watch, "availability")
    assert (down.outcome.code, down.outcome.outcome, down.outcome.actual) == ("E561", "fail", "missing")
    assert {check_of(watch, kind).outcome.outcome for kind in ("freshness", "schema_drift")} == {"not_evaluated"}
    labels = sorted({"contract": "shop.p/orders", "version": "1.0.0", "dataset": "orders"}.items())
    numbers = samples(MonitorResult((watch,)))
    assert numbers["floe_contract_availability_up", *labels] == 0
    assert numbers["floe_contract_check_errors_total", *labels] == 1
    assert ("floe_contract_freshness_hours", *labels) not in numbers


def test_a_data_file_that_is_gone_or_not_parquet_is_down(shop, tmp_path):
    table = tmp_path / ".floe" / "warehouse" / "silver_shop" / "orders"
    (file,) = table.glob("*.parquet")
    size = file.stat().st_size
    file.write_bytes(b"x" * size)
    assert check_of(only(monitor_check([], shop)), "availability").outcome.actual == "unreadable"
    file.unlink()
    assert check_of(only(monitor_check([], shop)), "availability").outcome.actual == "missing"


def test_a_catalog_that_does_not_answer_is_told_apart(tmp_path, clock):
    promise(tmp_path, "orders")
    given = {
        "tables.format": "iceberg",
        "catalogs": {"ice": {"type": "rest", "uri": "http://127.0.0.1:1", "warehouse": "w"}},
    }
    watch = only(monitor_check([], settings_of(tmp_path, clock, **given)))
    assert check_of(watch, "availability").outcome.actual == "catalog"


def test_availability_of_thirty_days_against_its_budget(tmp_path, clock):
    """90 % are promised: of 20 probes two may fail; at the third the budget is used up."""
    promise(tmp_path, "orders", "  - {property: availability, value: 90, unit: percent}")
    table = fill(tmp_path, "orders")
    settings = settings_of(tmp_path, clock)
    levels = []
    for number in range(20):
        away = table.with_name("away")
        if number in (5, 6, 7):
            table.rename(away)
        watch = only(monitor_check([], settings))
        if number in (5, 6, 7):
            away.rename(table)
        budget = [one for one in watch.checks if one.outcome.name == "availability-below-promise"]
        levels.append(budget[0].status if budget else None)
        clock.move(days=1)
    assert levels[:9] == [None] * 9
    assert levels[9] in ("error", "critical")  # 3 of 10 failed
    assert levels[19] in ("error", "critical")  # 3 of 20 are 15 %
    clock.move(days=20)
    last = only(monitor_check([], settings))
    assert not [one for one in last.checks if one.outcome.name == "availability-below-promise" and one.level]


def test_a_clock_that_goes_back_makes_nothing_stale_and_is_told(shop, clock):
    clock.move(hours=-5)
    watch = only(monitor_check([], shop))
    assert check_of(watch, "freshness").status == "ok"
    assert check_of(watch, "freshness").value == 0
    assert [note[:10] for note in watch.notes] == ["clock_skew"]
    assert samples(MonitorResult((watch,)))["floe_monitor_clock_skew_total",] == 1


def test_an_empty_table_is_stale_once_it_is_known_for_longer_than_promised(tmp_path, clock):
    promise(tmp_path, "orders")
    fill(tmp_path, "orders", rows=0)
    settings = settings_of(tmp_path, clock)
    seen = []
    for _ in range(4):
        seen.append(check_of(only(monitor_check([], settings)), "freshness"))
        clock.move(minutes=25)
    assert [one.status for one in seen] == ["unknown", "unknown", "unknown", "error"]
    assert (seen[0].outcome.code, seen[3].outcome.code) == ("E580", "E560")
    assert "has no rows 1h 15min after its first check" in seen[3].outcome.message


def test_a_column_more_is_a_warning_at_silver(tmp_path, clock):
    path = promise(tmp_path, "orders")
    path.write_text(path.read_text().replace("      - {name: at, physicalType: timestamp}\n", ""))
    fill(tmp_path, "orders")
    watch = only(monitor_check([], settings_of(tmp_path, clock)))
    drift = check_of(watch, "schema_drift")
    assert (drift.outcome.code, drift.status, watch.outcome) == ("E532", "warning", "pass")


def test_a_column_that_is_gone_is_critical_drift(tmp_path, clock):
    path = promise(tmp_path, "orders")
    path.write_text(path.read_text().replace("name: at,", "name: elsewhere,"))
    fill(tmp_path, "orders")
    result = monitor_check([], settings_of(tmp_path, clock))
    assert "E531" in {one.outcome.code for one in only(result).checks}
    assert result.exit_code == 1
    labels = sorted({"contract": "shop.p/orders", "version": "1.0.0", "dataset": "orders"}.items())
    assert samples(result)["floe_contract_schema_drift_detected", *labels] == 1


def test_a_score_below_the_threshold_is_a_warning(tmp_path, clock):
    path = promise(tmp_path, "orders")
    rule = "    quality:\n      - {metric: rowCount, mustBeGreaterThan: 10, severity: warning}\n"
    path.write_text(path.read_text().replace("slaProperties:", f"{rule}slaProperties:"))
    fill(tmp_path, "orders")
    watch = only(monitor_check([], settings_of(tmp_path, clock)))
    # null-value of id is an error (4) and kept, rowCount a warning (2) and not: 4 of 6
    low = next(one for one in watch.checks if one.outcome.name == "quality-score-low")
    assert (low.outcome.code, low.status, low.value) == ("E556", "warning", 66.67)
    other = settings_of(tmp_path, clock, **{"data_contracts.monitoring.quality.threshold": 60})
    assert not [
        one for one in only(monitor_check([], other)).checks if one.outcome.name == low.outcome.name and one.level
    ]


@pytest.mark.parametrize(
    ("status", "code", "level", "exit_code"),
    [("deprecated", "E570", "warning", 0), ("sunset", "E571", "error", 1), ("retired", "E572", "error", 1)],
)
def test_a_contract_that_ends_is_told(tmp_path, clock, status, code, level, exit_code):
    promise(tmp_path, "orders", status=status)
    fill(tmp_path, "orders")
    result = monitor_check([], settings_of(tmp_path, clock))
    check = check_of(only(result), "deprecation")
    assert (check.outcome.code, check.status, result.exit_code) == (code, level, exit_code)
    gauges = [name for name, *_ in samples(result) if name.startswith("floe_contract_freshness")]
    assert bool(gauges) is (status != "retired")


def test_who_uses_a_sunset_contract_is_told_every_day(tmp_path, clock):
    promise(tmp_path, "orders", sla="  - {property: freshness, value: 1, unit: y}", status="sunset")
    fill(tmp_path, "orders")
    settings = settings_of(tmp_path, clock)
    for _ in range(5):
        monitor_check([], settings)
        clock.move(hours=12)
    told = [one["payload"]["event"] for one in kept(settings)["outbox"]]
    assert told == ["opened", "reminded", "reminded"]


def test_what_a_table_may_cost(tmp_path, clock):
    path = promise(tmp_path, "orders")
    budget = 'customProperties: [{property: costBudget, value: {storage: "10 B"}}]\n'
    path.write_text(path.read_text().replace("schema:\n", f"{budget}schema:\n", 1))
    fill(tmp_path, "orders")
    check = check_of(only(monitor_check([], settings_of(tmp_path, clock))), "cost")
    assert (check.outcome.code, check.status) == ("E565", "error")


def test_compiled_artifacts_come_first_and_a_strange_form_is_refused(tmp_path, clock, capsys, monkeypatch):
    promise(tmp_path, "orders")
    fill(tmp_path, "orders")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "floe.yaml").write_text(
        "metadata: {name: p, domain: shop, version: 1.0.0, owner: ana@acme.com, repository: github.com/acme/shop}\n"
        "output_ports: [{name: sold, table: silver.shop.sold, columns: {id: bigint}}]\n"
    )
    assert main(["compile", "."]) == 0
    found = monitor_check([], settings_of(tmp_path, clock))
    assert "sold" in {one.dataset for one in found.watches}
    compiled = tmp_path / "compiled_artifacts.json"
    compiled.write_text(json.dumps({**json.loads(compiled.read_text()), "format": "floe/compiled-artifacts/v9"}))
    capsys.readouterr()
    assert main(["monitor", "check", "--all"]) == 2
    assert "floe/compiled-artifacts/v9" in capsys.readouterr().err


def test_the_command_says_it_and_the_file_of_notifications_has_it(tmp_path, monkeypatch, capsys):
    promise(tmp_path, "orders", FRESH.replace("value: 1, unit: h", "value: 1, unit: s"))
    table = fill(tmp_path, "orders")
    old = datetime.now(UTC) - timedelta(hours=2)
    (log,) = (table / "_delta_log").glob("*.json")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        if "commitInfo" in line:
            line["commitInfo"]["timestamp"] = int(old.timestamp() * 1000)
    log.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    monkeypatch.chdir(tmp_path)
    assert main(["monitor", "check", "--all", "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    (result,) = said["results"]
    assert said["summary"] == {"datasets": 1, "pass": 0, "fail": 1, "not_evaluated": 0}
    assert [(one["event"], one["code"]) for one in result["incidents"]] == [("opened", "FLOE-E560")]
    (line,) = (tmp_path / ".floe" / "notifications.jsonl").read_text().splitlines()
    assert json.loads(line)["payload"]["code"] == "FLOE-E560"
    assert main(["monitor", "check", "silver.shop.orders"]) == 1
    text = capsys.readouterr().out
    assert "✗ shop.p/orders:1.0.0 orders: failed" in text
    assert "FLOE-E560 error freshness: The last commit is 2h" in text
    assert main(["monitor", "status"]) == 0
    assert "1 open incident" in capsys.readouterr().out
    assert main(["monitor", "check"]) == 2
    assert main(["monitor", "check", "nobody"]) == 2


def test_the_registry_is_asked_where_there_are_no_files(tmp_path, clock, registry_url):
    path = promise(tmp_path, "orders")
    register_text(registry_url, tmp_path, path.read_text())
    path.unlink()
    fill(tmp_path, "orders")
    settings = settings_of(tmp_path, clock, **{"registry.url": registry_url})
    assert [one.outcome for one in monitor_check([], settings).watches] == ["pass"]
    assert [one.outcome for one in monitor_check(["shop.p/orders"], settings).watches] == ["pass"]


def test_a_contract_that_was_tampered_with_is_not_used_and_the_metric_says_so(tmp_path, clock, registry_url):
    """Fault 15: refused, and an alarm; the others are watched."""
    for name in ("orders", "items"):
        path = promise(tmp_path, name)
        register_text(registry_url, tmp_path, path.read_text())
        path.unlink()
        fill(tmp_path, name)
    settings = settings_of(tmp_path, clock, **{"registry.url": registry_url})
    with open_store(registry_url, tmp_path).begin(writes=True) as connection:
        mine = versions.c.contract_id == "shop.p/orders"
        connection.execute(versions.update().where(mine).values(effective="{}"))
    result = monitor_check([], settings)
    assert {one.contract: one.outcome for one in result.watches} == {
        "shop.p/items": "pass",
        "shop.p/orders": "not_evaluated",
    }
    assert result.exit_code == 2
    labels = sorted({"contract": "shop.p/orders", "version": "", "dataset": ""}.items())
    assert samples(result)["floe_contract_check_errors_total", *labels] == 1


def test_nothing_to_watch_is_no_success(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for words in (["check", "--all"], ["run", "--once"]):
        assert main(["monitor", *words]) == 2
        assert "0 datasets checked: no contract found" in capsys.readouterr().out
    assert main(["monitor", "check"]) == 2
    assert "No contract given" in capsys.readouterr().err


def test_one_round_of_the_service_says_and_logs_what_it_saw(tmp_path, monkeypatch, capsys, caplog):
    monkeypatch.chdir(tmp_path)
    caplog.set_level("INFO", "floe.monitor")
    assert main(["monitor", "run", "nobody", "--once"]) == 2
    assert "FLOE-E500: Unknown contract 'nobody'" in capsys.readouterr().out
    assert "monitored contracts: 1" in caplog.messages
    assert any(one.startswith("nobody: not_evaluated FLOE-E500") for one in caplog.messages)


def test_nothing_starts_a_jvm(shop, monkeypatch):
    monkeypatch.setitem(os.environ, "PATH", "/nowhere")
    before = "pyspark" in sys.modules
    monitor_check([], shop)
    assert ("pyspark" in sys.modules) is before


def test_what_is_open_is_listed_worst_first(shop, clock, tmp_path):
    promise(tmp_path, "gone")
    clock.move(minutes=56)
    monitor_check([], shop)
    store = open_store(shop.registry.url, shop.root)
    assert [one["severity"] for one in open_incidents(store)] == ["error", "warning"]


def test_the_age_of_a_column_is_read_from_the_log(tmp_path, clock):
    """Freshness of `at`: the newest value, of the last file or an older one; rows from the future do not count."""
    promise(tmp_path, "orders", "  - {property: freshness, value: 1, unit: h, element: orders.at}")
    for minutes in (30, 90):
        fill(tmp_path, "orders", at=clock.now - timedelta(minutes=minutes))
    settings = settings_of(tmp_path, clock)
    check = check_of(only(monitor_check([], settings)), "freshness")
    assert (check.status, check.outcome.how, check.outcome.field) == ("ok", "metadata", "orders.at")
    assert check.value == pytest.approx(0.5, abs=0.01)
    clock.move(minutes=40, seconds=30)
    check = check_of(only(monitor_check([], settings)), "freshness")
    assert (check.status, check.outcome.actual) == ("error", "1h 10min")
    assert check.outcome.message.startswith("The newest row is 1h 10min old")


@pytest.mark.soak
def test_a_round_over_a_thousand_tables_stays_below_a_minute(tmp_path, clock):
    for number in range(1000):
        promise(tmp_path, f"t{number}")
        fill(tmp_path, f"t{number}")
    settings = settings_of(tmp_path, clock)
    started = time.monotonic()
    result = monitor_check([], settings, kinds=("freshness", "schema_drift"))
    assert {one.outcome for one in result.watches} == {"pass"}
    assert time.monotonic() - started < 60
