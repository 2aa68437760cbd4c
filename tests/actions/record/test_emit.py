"""Telling of runs: kept at once, sent in order, lost by no kill, never in the way."""

import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import deltalake
import pyarrow as pa
import pytest

import floe
from floe.actions.load.settings import load_settings
from floe.actions.outbox import list_outbox, send_due, send_waiting
from floe.actions.record import record_and_emit, run_row_for_test, run_row_for_write
from floe.actions.verify import verify
from floe.cli.main import main
from floe.model.result import Result, WriteResult
from floe.registry import Store, open_store, outbox
from floe.settings import Settings
from tests.helpers.endpoint import endpoint
from tests.helpers.openlineage import faults
from tests.helpers.proxy import proxied
from tests.helpers.runs import AT, CONTRACT, RUN, broken

UUID = "01234567-89ab-cdef-0123-456789abcdef"


def written(**given: Any) -> WriteResult:
    head = {"table": "silver.sales.orders", "mode": "append", "written": 0, "refused": True, "result": broken()}
    more = {"run_id": RUN, "location": "/lake/orders", "format": "delta", "level": "block", "verdict": "refuse"}
    return WriteResult(**{**head, **more, **given})


def emit(settings: Settings, store: Store, result: Result | WriteResult, run_id: str = RUN) -> str | None:
    if isinstance(result, WriteResult):
        entry = run_row_for_write(replace(result, run_id=run_id), "me")
    else:
        entry = run_row_for_test(result, run_id, "silver.sales.orders", "me")
    return record_and_emit(settings, store, entry, result, started=AT)


def told(settings: Settings, result: Result | WriteResult, run_id: str = RUN) -> str | None:
    note = emit(settings, open_store(settings.registry.url, settings.root), result, run_id)
    sent()
    return note


def sent() -> None:
    """Wait for the thread that sends."""
    for thread in threading.enumerate():
        if thread.name == "floe-outbox":
            thread.join(20)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_start_comes_before_fail_in_one_file(tmp_path: Path, registry_url: str):
    settings = load_settings({"registry.url": registry_url, "lineage.transport": "file"}, start=tmp_path)
    assert told(settings, broken()) is None
    events = lines(tmp_path / ".floe" / "lineage.jsonl")
    assert [(event["eventType"], event["run"]["runId"]) for event in events] == [("START", UUID), ("FAIL", UUID)]
    assert [fault for event in events for fault in faults(event)] == []
    assert "ada@acme.com" not in json.dumps(events)


@pytest.mark.parametrize(
    "given", [{}, {"lineage.transport": "file", "data_contracts.alerting.openlineage_events": False}]
)
def test_nothing_is_kept_where_nothing_is_to_be_told(tmp_path: Path, given: dict[str, Any]):
    settings = load_settings(given, start=tmp_path)
    assert told(settings, written()) is None
    assert list_outbox(settings, ("waiting", "sent", "dead"))["messages"] == []


def test_a_registry_that_fails_is_said_and_not_raised(tmp_path: Path):
    settings = load_settings({"lineage.transport": "file"}, start=tmp_path)
    store = open_store(settings.registry.url, tmp_path)
    with store.begin(writes=True) as connection:
        connection.exec_driver_sql("DROP TABLE outbox")
    note = emit(settings, store, broken())
    assert note
    assert note.startswith("FLOE-E542 warning")


def test_what_is_told_of_a_run_waits_with_it_where_the_registry_is_gone(tmp_path: Path):
    settings = load_settings({"lineage.transport": "file"}, start=tmp_path)
    store = open_store(settings.registry.url, tmp_path)
    with store.begin(writes=True) as connection:
        connection.exec_driver_sql("ALTER TABLE check_runs RENAME TO away")
    note = record_and_emit(settings, store, run_row_for_test(broken(), RUN, "silver.sales.orders", "me"), broken())
    assert note
    assert note.startswith("FLOE-E542 warning")
    with store.begin(writes=True) as connection:
        connection.exec_driver_sql("ALTER TABLE away RENAME TO check_runs")
    second = "f" * 32
    assert (
        record_and_emit(settings, store, run_row_for_test(broken(), second, "silver.sales.orders", "me"), broken())
        is None
    )
    sent()
    events = lines(tmp_path / ".floe" / "lineage.jsonl")
    assert [event["eventType"] for event in events if event["run"]["runId"] == UUID] == ["START", "FAIL"]
    assert len(events) == 4


def test_an_endpoint_that_fails_gets_start_before_fail_when_it_is_back(tmp_path: Path, registry_url: str):
    with endpoint() as server:
        server.answers = [500]
        given = {"registry.url": registry_url, "lineage.transport": "http", "lineage.url": server.url}
        said: list[str] = []
        settings = load_settings(given, start=tmp_path, say=said.append)
        assert told(settings, broken()) is None
        assert "answers 500" in said[0]
        assert list_outbox(settings)["count"]["waiting"] == 2
        server.answers = [429, 408, 200]
        for _ in range(3):
            send_waiting(settings, everything=True)
        assert [got.json["eventType"] for got in server.got[-2:]] == ["START", "FAIL"]
        assert [got.json["eventType"] for got in server.got[:-1]] == ["START"] * (len(server.got) - 1)
        assert list_outbox(settings)["count"]["waiting"] == 0


def test_an_event_that_is_refused_is_dead_with_the_reason_and_the_next_goes_on(tmp_path: Path):
    with endpoint() as server:
        server.answers = [422, 200]
        settings = load_settings({"lineage.transport": "http", "lineage.url": server.url}, start=tmp_path)
        told(settings, broken())
        found = list_outbox(settings, ("dead", "sent"))
    assert [(one["state"], one["payload"]["eventType"]) for one in found["messages"]] == [
        ("dead", "START"),
        ("sent", "FAIL"),
    ]
    assert "answers 422" in found["messages"][0]["error"]


def test_an_endpoint_that_stalls_keeps_no_run_waiting(tmp_path: Path):
    with endpoint() as server, proxied(server.port, "stall") as proxy:
        url = f"http://127.0.0.1:{proxy.port}"
        settings = load_settings({"lineage.transport": "http", "lineage.url": url}, start=tmp_path)
        store = open_store(settings.registry.url, tmp_path)
        took = []
        for number in range(50):
            started = time.perf_counter()
            emit(settings, store, broken(), f"{number:032x}")
            took.append(time.perf_counter() - started)
        began = time.monotonic()
        sent()
        assert time.monotonic() - began < 10
    assert statistics.median(took) < 0.05  # the aim is in benchmarks/tell.py; here that nothing waits for the endpoint
    assert list_outbox(settings)["count"]["waiting"] == 100


KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
sys.path.insert(0, {root!r})
from floe.actions.load.settings import load_settings
from floe.actions.outbox import background
from floe.actions.record import run_row_for_test
from floe.actions.record import record_and_emit
from floe.registry import open_store
from tests.helpers.runs import AT, RUN, broken
background.SOON.send = lambda _: os.kill(os.getpid(), signal.SIGKILL)
settings = load_settings({{"lineage.transport": "file"}}, start=Path.cwd())
entry = run_row_for_test(broken(), RUN, "silver.sales.orders", "me")
record_and_emit(settings, open_store(settings.registry.url, settings.root), entry, broken(), started=AT)
"""


def test_what_was_queued_before_a_kill_is_sent_after_it_with_the_same_run_id(tmp_path: Path):
    root = str(Path(__file__).parents[3])
    done = subprocess.run([sys.executable, "-c", KILLED.format(root=root)], cwd=tmp_path, env=os.environ, check=False)
    assert done.returncode == -signal.SIGKILL
    settings = load_settings({"lineage.transport": "file"}, start=tmp_path)
    assert lines(tmp_path / ".floe" / "lineage.jsonl") == []
    assert send_due(settings).sent == 2
    events = lines(tmp_path / ".floe" / "lineage.jsonl")
    assert [(event["eventType"], event["run"]["runId"]) for event in events] == [("START", UUID), ("FAIL", UUID)]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a contract and two tables, one of which breaks it."""
    (tmp_path / "orders.yaml").write_text(CONTRACT)
    for name, ids in (("good", [1, 2]), ("bad", [1, None])):
        deltalake.write_deltalake(tmp_path / name, pa.table({"order_id": pa.array(ids, pa.int64())}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_floe_test_emits_for_good_and_bad_with_the_orchestrators_run_as_parent(
    shop: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FLOE_LINEAGE_TRANSPORT", "file")
    monkeypatch.setenv("FLOE_LINEAGE_PATH", "events.jsonl")
    monkeypatch.setenv("FLOE_LINEAGE_NAMESPACE", "lakehouse")
    monkeypatch.setenv("OPENLINEAGE_PARENT_ID", f"airflow/load.orders/{UUID}")
    for name, code in (("good", 0), ("bad", 1), ("gone", 2)):
        assert main(["test", "orders.yaml", "--table", str(shop / name)]) == code
        sent()
    events = lines(shop / "events.jsonl")
    kinds = [(event["eventType"], event["inputs"][0]["name"].rpartition("/")[2]) for event in events]
    assert kinds == [
        ("START", "good"),
        ("COMPLETE", "good"),
        ("START", "bad"),
        ("FAIL", "bad"),
        ("START", "gone"),
        ("FAIL", "gone"),
    ]
    assert {event["job"]["namespace"] for event in events} == {"lakehouse"}
    assert {event["job"]["name"] for event in events} == {"contract_check.sales.shop/orders"}
    assert {event["run"]["facets"]["parent"]["run"]["runId"] for event in events} == {UUID}
    assert [fault for event in events for fault in faults(event)] == []
    assert events[3]["run"]["facets"]["contractViolation"]["code"] == "FLOE-E550"
    runs = {event["run"]["runId"].replace("-", "") for event in events}
    store = open_store("sqlite:///.floe/registry.db", shop)
    assert {run["run_id"] for run in store.runs(10)} == runs


def test_a_parent_that_is_none_is_said_and_the_events_go_all_the_same(shop: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENLINEAGE_PARENT_ID", "airflow")
    said: list[str] = []
    settings = load_settings({"lineage.transport": "file"}, start=shop, say=said.append)
    verify(str(shop / "good"), "orders.yaml", settings)
    sent()
    assert said == ["warning: OPENLINEAGE_PARENT_ID is not namespace/job/run id, so events name no parent"]
    assert [event["run"]["facets"].get("parent") for event in lines(shop / ".floe" / "lineage.jsonl")] == [None, None]


def test_a_check_takes_no_longer_where_the_endpoint_never_answers(shop: Path):
    """By turns, so that what else the machine does counts for both."""
    with endpoint() as server, proxied(server.port, "stall") as proxy:
        deaf = load_settings({"lineage.transport": "http", "lineage.url": f"http://127.0.0.1:{proxy.port}"}, start=shop)
        silent = load_settings(start=shop)
        floe.verify(str(shop / "good"), "orders.yaml", settings=silent)  # what is imported once counts for neither
        took: dict[bool, list[float]] = {True: [], False: []}
        for number in range(100):
            sends = number % 2 == 0
            started = time.perf_counter()
            floe.verify(str(shop / "good"), "orders.yaml", settings=deaf if sends else silent)
            took[sends].append(time.perf_counter() - started)
        sent()
        assert proxy.connections > 0
    most = {sends: statistics.quantiles(seconds, n=10)[8] for sends, seconds in took.items()}
    assert most[True] < most[False] + 0.1, most  # the aim, 5 ms, is held by benchmarks/tell.py
    assert max(took[True]) < 1.5, most  # who waits for the first event waits two seconds; the next ones are not tried
    assert list_outbox(deaf)["count"]["waiting"] == 100


# ── alerts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def alerting(root: Path, alerts: list[Any], **given: Any) -> Settings:
    return load_settings({"alerts": alerts, **given}, start=root)


def test_a_refused_write_is_told_to_those_who_asked_for_it(tmp_path: Path, registry_url: str):
    with endpoint() as server:
        alerts = [
            {"to": f"{server.url}/sales", "secret": "s", "contracts": ["sales.*"]},
            {"to": f"{server.url}/hr", "secret": "s", "contracts": ["hr.*"]},
            {"to": f"{server.url}/worst", "secret": "s", "severity": "critical"},
            {"to": f"alertmanager://127.0.0.1:{server.port}"},
        ]
        settings = alerting(tmp_path, alerts, **{"registry.url": registry_url})
        assert told(settings, written()) is None
        assert sorted(got.path for got in server.got) == ["/api/v2/alerts", "/sales"]
        said = next(got.json for got in server.got if got.path == "/sales")
    data = said["data"]
    names = ("contract", "version", "code", "severity", "violation_type", "expected", "actual", "run_id")
    assert [data[name] for name in names] == [
        *("sales.shop/orders", "1.2.0", "FLOE-E550", "error", "quality_violation", 0, 3),
        RUN,
    ]
    assert data["message"] == "silver.sales.orders refused a batch: Null in 'orders.email' in 3 rows"
    assert "ada@acme.com" not in json.dumps(said)
    assert len(lines(tmp_path / ".floe" / "notifications.jsonl")) == 1
    shown = json.dumps(list_outbox(settings, ("sent", "waiting", "dead"))["messages"])
    assert server.url not in shown  # addresses open doors, and are not kept


@pytest.mark.parametrize("verdict", ["write", "write, record", "write, log"])
def test_a_write_that_the_matrix_does_not_alert_of_is_told_to_nobody(tmp_path: Path, verdict: str):
    settings = alerting(tmp_path, [{"to": "slack://x"}])
    told(settings, written(refused=False, verdict=verdict))
    assert list_outbox(settings, ("sent", "waiting", "dead"))["messages"] == []


def test_one_dead_target_keeps_no_other_waiting(tmp_path: Path):
    with endpoint() as server, endpoint() as down:
        down.answers = [500]
        alerts = [
            {"to": f"{down.url}/x", "secret": "s"},
            {"to": "pigeon://x"},
            {"to": f"{server.url}/y", "secret": "s"},
            {"to": "mistyped"},
        ]
        settings = alerting(tmp_path, alerts)
        told(settings, written())
        send_due(settings)  # on a slow machine the thread's time is over before its work
        assert [got.path for got in server.got] == ["/y"]
        found = list_outbox(settings)
        assert [(one["sink"], one["state"]) for one in found["messages"]] == [("alert", "waiting"), ("alert", "dead")]
        assert "pigeon:// is not known to floe or apprise" in found["messages"][1]["error"]
        down.answers = [200]
        send_waiting(settings, everything=True)
        first, second = down.got[0].json, down.got[-1].json
    assert first["id"] == second["id"]  # sent again, it is the same event
    assert {got.json["id"] for got in server.got} == {first["id"]}


def test_an_alert_to_a_target_that_is_gone_from_the_settings_is_dead(tmp_path: Path):
    with endpoint() as down:
        down.answers = [500]
        told(alerting(tmp_path, [{"to": down.url, "secret": "s"}]), written())
    settings = alerting(tmp_path, [])
    send_waiting(settings, everything=True)
    (one,) = list_outbox(settings, ("dead",))["messages"]
    assert "The target of this message is no longer in the alert settings" in one["error"]


def test_a_storm_reaches_a_target_a_few_a_minute_and_nothing_is_lost(tmp_path: Path, registry_url: str):
    with endpoint() as server:
        alerts = [{"to": server.url, "secret": "s", "per_minute": 3}]
        settings = alerting(tmp_path, alerts, **{"registry.url": registry_url})
        store = open_store(registry_url, tmp_path)
        with store.begin(writes=True) as connection:
            for number in range(10):
                payload = {"contract": f"sales.c{number}", "severity": "error", "message": "late"}
                outbox.put(
                    connection,
                    sink="notification",
                    key=f"sales.c{number}",
                    payload=payload,
                    at="2026-11-16T00:00:00.000Z",
                )
        done = send_waiting(settings, everything=True)
        assert len(server.got) == 3
        assert "reached its limit of 3 alerts per minute" in done.said[0]
        count = list_outbox(settings)["count"]
        assert (count["waiting"], count["dead"], count["sent"]) == (7, 0, 13)


def test_a_deprecation_is_told_without_the_addresses_of_consumers(tmp_path: Path):
    with endpoint() as server:
        settings = alerting(tmp_path, [{"to": server.url, "secret": "s", "severity": "warning"}])
        store = open_store(settings.registry.url, tmp_path)
        payload = {
            "kind": "contract-deprecated",
            "code": "FLOE-E570",
            "contract": "sales.shop/orders",
            "message": "Contract sales.shop/orders 1 is deprecated",
            "sunset_date": "2027-01-01",
            "consumers": [{"consumer_id": "bi", "contact": "bob@acme.com"}],
        }
        with store.begin(writes=True) as connection:
            outbox.put(
                connection, sink="notification", key="sales.shop/orders", payload=payload, at="2026-11-16T00:00:00.000Z"
            )
        send_due(settings)
        (got,) = server.got
    assert (got.json["type"], got.json["data"]["sunset_date"]) == ("dev.floe.contract-deprecated", "2027-01-01")
    assert b"bob@acme.com" not in got.body


def put_notices(store: Any, *payloads: dict[str, Any]) -> None:
    with store.begin(writes=True) as connection:
        for payload in payloads:
            key = payload["contract"]
            outbox.put(connection, sink="notification", key=key, payload=payload, at="2026-11-16T00:00:00.000Z")


def test_what_is_worse_passes_a_target_that_had_its_share(tmp_path: Path, registry_url: str):
    with endpoint() as server:
        alerts = [{"to": server.url, "secret": "s", "per_minute": 2}]
        settings = alerting(tmp_path, alerts, **{"registry.url": registry_url})
        store = open_store(registry_url, tmp_path)
        put_notices(store, *({"contract": f"a.c{n}", "severity": "error", "message": "late"} for n in range(5)))
        send_waiting(settings, everything=True)
        put_notices(store, {"contract": "a.bad", "severity": "critical", "message": "gone"})
        send_waiting(settings, everything=True)
        assert [got.json["data"]["severity"] for got in server.got] == ["error", "error", "critical"]
        assert list_outbox(settings)["count"]["waiting"] == 3


@pytest.mark.parametrize("scheme", ["http", "alertmanager"])
def test_an_incident_that_is_over_is_told_as_resolved(tmp_path: Path, scheme: str):
    with endpoint() as server:
        to = server.url.replace("http", scheme)
        settings = alerting(tmp_path, [{"to": to, "secret": "s"}])
        store = open_store(settings.registry.url, tmp_path)
        said = {"kind": "contract-incident", "contract": "a.b/c", "version": "1.0.0", "dataset": "d"}
        said |= {"code": "FLOE-E560", "severity": "error", "message": "old", "opened_at": "2026-11-16T00:00:00.000Z"}
        over = {"event": "closed", "closed_at": "2026-11-16T01:00:00.000Z"}
        put_notices(store, {**said, "event": "opened", "closed_at": None}, {**said, **over})
        send_waiting(settings, everything=True)
        opened, closed = [got.json for got in server.got]
    if scheme == "http":
        assert (opened["data"]["status"], closed["data"]["status"]) == ("firing", "resolved")
        assert (closed["data"]["since"], closed["data"]["until"]) == (said["opened_at"], over["closed_at"])
    else:
        assert opened[0]["labels"] == closed[0]["labels"]
        assert ("endsAt" in opened[0], "endsAt" in closed[0]) == (False, True)
