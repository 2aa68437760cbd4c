"""The outbox: at least once, in order per key, bounded, on SQLite and on PostgreSQL."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from floe.model import RegistryError, SendError
from floe.model.outbox_message import Outgoing, Sender
from floe.registry import Store, open_store, outbox
from floe.registry.outbox_worker import Limits, OutboxWorker
from floe.registry.schema import outbox as table
from floe.system.clock import stamp

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
LIMITS = Limits()


class Sink:
    """A sink that keeps what it gets and fails as told."""

    def __init__(self) -> None:
        self.got: list[str] = []
        self.asked: list[str] = []
        self.fail: dict[str, Exception] = {}

    def send(self, message: Outgoing) -> str | None:
        name = message.payload["name"]
        self.asked.append(name)
        if name in self.fail:
            raise self.fail[name]
        self.got.append(name)
        return message.payload.get("note")


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def step(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def store(registry_url: str, tmp_path: Path) -> Store:
    return open_store(registry_url, tmp_path)


@pytest.fixture
def sink() -> Sink:
    return Sink()


@pytest.fixture
def clock() -> Clock:
    return Clock()


def worker(store: Store, sink: Sink, clock: Clock, limits: Limits = LIMITS, chance: float = 1.0) -> OutboxWorker:
    sender = Sender(sink.send, place=lambda message: message.key.split(":")[0])
    return OutboxWorker(store, {"test": sender}.get, clock, limits, lambda: chance)


def put(store: Store, *names: str, sink: str = "test", at: datetime = NOW, **more: str) -> None:
    """Each message is named `key.event`."""
    with store.begin(writes=True) as connection:
        for name in names:
            payload = {"name": name, **more}
            outbox.put(connection, sink=sink, key=name.split(".")[0], payload=payload, at=stamp(at))


def states(store: Store) -> list[tuple]:
    with store.begin() as connection:
        chosen = sa.select(table.c.payload, table.c.state, table.c.attempts).order_by(table.c.id)
        return [(row.payload["name"], row.state, row.attempts) for row in connection.execute(chosen)]


def test_messages_are_sent_once_and_in_order(store: Store, sink: Sink, clock: Clock):
    put(store, "a.START", "b.START", "a.FAIL", "b.COMPLETE")
    done = worker(store, sink, clock).run(10)
    assert (done.sent, done.failed, done.dead, done.said) == (4, 0, 0, [])
    assert sink.got.index("a.START") < sink.got.index("a.FAIL")
    assert sink.got.index("b.START") < sink.got.index("b.COMPLETE")
    assert worker(store, sink, clock).run(10).sent == 0
    assert len(sink.got) == 4


def test_a_message_rolled_back_with_its_transaction_was_never_there(store: Store):
    with store.engine.connect() as connection, connection.begin() as transaction:
        outbox.put(connection, sink="test", key="a", payload={}, at=stamp(NOW))
        transaction.rollback()
    assert outbox.count(store) == outbox.Count()


def test_what_fails_holds_back_its_key_alone_and_is_tried_later(store: Store, sink: Sink, clock: Clock):
    put(store, "a.START", "a.FAIL", "b.START")
    sink.fail["a.START"] = SendError("500 Internal Server Error")
    done = worker(store, sink, clock).run(10)
    assert sink.got == ["b.START"]
    assert (done.sent, done.failed) == (1, 1)
    assert done.said == ["500 Internal Server Error; message 1 is sent later (`floe outbox`)"]
    del sink.fail["a.START"]
    assert worker(store, sink, clock).run(10).sent == 0  # not due yet
    clock.step(seconds=2)
    assert worker(store, sink, clock).run(10).sent == 2
    assert sink.got == ["b.START", "a.START", "a.FAIL"]


def test_the_wait_doubles_up_to_an_hour_half_of_it_by_chance(store: Store, sink: Sink, clock: Clock):
    for chance, seconds in ((1.0, [2, 4, 8, 16]), (0.0, [1, 2, 4, 8])):
        waits = [worker(store, sink, clock, chance=chance)._wait(attempts) for attempts in (1, 2, 3, 4)]
        assert waits == seconds
    assert worker(store, sink, clock)._wait(100_000) == 3600


def test_next_try_is_kept(store: Store, sink: Sink, clock: Clock):
    put(store, "a.START")
    sink.fail["a.START"] = OSError("connection reset")
    worker(store, sink, clock, chance=0.5).run(10)
    (message,) = outbox.messages(store)
    assert message["next_at"] == "2026-11-16T12:00:01.500Z"
    assert (message["attempts"], message["error"]) == (1, "OSError: connection reset")


def test_a_permanent_error_is_dead_at_once_and_the_key_goes_on(store: Store, sink: Sink, clock: Clock):
    put(store, "a.START", "a.FAIL")
    sink.fail["a.START"] = SendError("404 Not Found", "Check the address", permanent=True)
    done = worker(store, sink, clock).run(10)
    assert (done.sent, done.dead) == (1, 1)
    assert states(store) == [("a.START", "dead", 1), ("a.FAIL", "sent", 1)]
    assert outbox.messages(store)[0]["error"] == "404 Not Found. Check the address"


def test_other_errors_are_dead_after_so_many_attempts(store: Store, sink: Sink, clock: Clock):
    put(store, "a.START")
    sink.fail["a.START"] = SendError("503 Service Unavailable")
    for _ in range(3):
        worker(store, sink, clock, Limits(attempts=3)).run(10)
        clock.step(hours=2)
    assert states(store) == [("a.START", "dead", 3)]


def test_a_dead_message_is_tried_again_when_asked(store: Store, sink: Sink, clock: Clock):
    put(store, "a.START")
    sink.fail["a.START"] = SendError("403 Forbidden", permanent=True)
    worker(store, sink, clock).run(10)
    del sink.fail["a.START"]
    outbox.retry(store, 1, actor="me", at=stamp(NOW))
    assert worker(store, sink, clock).run(10).sent == 1
    with pytest.raises(RegistryError, match="Message 1 was already sent"):
        outbox.retry(store, 1, actor="me", at=stamp(NOW))
    with pytest.raises(RegistryError, match="no message 7"):
        outbox.retry(store, 7, actor="me", at=stamp(NOW))


def test_an_unknown_sink_is_said_and_the_others_go_on(store: Store, sink: Sink, clock: Clock):
    put(store, "a.START", sink="pigeon")
    put(store, "a.FAIL")
    done = worker(store, sink, clock).run(10)
    assert (done.sent, done.dead) == (1, 1)
    assert "Unknown sink 'pigeon'" in done.said[0]


def test_a_place_out_of_reach_is_asked_once_a_round(store: Store, sink: Sink, clock: Clock):
    put(store, *(f"far:{number}.START" for number in range(20)), "near:1.START")
    for number in range(20):
        sink.fail[f"far:{number}.START"] = SendError("no route", reachable=False)
    done = worker(store, sink, clock).run(10)
    assert (done.sent, done.failed) == (1, 1)
    assert sorted(sink.asked) == ["far:0.START", "near:1.START"]
    assert [attempts for name, _, attempts in states(store) if name == "far:7.START"] == [0]


def test_a_sink_that_never_answers_costs_its_time_once(store: Store, sink: Sink, clock: Clock):
    put(store, "far:1.a", "far:2.a", "near:1.a")
    stuck = threading.Event()

    def send(message: Outgoing) -> str | None:
        if message.key.startswith("far"):
            stuck.wait(30)
        return sink.send(message)

    started = time.monotonic()
    sender = Sender(send, place=lambda message: message.key.split(":")[0], code="E540")
    done = OutboxWorker(store, {"test": sender}.get, clock, Limits(answer=0.3)).run(10)
    assert time.monotonic() - started < 5
    assert (done.sent, done.failed) == (1, 1)
    assert done.said[0].startswith("FLOE-E540: The test 'far' is out of reach: no answer within 0.3 seconds")
    stuck.set()


def test_a_round_ends_in_time(store: Store, clock: Clock):
    put(store, *(f"{number}.a" for number in range(100)))
    done = OutboxWorker(store, {"test": Sender(lambda _: time.sleep(0.05))}.get, clock).run(0.5)
    assert 0 < done.sent < 30
    assert outbox.count(store).waiting == 100 - done.sent


def test_a_note_is_said_once(store: Store, sink: Sink, clock: Clock):
    put(store, "a.1", "a.2", note="skipped: it holds nothing")
    assert worker(store, sink, clock).run(10).said == ["skipped: it holds nothing"]
    put(store, "a.3", note="skipped: it holds nothing")
    done = worker(store, sink, clock).run(10)
    assert (done.sent, done.said) == (1, [])


def test_a_day_of_a_dead_endpoint_loses_nothing_and_drains_in_order(store: Store, sink: Sink, clock: Clock):
    put(store, "a.START", "a.FAIL", "b.START", "b.FAIL")
    for name in ("a.START", "b.START"):
        sink.fail[name] = SendError("connection refused")
    for _ in range(48):
        worker(store, sink, clock).run(10)
        clock.step(minutes=30)
    assert outbox.count(store).waiting == 4
    sink.fail.clear()
    clock.step(hours=1)
    assert worker(store, sink, clock).run(10).sent == 4
    assert sink.got.index("a.START") < sink.got.index("a.FAIL")


def test_beyond_its_size_the_oldest_are_dropped_counted_and_logged(
    store: Store, sink: Sink, clock: Clock, caplog: pytest.LogCaptureFixture
):
    put(store, *(f"{number}.a" for number in range(10)))
    sink.fail = {f"{number}.a": SendError("connection refused") for number in range(10)}
    done = worker(store, sink, clock, Limits(most=4)).run(10)
    assert done.dropped == 6
    assert [name for name, *_ in states(store)] == ["6.a", "7.a", "8.a", "9.a"]
    assert "The outbox drops 6 unsent message(s), 1 to 6: beyond 4 unsent messages" in caplog.text
    assert outbox.count(store).dropped == 6


def test_beyond_its_age_what_was_tried_is_dropped_and_what_was_not_is_tried(store: Store, sink: Sink, clock: Clock):
    put(store, "a.START", "b.START")
    sink.fail["a.START"] = SendError("connection refused")
    sink.fail["b.START"] = SendError("404", permanent=True)
    worker(store, sink, clock).run(10)
    put(store, "c.START", at=NOW)
    clock.step(days=8)
    done = worker(store, sink, clock).run(10)
    assert (done.sent, done.dropped) == (1, 2)
    assert states(store) == [("c.START", "sent", 1)]
    clock.step(days=8)
    worker(store, sink, clock).run(10)
    assert states(store) == []
    assert outbox.count(store).dropped == 2


def test_one_worker_at_a_time(store: Store, sink: Sink, clock: Clock, registry_url: str, tmp_path: Path):
    put(store, "a.1", "b.1")
    seen = []

    def send(message: Outgoing) -> str | None:
        other = worker(open_store(registry_url, tmp_path), sink, clock)
        seen.append(other.run(10).busy)
        return None

    assert OutboxWorker(store, {"test": Sender(send)}.get, clock).run(10).sent == 2
    assert seen == [True, True]
    assert sink.asked == []
    assert not worker(store, sink, clock).run(10).busy


CHILD = """
import sys
from pathlib import Path
from floe.registry import open_store
from floe.registry.outbox_worker import OutboxWorker
from floe.system.clock import utc_now
from floe.events.file import file_sender
url, folder = sys.argv[1:]
senders = {"test": file_sender(Path(folder) / "told.jsonl")}
print(OutboxWorker(open_store(url, Path(folder)), senders.get, utc_now).run(30).sent)
"""


def child(url: str, folder: Path, failpoint: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "FLOE_FAILPOINT": failpoint}
    words = [sys.executable, "-c", CHILD, url, str(folder)]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("registry_url", ["postgresql"], indirect=True)
def test_a_frozen_worker_does_not_keep_the_others_from_sending(store: Store, registry_url: str, tmp_path: Path):
    put(store, "a.1", at=datetime(2026, 1, 1, tzinfo=UTC))
    words = CHILD.replace(".run(30)", ".run(1)")
    stop = "import os, signal\nfrom floe.registry import outbox\n"
    stop += "find = outbox.next_messages\n"
    stop += "outbox.next_messages = lambda *a: (os.kill(os.getpid(), signal.SIGSTOP), find(*a))[1]\n"
    frozen = subprocess.Popen([sys.executable, "-c", stop + words, registry_url, str(tmp_path)])
    try:
        os.waitid(os.P_PID, frozen.pid, os.WSTOPPED | os.WNOWAIT)
        assert child(registry_url, tmp_path).stdout == "0\n"  # it holds the lock
        until = time.monotonic() + 120
        while child(registry_url, tmp_path).stdout != "1\n":
            assert time.monotonic() < until
    finally:
        frozen.send_signal(signal.SIGCONT)
        frozen.wait(60)
    assert len((tmp_path / "told.jsonl").read_text().splitlines()) == 1  # what it looked for late was sent


def test_a_worker_killed_between_sending_and_marking_sends_twice_and_loses_nothing(
    store: Store, registry_url: str, tmp_path: Path
):
    put(store, "a.START", "a.FAIL", at=NOW - timedelta(days=1))
    assert child(registry_url, tmp_path, "outbox-sent").returncode == -signal.SIGKILL
    assert outbox.count(store).waiting == 2
    again = child(registry_url, tmp_path)
    assert (again.stdout, again.stderr) == ("2\n", "")
    lines = [json.loads(line) for line in (tmp_path / "told.jsonl").read_text().splitlines()]
    assert [(line["id"], line["payload"]["name"]) for line in lines] == [(1, "a.START"), (1, "a.START"), (2, "a.FAIL")]


def test_a_password_in_an_error_is_not_kept(store: Store, sink: Sink, clock: Clock):
    put(store, "a.START")
    sink.fail["a.START"] = OSError("cannot reach https://me:hunter2@host/x")
    done = worker(store, sink, clock).run(10)
    assert "hunter2" not in str(outbox.messages(store)) + str(done)


def test_four_workers_at_once_send_each_message_once(store: Store, registry_url: str, tmp_path: Path):
    put(store, *(f"{number % 7}.{number}" for number in range(100)), at=NOW - timedelta(days=1))
    words = [sys.executable, "-c", CHILD, registry_url, str(tmp_path)]
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert sum(int(one.communicate(timeout=60)[0]) for one in running) == 100
    lines = [json.loads(line)["id"] for line in (tmp_path / "told.jsonl").read_text().splitlines()]
    assert sorted(lines) == list(range(1, 101))


@pytest.mark.soak
def test_workers_killed_at_any_moment_lose_nothing_and_keep_the_order(store: Store, registry_url: str, tmp_path: Path):
    put(store, *(f"{number % 7}.{number}" for number in range(1000)), at=NOW - timedelta(days=1))
    words = [sys.executable, "-c", CHILD, registry_url, str(tmp_path)]
    told = tmp_path / "told.jsonl"
    told.touch()
    for number in range(100):
        size = told.stat().st_size
        running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while told.stat().st_size == size and running.poll() is None:
            time.sleep(0.001)
        time.sleep(0.0002 * number)
        running.kill()
        running.wait()
    assert 0 < outbox.count(store).waiting < 1000  # all were killed at work
    child(registry_url, tmp_path)
    assert outbox.count(store).waiting == 0
    lines = [json.loads(line) for line in (tmp_path / "told.jsonl").read_text().splitlines() if line.endswith("}")]
    for key in range(7):
        first = list(dict.fromkeys(line["id"] for line in lines if line["key"] == str(key)))
        assert first == [number + 1 for number in range(1000) if number % 7 == key]
