"""Slots on a clock that only goes forward."""

from collections.abc import Mapping

import pytest

from floe.actions.load import load
from floe.actions.load.settings import load_settings
from floe.model import SettingError
from floe.monitor.schedule import Schedule, intervals, seconds
from tests.helpers.monitored import promise

EVERY = {"freshness": 900.0, "quality": 21600.0}
OFTEN = {"freshness": 900.0}


class Passed:
    """A clock that only goes forward, by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def schedule_of(every: Mapping[str, float], now: float = 0.0) -> tuple[Schedule, Passed]:
    clock = Passed()
    clock.now = now
    schedule = Schedule(clock)
    schedule.know({"a": every})
    return schedule, clock


def taken_at(schedule: Schedule, clock: Passed, now: float) -> list[tuple[str, ...]]:
    clock.now = now
    return [turn.kinds for turn in schedule.claim((), 4)[0]]


def test_what_was_never_looked_at_is_due_and_then_at_its_interval():
    schedule, clock = schedule_of(EVERY, 100.0)
    assert taken_at(schedule, clock, 100.0) == [("freshness", "quality")]
    assert taken_at(schedule, clock, 999.9) == []
    clock.now = 400.0
    assert schedule.soonest() == 600.0
    assert taken_at(schedule, clock, 1000.0) == [("freshness",)]


def test_a_late_look_moves_no_later_slot():
    schedule, clock = schedule_of(OFTEN)
    assert taken_at(schedule, clock, 0.0) == [("freshness",)]
    assert taken_at(schedule, clock, 1200.0) == [("freshness",)]  # the slot of 900, taken late
    assert taken_at(schedule, clock, 1799.0) == []
    assert taken_at(schedule, clock, 1800.0) == [("freshness",)]


def test_missed_slots_collapse_into_one():
    schedule, clock = schedule_of(OFTEN)
    taken_at(schedule, clock, 0.0)
    asleep = 5 * 3600 + 10.0
    assert taken_at(schedule, clock, asleep) == [("freshness",)]
    assert taken_at(schedule, clock, asleep) == []
    assert schedule.soonest() == 890.0


def test_what_waits_longest_is_taken_first_and_what_still_runs_is_skipped():
    schedule, clock = schedule_of({"freshness": 900.0})
    schedule.know({"a": OFTEN, "b": {"freshness": 60.0}, "c": OFTEN})
    assert [turn.name for turn in schedule.claim((), 2)[0]] == ["a", "b"]
    clock.now = 60.0
    turns, skipped = schedule.claim(("b",), 4)
    assert ([turn.name for turn in turns], skipped) == (["c"], 1)
    # three contracts: the slots of the second lie a third of their interval ahead, so at 40 and 100 of the clock
    clock.now = 99.0
    assert schedule.claim((), 4) == ([], 0)
    clock.now = 100.0
    assert [turn.name for turn in schedule.claim((), 4)[0]] == ["b"]
    clock.now = 130.0
    assert schedule.claim(("b",), 4) == ([], 0)


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
        "recovery": 300.0,
        "anomaly": 3600.0,
    }
    own = "customProperties: [{property: monitoring, value: {freshness: 5m, quality: {check_interval: 1h}}}]\n"
    path.write_text(path.read_text().replace("schema:\n", f"{own}schema:\n", 1))
    found = intervals(settings, load(path))
    assert (found["freshness"], found["quality"], found["availability"]) == (300.0, 3600.0, 300.0)


@pytest.mark.parametrize("text", ["often", "0s", "5", None, "10ms"])
def test_what_is_no_interval_is_said(text):
    with pytest.raises(SettingError):
        seconds(text, "freshness")
