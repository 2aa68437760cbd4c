"""Fault 8: a registry that takes a connection and then falls silent is given up, whatever was under way."""

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import floe
from floe.cli import main
from floe.registry import open_store, timed
from tests.conftest import Lake, spark_settings
from tests.helpers.gates import rows_of
from tests.helpers.monitored import fill, promise
from tests.helpers.orders import frame, order
from tests.helpers.postgres import Postgres
from tests.helpers.proxy import Proxy, proxied
from tests.helpers.repositories import contract, write

SILENT = "no answer within 70 seconds"


@pytest.fixture
def proxy(postgres: Postgres) -> Iterator[Proxy]:
    with proxied(postgres.port) as made:
        yield made


def through(proxy: Proxy, url: str) -> str:
    """The address of a database behind the proxy."""
    return url.replace(f":{proxy.target}/", f":{proxy.port}/")


@contextmanager
def silent_from(proxy: Proxy, words: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the server fall silent at a statement; from then on the hours fly."""
    monkeypatch.setattr(timed, "monotonic", _flying(proxy, time.monotonic))
    proxy.mode, proxy.only = "silent", words
    yield
    assert proxy.silenced.is_set(), f"nobody sent {words!r}"
    proxy.mode = "pass"
    proxy.silenced.clear()


def _flying(proxy: Proxy, clock: Callable[[], float]) -> Callable[[], float]:
    return lambda: clock() + 3600 * proxy.silenced.is_set()


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        (("publish", "orders.yaml"), b"pg_advisory_xact_lock"),
        (("publish", "orders.yaml"), b"INSERT INTO versions"),
        (("publish", "orders.yaml"), b"COMMIT"),
        (("runs",), b"FROM check_runs"),
        (("contracts", "search"), b"alembic_version"),
        (("outbox",), b"FROM outbox"),
    ],
)
def test_a_command_gives_a_silent_registry_up(tmp_path, monkeypatch, capsys, postgres, proxy, words, moment):
    monkeypatch.chdir(tmp_path)
    write("orders.yaml", contract())
    url = postgres.database()
    open_store(url, tmp_path)
    monkeypatch.setenv("FLOE_REGISTRY_URL", through(proxy, url))
    with silent_from(proxy, moment, monkeypatch):
        code = main(list(words))
        told = capsys.readouterr()
        assert (code, told.out) == (2, "")
        assert "FLOE-E542" in told.err
        assert SILENT in told.err
        assert "does not respond" in told.err
    assert main(list(words)) == 0  # nothing is left over from it


def test_a_test_says_what_it_found_and_keeps_its_run(tmp_path, monkeypatch, capsys, postgres, proxy):
    monkeypatch.chdir(tmp_path)
    path = promise(tmp_path, "orders")
    fill(tmp_path, "orders")
    url = postgres.database()
    open_store(url, tmp_path)
    monkeypatch.setenv("FLOE_REGISTRY_URL", through(proxy, url))
    with silent_from(proxy, b"INSERT INTO check_runs", monkeypatch):
        code = main(["test", str(path), "--format", "json"])
        told = capsys.readouterr()
        (result,) = json.loads(told.out)["results"]
        assert (code, result["outcome"]) == (0, "pass")
        assert SILENT in told.err
        assert len(list((tmp_path / ".floe" / "unrecorded").iterdir())) == 1
    assert main(["test", str(path)]) == 0
    assert len(open_store(url, tmp_path).runs(10)) == 2


@pytest.mark.spark
@pytest.mark.parametrize("lake", ["delta"], indirect=True)
def test_a_gate_writes_nothing_before_its_lock_and_keeps_its_run_after_its_commit(
    spark, spark_root: Path, lake: Lake, monkeypatch, postgres, proxy
):
    given = {"registry.url": through(proxy, postgres.database()), "tables.format": lake.format}
    settings = spark_settings(spark_root, lake.root, **given)
    floe.enforce(frame(spark, order(1)), lake.table_id, batch_id="a", settings=settings)
    with silent_from(proxy, b"pg_advisory_xact_lock", monkeypatch):
        with pytest.raises(floe.RegistryError, match=SILENT) as caught:
            floe.enforce(frame(spark, order(2)), lake.table_id, batch_id="b", settings=settings)
        assert caught.value.code == "E542"
        assert (rows_of(spark, lake), lake.staged) == ([(1, "placed", "9.90")], [])
    with silent_from(proxy, b"INSERT INTO check_runs", monkeypatch):
        result = floe.enforce(frame(spark, order(2)), lake.table_id, batch_id="b", settings=settings)
        assert (result.written, result.refused) == (1, False)
        assert any(SILENT in note for note in result.notes), result.notes
    again = floe.enforce(frame(spark, order(2)), lake.table_id, batch_id="b", settings=settings)
    assert (again.written, again.repeated) == (1, True)
    floe.enforce(frame(spark, order(3)), lake.table_id, batch_id="c", settings=settings)
    runs = open_store(settings.registry.url, lake.root).runs(10, lake.table_id)
    assert {run["batch_id"] for run in runs} == {"a", "b", "c"}
    assert [row[0] for row in rows_of(spark, lake)] == [1, 2, 3]


def test_the_monitor_goes_on_answering_and_says_when_it_is_not_ready(tmp_path, postgres, proxy):
    promise(tmp_path, "orders")
    fill(tmp_path, "orders")
    limits = "?connect_timeout=2&options=-c%20statement_timeout%3D4000"
    (tmp_path / "manifest.yaml").write_text(f'registry: {{url: "{through(proxy, postgres.database())}{limits}"}}\n')
    words = [sys.executable, "-m", "floe", "monitor", "run", "--port", "0"]
    log = tmp_path / "log"
    with log.open("w") as stream:
        process = subprocess.Popen(words, cwd=tmp_path, stderr=stream)
    try:
        until(lambda: "/metrics" in log.read_text() or process.poll() is not None)
        found = re.search(r"(http\S+)/metrics", log.read_text())
        assert found, log.read_text()
        place = found[1]
        until(lambda: get(f"{place}/ready")[0] == 200)
        until(lambda: "floe_contract_availability_up{" in get(f"{place}/metrics")[1])  # the first check is over
        proxy.mode, proxy.only = "silent", b"SKIP LOCKED"  # at the question what is due
        assert proxy.silenced.wait(60)
        assert get(f"{place}/health")[0] == 200  # while it waits for an answer
        until(lambda: "no answer within 6 seconds" in get(f"{place}/ready")[1])
        assert get(f"{place}/ready")[0] == 503
        proxy.mode = "pass"
        until(lambda: get(f"{place}/ready")[0] == 200)
    finally:
        process.kill()
        process.wait()


def until(claim: Callable[[], bool], seconds: float = 120) -> None:
    ends = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < ends
        time.sleep(0.1)


def get(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
