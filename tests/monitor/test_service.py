"""The service by hand: hours in no time, slow looks, restarts of the registry, signals and HTTP."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families

from floe.events.prometheus import Metrics
from floe.model import RegistryError
from floe.monitor.run import watch_on
from floe.registry.worker_lock import only_worker
from tests.helpers.monitored import FRESH, fill, kept, promise
from tests.helpers.service import numbers, round_of, service_of


def test_a_day_of_slots_in_no_time(tmp_path, clock):
    promise(tmp_path, "orders", FRESH.replace("unit: h", "unit: y"))
    fill(tmp_path, "orders")
    service = service_of(tmp_path, clock)
    for _ in range(12 * 6 + 1):  # six hours by five minutes
        round_of(service)
        clock.move(minutes=5)
    runs = kept(service.settings)["check_runs"]
    assert len(runs) == 73  # availability at every step; freshness, drift and quality with it
    looked = [{one["id"].split(":")[1].split(".")[0] for one in run["result"]["expectations"]} for run in runs]
    assert sum("schema" in one for one in looked) == 7
    assert len([run for run in runs if any("freshness" in e["id"] for e in run["result"]["expectations"])]) == 25
    assert numbers(service, "floe_contract_check_duration_seconds_count") == {"orders": 73}


def test_a_table_goes_stale_and_recovers_while_it_runs(tmp_path, clock):
    promise(tmp_path, "orders")
    fill(tmp_path, "orders")
    service = service_of(tmp_path, clock)
    for _ in range(8):
        round_of(service)
        clock.move(minutes=15)
    found = kept(service.settings)
    assert [(one["code"], one["severity"]) for one in found["incidents"]] == [("E560", "critical")]
    # 0, 15, 30, 45 fine; 60 is used up whole (the commit is a moment older); 75, 90, 105 stale
    events = [one["payload"]["severity"] for one in found["outbox"]]
    assert events[-1] == "critical"
    clock.now = datetime.now(UTC) + timedelta(seconds=1)
    fill(tmp_path, "orders")
    round_of(service)
    found = kept(service.settings)
    assert found["incidents"][0]["closed_at"]
    assert found["outbox"][-1]["payload"]["event"] == "closed"


def test_hours_asleep_are_one_look_and_unknown(tmp_path, clock):
    promise(tmp_path, "orders", FRESH.replace("unit: h", "unit: y"))
    fill(tmp_path, "orders")
    service = service_of(tmp_path, clock)
    round_of(service)
    clock.move(hours=9)
    round_of(service)
    round_of(service)
    assert len(kept(service.settings)["check_runs"]) == 2


def test_a_wall_clock_that_jumps_moves_no_slot(tmp_path, clock):
    promise(tmp_path, "orders", FRESH.replace("unit: h", "unit: y"))
    fill(tmp_path, "orders")
    service = service_of(tmp_path, clock)
    round_of(service)
    clock.now -= timedelta(days=2)
    round_of(service)
    clock.now += timedelta(days=9)
    round_of(service)
    assert len(kept(service.settings)["check_runs"]) == 1
    clock.passed += 300
    round_of(service)
    assert len(kept(service.settings)["check_runs"]) == 2


def test_a_look_that_overruns_is_given_up_skipped_and_not_begun_twice(tmp_path, clock):
    """A catalog that takes the question and never answers."""
    promise(tmp_path, "orders")
    promise(tmp_path, "slow")
    fill(tmp_path, "orders")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        rest = {"type": "rest", "uri": f"http://127.0.0.1:{silent.getsockname()[1]}", "warehouse": "w"}
        given = {"catalogs": {"deaf": rest}, "tables.names": {"silver.shop.slow": "deaf.shop.slow"}}
        service = service_of(tmp_path, clock, **given)
        service.timeout = 60.0
        service.step()
        counts = "floe_contract_check_duration_seconds_count"
        _until(lambda: service.step() is not None and numbers(service, counts) == {"orders": 1})
        clock.move(minutes=5)
        service.step()
        assert numbers(service, "floe_contract_check_errors_total") == {"slow": 1}
        assert numbers(service, "floe_monitor_skipped_total") == {"": 1}
        assert numbers(service, counts)["slow"] == 1
        assert [job for job in threading.enumerate() if job.name.endswith("slow.yaml")]
    assert not [one for one in kept(service.settings)["check_runs"] if "slow" in one["table_id"]]


def test_contracts_that_change_are_read_again_and_their_old_gauges_vanish(tmp_path, clock):
    path = promise(tmp_path, "orders")
    promise(tmp_path, "other")
    fill(tmp_path, "orders")
    fill(tmp_path, "other")
    service = service_of(tmp_path, clock)
    round_of(service)
    assert set(numbers(service, "floe_contract_freshness_hours")) == {"orders", "other"}
    path.unlink()
    clock.move(minutes=2)
    round_of(service)
    assert set(numbers(service, "floe_contract_freshness_hours")) == {"other"}


def test_artifacts_that_cannot_be_read_leave_the_known_contracts_watched(tmp_path, clock):
    promise(tmp_path, "orders")
    fill(tmp_path, "orders")
    service = service_of(tmp_path, clock)
    round_of(service)
    assert service.ready
    (tmp_path / "compiled_artifacts.json").write_text("{}")
    clock.move(minutes=2)
    service.step()
    assert not service.ready
    assert "compiled_artifacts.json" in str(service.health()["trouble"])
    assert service.health()["contracts"] == 1


def test_a_commit_is_judged_at_the_next_poll_and_an_idle_table_is_left_alone(tmp_path, clock):
    promise(tmp_path, "orders", FRESH.replace("unit: h", "unit: y"))
    fill(tmp_path, "orders")
    service = service_of(tmp_path, clock, **{"data_contracts.monitoring.mode": "continuous"})
    for _ in range(3):
        round_of(service)
    before = len(kept(service.settings)["check_runs"])
    for _ in range(10):
        clock.move(seconds=6)
        round_of(service)
    assert len(kept(service.settings)["check_runs"]) == before
    fill(tmp_path, "orders", at=clock.now)
    clock.move(seconds=5)
    for _ in range(2):
        round_of(service)
    runs = sorted(kept(service.settings)["check_runs"], key=lambda run: run["at"])
    assert len(runs) == before + 1
    assert runs[-1]["snapshot_after"] == "1"


def test_two_monitors_on_sqlite_are_one_too_many(tmp_path, clock):
    promise(tmp_path, "orders")
    service = service_of(tmp_path, clock)
    with only_worker(service.store, "monitor"), pytest.raises(RegistryError, match="Another monitor"):
        watch_on(service)


def _until(claim, seconds=15.0):
    ends = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < ends
        time.sleep(0.02)


def _get(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_command_serves_metrics_and_ends_in_good_order(tmp_path):
    promise(tmp_path, "orders")
    fill(tmp_path, "orders")
    words = [sys.executable, "-m", "floe", "monitor", "run", "--port", "0"]
    process = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr
        line = next(text for text in process.stderr if "/metrics" in text)
        place = line.split()[1].removesuffix("/metrics,")
        _until(lambda: _get(f"{place}/ready")[0] == 200)
        _until(lambda: "floe_contract_availability_up{" in _get(f"{place}/metrics")[1])
        families = {family.name for family in text_string_to_metric_families(_get(f"{place}/metrics")[1])}
        assert {
            "floe_contract_violations",
            "floe_contract_freshness_hours",
            "floe_contract_availability_up",
            "floe_contract_quality_score",
            "floe_contract_check_duration_seconds",
            "floe_contract_schema_drift_detected",
        } <= families
        status, health = _get(f"{place}/health")
        assert (status, json.loads(health)["contracts"]) == (200, 1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0
    finally:
        process.kill()
        process.wait()


def test_hostile_names_are_labels_and_nothing_else(tmp_path, clock):
    from floe.model.monitor_check import CheckRun

    metrics = Metrics()
    name = 'a"} 1\nfloe_evil{x="\\'
    metrics.take(CheckRun(contract=name, version="1.0.0", dataset="d", at="", run_id="", error="no"))
    found = [s for family in text_string_to_metric_families(metrics.text()) for s in family.samples]
    assert {s.labels["contract"] for s in found if s.labels} == {name}
    assert not [s for s in found if s.name.startswith("floe_evil")]
