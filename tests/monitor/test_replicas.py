"""Replicas on PostgreSQL: each slot runs once, a frozen replica is replaced, and what it says late is refused (fault 31)."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from floe.model import LeaseError
from floe.model.lease import Lease
from floe.registry import Store, open_store
from floe.registry.leases import SharedLeases
from floe.registry.schema import monitor_slots
from tests.helpers.monitored import Clock, fill, kept, promise, settings_of

EVERY = {"a": {"availability": 60.0}, "b": {"availability": 60.0, "quality": 3600.0}}


@pytest.fixture
def store(tmp_path: Path, postgres) -> Store:
    return open_store(postgres.database(), tmp_path)


def replica(store: Store, every=None) -> SharedLeases:
    made = SharedLeases(store)
    made.know(EVERY if every is None else every)
    return made


def claimed(slots: SharedLeases, most: int = 4) -> list[Lease]:
    return slots.claim((), most)[0]


def moved(store: Store, **values: object) -> None:
    """Let time pass by moving all slots and leases."""
    with store.begin(writes=True) as connection:
        connection.execute(sa.update(monitor_slots).values(**values))


def test_each_slot_is_taken_by_one_replica(store):
    first, second = replica(store), replica(store)
    mine = claimed(first, 1)
    yours = claimed(second)
    assert sorted(turn.name for turn in (*mine, *yours)) == ["a", "b"]
    assert {turn.name: turn.kinds for turn in (*mine, *yours)} == {
        "a": ("availability",),
        "b": ("availability", "quality"),
    }
    assert claimed(first) == claimed(second) == []
    for turn in (*mine, *yours):
        assert first.done(store, turn) is False
    assert claimed(first) == claimed(second) == []


def test_a_lease_that_ended_is_taken_over_and_the_late_one_refused(store):
    first, second = replica(store), replica(store)
    (late,) = claimed(first, 1)
    moved(store, until=1.0)
    again = next(turn for turn in claimed(second) if turn.name == late.name)
    assert again.token == late.token + 1
    with pytest.raises(LeaseError, match="another monitor took over this check"), store.transaction() as connected:
        first.done(connected, late)
    first.renew([late])  # does not take it back
    assert second.done(store, again) is False
    with pytest.raises(LeaseError):
        first.done(store, late)


def test_a_replica_knows_what_it_looked_at_last(store):
    first, second = replica(store), replica(store)
    first.holder, second.holder = "m1:1", "m2:1"
    (turn,) = claimed(first, 1)
    (other,) = claimed(second)
    assert (first.mine(), second.mine()) == ({turn.name}, {other.name})
    moved(store, until=1.0)
    claimed(second)
    assert (first.mine(), second.mine()) == (set(), {"a", "b"})


def test_a_turn_under_way_is_held(store):
    first, second = replica(store), replica(store)
    turns = claimed(first)
    moved(store, until=1.0)
    first.renew(turns)
    assert claimed(second) == []


def test_slots_lie_on_a_grid_missed_ones_collapse_and_a_clock_set_back_stops_nothing(store):
    slots = replica(store, {"a": {"availability": 60.0}})
    (turn,) = claimed(slots)
    assert slots.done(store, turn) is False
    moved(store, due={"availability": turn.at - 3 * 3600 + 7}, next_at=1.0)  # asleep for three hours
    (turn,) = claimed(slots)
    assert slots.done(store, turn) is False
    assert claimed(slots) == []
    with store.begin() as connection:
        row = connection.execute(sa.select(monitor_slots)).mappings().one()
    assert row["next_at"] - turn.at == pytest.approx(7, abs=5)
    moved(store, due={"availability": turn.at + 9 * 3600}, next_at=turn.at + 9 * 3600)
    (turn,) = claimed(slots)
    slots.done(store, turn)
    with store.begin() as connection:
        row = connection.execute(sa.select(monitor_slots)).mappings().one()
    assert 0 < row["next_at"] - turn.at <= 60


def test_slots_that_came_while_a_look_ran_are_told(store):
    slots = replica(store, {"a": {"availability": 60.0}})
    (turn,) = claimed(slots)
    late = turn._replace(at=turn.at - 150)
    moved(store, due={"availability": turn.at - 150})
    assert slots.done(store, late) is True


def test_a_commit_is_noted_once(store):
    first, second = replica(store), replica(store)
    for turn in claimed(first):
        first.done(store, turn)
    for slots in (first, second):
        slots.note("a", "7", ("quality",))
    (turn,) = claimed(second)
    assert (turn.name, turn.kinds) == ("a", ("quality",))
    first.note("a", "8", ("quality",))  # while the look runs
    second.done(store, turn)
    (turn,) = claimed(first)
    assert turn.kinds == ("quality",)
    first.done(store, turn)
    assert claimed(first) == []


OFTEN = "customProperties: [{property: monitoring, value: {availability: 3s, freshness: 1h, schema_drift: 1h, quality: 6h}}]\n"


def _monitor(root: Path, url: str) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "floe", "monitor", "run", "--port", "0"]
    log = (root / f"log{len(list(root.glob('log*')))}").open("w")
    return subprocess.Popen(words, cwd=root, stderr=log, text=True, env={**os.environ, "FLOE_REGISTRY_URL": url})


def _slot(store: Store, free: bool = False) -> dict:
    chosen = sa.select(monitor_slots)
    with store.begin() as connection:
        found = connection.execute(chosen.with_for_update(skip_locked=True) if free else chosen).mappings().first()
    return dict(found) if found else {}


def _until(claim, seconds: float = 90.0):
    ends = time.monotonic() + seconds
    while not (found := claim()):
        assert time.monotonic() < ends
        time.sleep(0.05)
    return found


def test_a_frozen_process_is_replaced_and_its_late_write_refused(tmp_path, postgres):
    """Two real monitors; one is stopped in the midst of a look, for longer than its lease."""
    url = postgres.database()
    path = promise(tmp_path, "orders", "  - {property: availability, value: 99, unit: percent}")
    path.write_text(path.read_text().replace("schema:\n", f"{OFTEN}schema:\n", 1))
    fill(tmp_path, "orders")
    settings = settings_of(tmp_path, Clock(), **{"registry.url": url})
    store = open_store(url, tmp_path)
    monitors = [_monitor(tmp_path, url), _monitor(tmp_path, url)]
    try:
        frozen, held = _frozen(store)
        before = len(kept(settings)["check_runs"])
        _until(lambda: len(kept(settings)["check_runs"]) > before)
        assert _slot(store)["token"] > held["token"]
        os.kill(frozen, signal.SIGCONT)
        _until(lambda: any("another monitor took over this check" in log.read_text() for log in tmp_path.glob("log*")))
    finally:
        for one in monitors:
            one.send_signal(signal.SIGCONT)
            one.terminate()
        codes = [one.wait(60) for one in monitors]
    assert codes == [0, 0]
    runs = kept(settings)["check_runs"]
    with store.begin() as connection:
        counted = connection.execute(sa.text("SELECT sum(up + down) FROM probe_days")).scalar()
    assert counted == len(runs)  # every look was a probe too, and the refused one is not counted
    assert _slot(store)["token"] > len(runs)  # each kept run ended a turn of its own, and one turn was refused


def _frozen(store: Store) -> tuple[int, dict]:
    """Stop a process that is in the midst of a look, not in that of a transaction; its number, and what it holds."""
    ends = time.monotonic() + 90
    while time.monotonic() < ends:
        row = _slot(store)
        if not row or not row["until"]:
            continue
        process = int(row["holder"].split(":")[1])
        os.kill(process, signal.SIGSTOP)
        held = _slot(store, free=True)
        if held and held["token"] == row["token"] and held["until"]:
            return process, held
        os.kill(process, signal.SIGCONT)
        time.sleep(0.2)
    raise AssertionError("no look was seen under way")
