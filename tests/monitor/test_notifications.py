"""One stale table is heard everywhere: a real Prometheus, an event, an alert, an incident."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import ROOT, run_floe
from tests.helpers.endpoint import Endpoint, endpoint
from tests.helpers.monitored import Clock, fill, kept, promise, settings_of
from tests.helpers.prometheus import Prometheus, binary, prometheus, until

STALE = "  - {property: freshness, value: 1, unit: h, element: orders.at}"
NAMED = ("shop.p/orders", "1.0.0", "FLOE-E560")


class Heard(NamedTuple):
    """A monitor that runs over one stale table and one that is not there, and all that listens to it."""

    root: Path
    server: Prometheus
    webhook: Endpoint


@contextmanager
def monitor(root: Path) -> Iterator[str]:
    """Where `floe monitor run` answers; it is ended in good order. What it logs is in a file."""
    with (root / "monitor.log").open("w") as log:
        words = [sys.executable, "-m", "floe", "monitor", "run", "--port", "0", "--log", "json"]
        process = subprocess.Popen(words, cwd=root, stderr=log, text=True)
    try:
        said = until(lambda: re.search(r"· (http://\S+)/metrics", (root / "monitor.log").read_text()))
        yield said[1]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Heard]:
    root = tmp_path_factory.mktemp("voices")
    promise(root, "orders", STALE)
    fill(root, "orders", at=datetime.now(UTC) - timedelta(hours=3))
    promise(root, "missing")
    rules = root / "rules.yaml"
    rules.write_text(run_floe("monitor", "rules", cwd=root).stdout)
    with endpoint() as webhook:
        alerts = [{"to": webhook.url, "secret": "s3cret", "contracts": ["shop.p/orders"]}]
        (root / "manifest.yaml").write_text(json.dumps({"lineage": {"transport": "file"}, "alerts": alerts}))
        with monitor(root) as place, prometheus(root / "prometheus", place, rules) as server:
            yield Heard(root, server, webhook)


def test_a_stale_table_is_an_event_a_metric_an_alert_and_an_incident_of_one_name(heard):
    (series,) = until(lambda: heard.server.ask('floe_contract_violations_total{type="freshness_violation"}'))
    labels = series["metric"]
    assert (labels["contract"], labels["version"], labels["code"]) == NAMED
    assert (labels["dataset"], labels["severity"], labels["job"]) == ("orders", "error", "floe")
    (age,) = heard.server.ask("floe_contract_freshness_hours")
    assert float(age["value"][1]) == pytest.approx(3, abs=0.2)

    until(lambda: heard.webhook.got)
    (alert,) = [one.json["data"] for one in heard.webhook.got]
    assert (alert["contract"], alert["version"], alert["code"]) == NAMED
    assert alert["violation_type"] == "freshness_violation"

    events = [json.loads(line) for line in (heard.root / ".floe/lineage.jsonl").read_text().splitlines()]
    (event,) = [one for one in events if one["eventType"] == "FAIL" and one["job"]["name"].endswith("shop.p/orders")]
    violation = event["run"]["facets"]["contractViolation"]
    assert (violation["contractName"], violation["contractVersion"], violation["code"]) == NAMED
    assert violation["violationType"] == "freshness_violation"

    found = kept(settings_of(heard.root, Clock()))["incidents"]
    (incident,) = [one for one in found if one["kind"] == "freshness"]
    assert (incident["contract_id"], incident["version"], f"FLOE-{incident['code']}") == NAMED
    assert incident["run_id"] == event["run"]["runId"].replace("-", "") == alert["run_id"]
    (row,) = [line for line in run_floe("runs", cwd=heard.root).stdout.splitlines() if incident["run_id"][:8] in line]
    assert row.split()[-3:] == ["fail", "E560", "×0"]


def test_the_log_is_an_object_a_line_that_names_it_and_holds_no_data(heard):
    def lines() -> list[dict[str, Any]]:
        text = (heard.root / "monitor.log").read_text()
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    until(lambda: [one for one in lines() if one.get("event") == "opened" and one["code"] == "FLOE-E560"])
    (said,) = [one for one in lines() if one.get("event") == "opened" and one["code"] == "FLOE-E560"]
    assert (said["contract"], said["version"], said["code"]) == NAMED
    assert (said["level"], said["logger"], said["severity"], said["dataset"]) == (
        "info",
        "floe.monitor",
        "error",
        "orders",
    )
    assert set(said) <= {"at", "level", "logger", "message", "event", "incident", "check", "type", "run_id"} | {
        "contract",
        "version",
        "dataset",
        "code",
        "severity",
    }


def test_prometheus_fires_our_rules_on_it(heard):
    def firing() -> set[tuple[str, str, str]]:
        found = heard.server.get("alerts")["alerts"]
        return {(one["labels"]["alertname"], one["labels"].get("contract", ""), one["state"]) for one in found}

    wanted = {("FloeContractStale", "shop.p/orders", "firing"), ("FloeTableUnavailable", "shop.p/missing", "pending")}
    until(lambda: wanted <= firing())
    until(lambda: "FloeMonitorGone" not in {one[0] for one in firing()})  # pending until the first answer, then gone


def queries(board: dict[str, Any]) -> list[str]:
    return [target["expr"].replace("$contract", ".*") for panel in board["panels"] for target in panel["targets"]]


def test_every_query_of_the_dashboard_has_an_answer(heard):
    board = json.loads(run_floe("monitor", "dashboard", cwd=heard.root).stdout)
    asked = queries(board)
    assert len(asked) > 10
    until(lambda: heard.server.ask("floe_contract_check_errors_total"))
    for query in asked:
        until(partial(heard.server.ask, query))
    (variable,) = [one["query"] for one in board["templating"]["list"] if one["type"] == "query"]
    assert variable == "label_values(floe_contract_availability_up, contract)"
    names = heard.server.get("label/contract/values", **{"match[]": "floe_contract_availability_up"})
    assert names == ["shop.p/missing", "shop.p/orders"]


def test_the_rules_do_what_their_cases_say(tmp_path):
    (tmp_path / "rules.yaml").write_text(run_floe("monitor", "rules", cwd=tmp_path).stdout)
    shutil.copy(ROOT / "tests/cases/prometheus/rules_test.yaml", tmp_path)
    for words in (["check", "rules", "rules.yaml"], ["test", "rules", "rules_test.yaml"]):
        done = subprocess.run([binary("promtool"), *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.soak
def test_a_thousand_violations_at_once_are_an_event_each_a_few_alerts_and_a_door_that_answers(tmp_path):
    """Fault 39."""
    for number in range(1000):
        promise(tmp_path, f"t{number}", STALE.replace("orders.at", f"t{number}.at"))
        fill(tmp_path, f"t{number}", at=datetime.now(UTC) - timedelta(hours=3))
    with endpoint() as webhook:
        alerts = [{"to": webhook.url, "secret": "s", "per_minute": 5}]
        (tmp_path / "manifest.yaml").write_text(json.dumps({"lineage": {"transport": "file"}, "alerts": alerts}))
        with monitor(tmp_path) as place:
            events = tmp_path / ".floe/lineage.jsonl"
            asked = 0

            def told() -> int:
                nonlocal asked
                with urllib.request.urlopen(f"{place}/health", timeout=10) as answer:
                    asked += json.load(answer)["contracts"] == 1000
                return events.read_text().count('"FAIL"') if events.exists() else 0

            def named() -> int:
                lines = [json.loads(line) for line in events.read_text().splitlines()]
                return len({one["job"]["name"] for one in lines if one["eventType"] == "FAIL"})

            until(lambda: told() >= 1000 and named() == 1000, 900)
            began = time.monotonic()
        seen = [json.loads(line) for line in events.read_text().splitlines()]
        failed = [one for one in seen if one["eventType"] == "FAIL"]
        assert len({one["job"]["name"] for one in failed}) == 1000
        assert len({one["run"]["runId"] for one in failed}) == len(failed)  # a second look is a run of its own
        assert asked > 3
        assert 5 <= len(webhook.got) <= 5 * (1 + (time.monotonic() - began + 900) // 60)
    found = kept(settings_of(tmp_path, Clock()))
    assert len(found["incidents"]) == 1000
    waiting = [one for one in found["outbox"] if one["sink"] == "alert" and one["state"] != "sent"]
    unsent = [one for one in found["outbox"] if one["sink"] == "notification" and one["state"] != "sent"]
    assert len(waiting) + len(unsent) + len(webhook.got) == 1000
    assert not [one for one in found["outbox"] if one["state"] == "dead"]
