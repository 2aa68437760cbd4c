"""Slots on a clock that only goes forward."""

import pytest

from floe.actions.load import load
from floe.actions.settings import load_settings
from floe.model import SettingError
from floe.monitor.schedule import Schedule, intervals, seconds
from tests.watched import promise

EVERY = {"freshness": 900.0, "quality": 21600.0}


def test_what_was_never_looked_at_is_due_and_then_at_its_interval():
    schedule = Schedule()
    assert schedule.due("a", EVERY, 100.0) == ("freshness", "quality")
    schedule.taken("a", ("freshness", "quality"), EVERY, 100.0)
    assert schedule.due("a", EVERY, 999.9) == ()
    assert schedule.due("a", EVERY, 1000.0) == ("freshness",)
    assert schedule.soonest({"a": EVERY}, 400.0) == 600.0


def test_a_late_look_moves_no_later_slot():
    schedule = Schedule()
    schedule.taken("a", ("freshness",), EVERY, 0.0)
    schedule.taken("a", ("freshness",), EVERY, 1200.0)  # the slot of 900, taken late
    assert schedule.due("a", {"freshness": 900.0}, 1799.0) == ()
    assert schedule.due("a", {"freshness": 900.0}, 1800.0) == ("freshness",)


def test_missed_slots_collapse_into_one():
    schedule = Schedule()
    schedule.taken("a", ("freshness",), EVERY, 0.0)
    asleep = 5 * 3600 + 10.0
    assert schedule.due("a", {"freshness": 900.0}, asleep) == ("freshness",)
    schedule.taken("a", ("freshness",), EVERY, asleep)
    assert schedule.due("a", {"freshness": 900.0}, asleep) == ()
    assert schedule.soonest({"a": {"freshness": 900.0}}, asleep) == 890.0


def test_the_defaults_and_what_a_contract_says(tmp_path):
    settings = load_settings(start=tmp_path)
    path = promise(tmp_path, "orders")
    assert intervals(settings, load(path)) == {
        "availability": 300.0,
        "freshness": 900.0,
        "schema_drift": 3600.0,
        "quality": 21600.0,
        "latency": 21600.0,
        "retention": 21600.0,
        "cost": 3600.0,
        "deprecation": 3600.0,
    }
    own = "customProperties: [{property: monitoring, value: {freshness: 5m, quality: {check_interval: 1h}}}]\n"
    path.write_text(path.read_text().replace("schema:\n", f"{own}schema:\n", 1))
    found = intervals(settings, load(path))
    assert (found["freshness"], found["quality"], found["availability"]) == (300.0, 3600.0, 300.0)


@pytest.mark.parametrize("text", ["often", "0s", "5", None, "10ms"])
def test_what_is_no_interval_is_said(text):
    with pytest.raises(SettingError):
        seconds(text, "freshness")
