"""Metrics as Prometheus reads them, whatever names are."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from floe.events.prometheus import Metrics
from floe.model import Severity
from floe.model.monitor_check import CheckRun, MonitorCheck
from floe.model.result import FAIL, Outcome

HOSTILE = ('a"} 1\nfloe_evil{x="\\', "\u202e\x00\r\t", "\ud800", "'; DROP TABLE x; --", "{{ $labels }}", "ü" * 5000, "")


def broken(contract: str) -> CheckRun:
    said = f"personal message of {contract}"
    outcome = Outcome(
        id="e", code="E550", name="null-value", field="f", severity=Severity.ERROR, outcome=FAIL, message=said
    )
    check = MonitorCheck(kind="quality", outcome=outcome, level=Severity.ERROR)
    return CheckRun(contract=contract, version="1.0.0", dataset="d", at="", run_id="r", checks=(check,))


def samples(metrics: Metrics):
    return [one for family in text_string_to_metric_families(metrics.text()) for one in family.samples]


def test_hostile_names_and_ten_thousand_contracts_are_labels_and_nothing_else():
    metrics = Metrics()
    names = [*HOSTILE, *(f"c{number}{HOSTILE[number % 5]}" for number in range(10_000))]
    for name in names:
        metrics.take(broken(name))
    found = samples(metrics)
    counted = [one for one in found if one.name == "floe_contract_violations_total"]
    assert len(counted) == len(names)
    assert {one.name.split("_")[0] for one in found} == {"floe"}
    assert not [one for one in found if "evil" in one.name]
    assert {frozenset(one.labels) for one in found} == {
        frozenset(),
        frozenset({"contract", "version", "dataset"}),
        frozenset({"contract", "version", "dataset", "code", "type", "severity"}),
    }
    assert max(len(value) for one in found for value in one.labels.values()) == 200
    assert "personal" not in metrics.text()


def test_long_names_stay_apart_and_are_forgotten_with_their_contracts():
    metrics = Metrics()
    pair = [f"{'x' * 300}{end}" for end in "ab"]
    for name in pair:
        up = Outcome(id="e", code="E561", name="n", field="f", severity=Severity.ERROR, outcome="pass")
        check = MonitorCheck(kind="availability", outcome=up, value=1.0)
        metrics.take(CheckRun(contract=name, version="1.0.0", dataset="d", at="", run_id="r", checks=(check,)))
    assert len([one for one in samples(metrics) if one.name == "floe_contract_availability_up"]) == 2
    metrics.keep({(pair[0], "1.0.0", "d")})
    (left,) = [one for one in samples(metrics) if one.name == "floe_contract_availability_up"]
    assert left.value == pytest.approx(1)
