"""Events: whole, by hand; valid by the official schemas and by floe's own."""

import json
from typing import Any

import pytest

from floe.events.openlineage import MOST, About, parent_facet, run_events, run_uuid
from floe.events.openlineage.dataset import place_name
from floe.model import Severity
from floe.model.codes import CODES
from floe.model.contract import Target
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome, Result, WriteResult
from floe.model.types import Array, Atomic, Member, Struct
from floe.model.violation_type import VIOLATION_TYPES
from floe.version import __version__
from tests.helpers.openlineage import CASES, OWN, faults

RUN = "0123456789abcdef0123456789abcdef"
SKU = Struct((Member("sku", Atomic("string")),))
SCHEMA = Struct((Member("order_id", Atomic("bigint")), Member("lines", Array(SKU))))
REST = {"ice": {"type": "rest", "uri": "http://me:pw@rest:8181", "token": "t0k"}}


def about(**given: Any) -> About:
    times = {"started": "2026-11-16T12:00:00.000Z", "ended": "2026-11-16T12:00:02.500Z"}
    return About(**{"run_id": RUN, **times, **given})


def null_value(**given: Any) -> Outcome:
    head = {"id": "orders.order_id:null-value", "code": "E550", "name": "null-value", "field": "orders.order_id"}
    said = {"severity": Severity.ERROR, "outcome": PASS, "expected": 0, "actual": 0}
    return Outcome(**{**head, **said, **given})


def result(*outcomes: Outcome, **given: Any) -> Result:
    head = {"contract": "sales.shop/orders", "version": "1.2.0", "dataset": "orders"}
    return Result(**{**head, "checked_at": "2026-11-16T12:00:02.500Z", "expectations": outcomes, **given})


def refused() -> WriteResult:
    stale = Outcome(
        id="orders:freshness",
        code="E560",
        name="freshness",
        field="orders",
        severity=Severity.WARNING,
        outcome=FAIL,
        message="Too old",
        expected="at most 4h",
        actual=5.5,
    )
    key = {
        "id": "orders.order_id:duplicate-key",
        "code": "E551",
        "name": "duplicate-key",
        "message": "2 rows share a key",
    }
    twice = null_value(**key, severity=Severity.CRITICAL, outcome=FAIL, actual=2, samples=({"order_id": 4711},))
    return WriteResult(
        table="silver.sales.orders",
        mode="append",
        written=0,
        refused=True,
        result=result(stale, twice, target=Target("iceberg", name="ice.silver.orders")),
        run_id=RUN,
        location="file:///lake/warehouse/silver/orders",
        format="iceberg",
        level="block",
        snapshot_before="11",
        snapshot_after="11",
    )


GONE = {"outcome": NOT_EVALUATED, "actual": None, "code": "E580", "cause": "postgresql://me:pw@db is gone"}
UNSEEN = null_value(**GONE, message="'null-value' of 'orders.order_id' was not evaluated")
PARENT = parent_facet("airflow/load.orders/fedcba98-7654-3210-fedc-ba9876543210")
RUNS: dict[str, tuple[Result | WriteResult, About]] = {
    "pass": (result(null_value(), location="s3a://lake/silver/orders", snapshot="12", schema=SCHEMA), about()),
    "refused": (refused(), about(kind="append", parent=PARENT, catalogs=REST)),
    "not_evaluated": (result(UNSEEN), about(namespace="lakehouse")),
}


@pytest.mark.parametrize("name", RUNS)
def test_events_are_those_written_by_hand(name: str):
    text = (CASES / "events" / f"{name}.json").read_text()
    wanted = json.loads(text.replace("PRODUCER", f"https://floe.dev/floe-contracts/{__version__}"))
    assert list(run_events(*RUNS[name])) == wanted


@pytest.mark.parametrize("name", RUNS)
def test_events_are_valid(name: str):
    assert [fault for event in run_events(*RUNS[name]) for fault in faults(event)] == []


def test_the_judge_sees_what_is_wrong():
    _, end = run_events(*RUNS["refused"])
    facet = end["run"]["facets"]["contractViolation"]
    wrong = {
        **end,
        "eventType": "BROKEN",
        "run": {"runId": "7", "facets": {"contractViolation": {**facet, "severity": "bad"}}},
    }
    assert len(faults(wrong)) >= 3


def test_neither_rows_nor_passwords_are_told():
    said = json.dumps([run_events(*one) for one in RUNS.values()])
    assert [word for word in ("4711", "pw@", "t0k") if word in said] == []


def test_a_write_that_is_let_through_completes_and_says_what_was_broken():
    let = WriteResult(
        **{**{name: getattr(refused(), name) for name in WriteResult.__slots__}, "refused": False, "written": 7}
    )
    _, end = run_events(let, about())
    assert end["eventType"] == "COMPLETE"
    assert end["run"]["facets"]["contractViolation"]["code"] == "FLOE-E551"
    assert end["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 7
    assert faults(end) == []


def test_a_pass_with_a_warning_has_both_facets():
    warned = null_value(severity=Severity.WARNING, outcome=FAIL, message="1 null", actual=1)
    _, end = run_events(result(null_value(), warned), about())
    assert (end["eventType"], sorted(end["run"]["facets"])) == ("COMPLETE", ["contractStatus", "contractViolation"])
    assert faults(end) == []


def test_an_event_lists_a_hundred_violations_and_counts_all():
    many = result(*(null_value(id=str(number), outcome=FAIL) for number in range(250)))
    _, end = run_events(many, about())
    facet = end["run"]["facets"]["contractViolation"]
    assert (facet["count"], len(facet["violations"]), MOST) == (250, 100, 100)


@pytest.mark.parametrize(
    ("location", "namespace", "name"),
    [
        ("/lake/orders", "file", "/lake/orders"),
        ("file:/lake/orders/", "file", "/lake/orders"),
        ("file:///lake/a b", "file", "/lake/a b"),
        ("s3://lake/orders", "s3://lake", "orders"),
        ("s3a://lake/silver/orders/", "s3://lake", "silver/orders"),
        ("gs://lake/orders", "gs://lake", "orders"),
        ("abfs://box@acme.dfs.core.windows.net/x/y", "abfss://box@acme.dfs.core.windows.net", "x/y"),
        ("hdfs://name:8020/lake/orders", "hdfs://name:8020", "/lake/orders"),
        ("https://me:pw@store/x", "https://store", "/x"),
    ],
)
def test_places_have_the_names_that_openlineage_gives_them(location: str, namespace: str, name: str):
    assert place_name(location) == (namespace, name)


def test_a_table_without_a_place_has_its_catalogs_name():
    unseen = result(UNSEEN, target=Target("iceberg", name="ice.silver.orders"))
    (table,) = run_events(unseen, about(catalogs=REST))[0]["inputs"]
    assert (table["namespace"], table["name"]) == ("http://rest:8181", "silver.orders")


@pytest.mark.parametrize("parent", ["", "x", "a/b", "a/b/c", "/b/fedcba98-7654-3210-fedc-ba9876543210"])
def test_what_is_no_parent_is_none(parent: str):
    assert parent_facet(parent) is None


def test_a_parents_namespace_may_hold_slashes():
    facet = parent_facet("http://air:8080/dag.task/fedcba98-7654-3210-fedc-ba9876543210")
    assert facet
    assert facet["job"] == {"namespace": "http://air:8080", "name": "dag.task"}


def test_any_run_id_becomes_one_uuid():
    assert run_uuid("slot 7") == run_uuid("slot 7") != run_uuid("slot 8")


# by hand
KINDS = {
    "schema_drift": "E530 E531 E532 E533 E534 E535",
    "quality_violation": "E550 E551 E552 E553 E554 E555 E556 E557 E558",
    "volume_anomaly": "E559",
    "freshness_violation": "E560",
    "availability_violation": "E561",
    "latency_violation": "E562",
    "recovery_violation": "E563",
    "retention_violation": "E564",
    "cost_violation": "E565",
    "deprecation_warning": "E570",
    "deprecation_error": "E571",
    "retired_used": "E572",
}


def test_every_code_has_its_kind_of_violation():
    by_code = {code: kind for kind, codes in KINDS.items() for code in codes.split()}
    assert {code.code: by_code.get(code.code, "not_evaluated") for code in CODES} == VIOLATION_TYPES
    listed = json.loads((OWN / "ContractViolationRunFacet.json").read_text())["$defs"]["Violation"]["properties"]
    assert sorted(listed["violationType"]["enum"]) == sorted(set(VIOLATION_TYPES.values()))
