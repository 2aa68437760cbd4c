"""ContractMonitor says what `floe monitor check` says."""

import asyncio
import json

import pytest

from floe.actions.load import load
from floe.cli import main
from floe.plugin import ContractMonitor
from tests.helpers.monitored import FRESH, fill, promise

STATES = {"active": None, "deprecated": "FLOE-E570", "sunset": "FLOE-E571", "retired": "FLOE-E572"}


@pytest.mark.parametrize(("status", "code"), STATES.items())
def test_the_same_as_the_command(tmp_path, monkeypatch, capsys, status, code):
    monkeypatch.chdir(tmp_path)
    path = promise(tmp_path, "orders", FRESH.replace("unit: h", "unit: y"), status=status)
    fill(tmp_path, "orders")
    monitor = ContractMonitor()
    monitor.register_contract(path)
    watched = asyncio.run(monitor.check()).to_dict()
    violation = asyncio.run(monitor.check_deprecation(load(path)))
    main(["monitor", "check", str(path), "--format", "json"])
    said = json.loads(capsys.readouterr().out)
    mine, other = watched["results"][0], said["results"][0]
    changing = ("checked_at", "run_id", "seconds", "incidents")
    for one in (mine, other):
        one["checks"] = [{**each, "actual": None, "used": None} for each in one["checks"]]
    assert {k: v for k, v in mine.items() if k not in changing} == {k: v for k, v in other.items() if k not in changing}
    ending = [one for one in other["checks"] if one["kind"] == "deprecation"]
    assert (violation.code if violation else None) == code
    assert [(one["code"], one["message"], one["type"]) for one in ending] == (
        [(violation.code, violation.message, violation.violation_type)] if violation else []
    )


def test_a_newer_version_takes_the_place_of_an_older_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monitor = ContractMonitor()
    assert asyncio.run(monitor.check()).watches == ()
    for version in ("1.0.0", "1.1.0", "2.0.0"):
        monitor.register_contract(promise(tmp_path, "orders", version=version))
    assert sorted(one.version for one in monitor.contracts.values()) == ["1.1.0", "2.0.0"]
