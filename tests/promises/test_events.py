"""Gates tell: events and alerts of writes on real tables."""

import json
import time
from pathlib import Path

import pytest

import floe
from floe.actions.outbox import send_waiting
from floe.events.trace import _own
from tests.conftest import Lake, spark_settings
from tests.helpers.endpoint import endpoint
from tests.helpers.openlineage import faults
from tests.helpers.orders import frame, order

pytestmark = pytest.mark.spark
PARENT = "fedcba98-7654-3210-fedc-ba9876543210"


def test_a_gate_tells_of_what_it_took_and_of_what_it_refused(
    spark, spark_root: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENLINEAGE_PARENT_ID", f"airflow/load.orders/{PARENT}")
    with endpoint() as server:
        given = {"lineage.transport": "http", "lineage.url": server.url, "tables.format": lake.format}
        given["traces.exporter"] = "file"
        alerts = [{"to": f"{server.url}/hook", "secret": "s", "contracts": ["silver.*"]}]
        settings = spark_settings(spark_root, lake.root, **given, alerts=alerts)
        taken = floe.enforce(frame(spark, order(1)), lake.table_id, settings=settings)
        with pytest.raises(floe.ViolationError) as caught:
            floe.enforce(frame(spark, order(2), order(2)), lake.table_id, settings=settings)
        refused = caught.value.result
        send_waiting(settings, everything=True)
        until = time.monotonic() + 120
        while len(server.got) < 5 and time.monotonic() < until:  # another thread may be sending them
            time.sleep(0.1)
            send_waiting(settings, everything=True)
        events = [got.json for got in server.got if got.path == "/api/v1/lineage"]
        hooks = [got.json for got in server.got if got.path == "/hook"]
    assert [fault for event in events for fault in faults(event)] == []
    by_run = {
        run: [one for one in events if one["run"]["runId"].replace("-", "") == run]
        for run in (taken.run_id, refused.run_id)
    }
    kinds = [[event["eventType"] for event in by_run[run]] for run in (taken.run_id, refused.run_id)]
    assert kinds == [["START", "COMPLETE"], ["START", "FAIL"]]
    assert {event["job"]["name"] for event in events} == {f"contract_write.{lake.table_id}"}
    assert {event["run"]["facets"]["parent"]["run"]["runId"] for event in events} == {PARENT}
    end, fail = by_run[taken.run_id][1], by_run[refused.run_id][1]
    (table,) = end["outputs"]
    assert (table["namespace"], table["name"]) == ("file", taken.location.removeprefix("file://"))
    assert table["facets"]["version"]["datasetVersion"] == taken.snapshot_after
    assert table["facets"]["schema"]["fields"][0]["name"] == "order_id"
    assert table["outputFacets"]["outputStatistics"]["rowCount"] == 1
    assert ("symlinks" in table["facets"]) is (lake.format == "iceberg")
    assert end["run"]["facets"]["contractStatus"]["contractVersion"] == taken.result.version
    violation = fail["run"]["facets"]["contractViolation"]
    assert (violation["code"], violation["violationType"]) == ("FLOE-E551", "quality_violation")
    (hook,) = hooks
    assert (hook["data"]["code"], hook["data"]["contract"], hook["data"]["version"], hook["data"]["run_id"]) == (
        "FLOE-E551",
        violation["contractName"],
        violation["contractVersion"],
        refused.run_id,
    )
    _own("file", settings.path(settings.traces.path)).force_flush()
    spans = [json.loads(line) for line in settings.path(settings.traces.path).read_text().splitlines()]
    told = [(one["name"], one["attributes"]["floe.run_id"], one["attributes"]["floe.refused"]) for one in spans]
    assert told == [("floe.enforce", taken.run_id, False), ("floe.enforce", refused.run_id, True)]
    assert (spans[1]["attributes"]["floe.code"], spans[1]["attributes"]["floe.table"]) == ("FLOE-E551", lake.table_id)
