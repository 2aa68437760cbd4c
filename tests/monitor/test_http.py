"""What the monitor answers over HTTP: nothing to other sites, nothing to caches, and in trouble neither SQL, places nor secrets."""

import re
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import psycopg

from tests.helpers.monitored import fill, promise
from tests.helpers.postgres import Postgres
from tests.helpers.proxy import proxied

PASSWORD = "hunter22"
OFTEN = "{freshness: {check_interval: 1s}, availability: {check_interval: 1s}}"
Found = TypeVar("Found")


def until(claim: Callable[[], Found | None], seconds: float = 30.0) -> Found:
    ends = time.monotonic() + seconds
    while not (found := claim()):
        assert time.monotonic() < ends
        time.sleep(0.05)
    return found


@contextmanager
def monitor(root: Path, registry: str = "sqlite:///.floe/registry.db") -> Iterator[str]:
    """Where `floe monitor run` answers, that watches one table every second."""
    promise(root, "orders")
    fill(root, "orders")
    (root / "manifest.yaml").write_text(
        f'registry: {{url: "{registry}"}}\ndata_contracts: {{monitoring: {OFTEN}}}\n', "utf-8"
    )
    with (root / "monitor.log").open("w") as log:
        words = [sys.executable, "-m", "floe", "monitor", "run", "--port", "0"]
        process = subprocess.Popen(words, cwd=root, stderr=log, text=True)
    try:
        place = until(lambda: re.search(r"· (http://\S+)/metrics", (root / "monitor.log").read_text()))[1]
        until(lambda: get(f"{place}/ready")[0] == 200)
        yield place
    finally:
        process.terminate()
        assert process.wait(30) == 0


def get(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def raw(place: str, request: str) -> str:
    """What the service answers to a request as it stands here, until it closes."""
    host, port = place.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as client:
        parts = []
        with suppress(ConnectionError):
            client.sendall(request.encode())
            while part := client.recv(65536):
                parts.append(part)
    return b"".join(parts).decode()


def closed(line: str, *more: str, host: str = "127.0.0.1") -> str:
    """A request with a line and headers, after which the connection is closed."""
    return "\r\n".join([f"{line} HTTP/1.1", f"Host: {host}", "Connection: close", *more, "", ""])


def names_nothing(text: str, root: Path) -> None:
    """An answer holds neither a trace, nor SQL, nor a place, nor a secret."""
    for word in ("Traceback", 'File "', "SELECT", "INSERT", "[SQL", str(root), str(Path.home()), PASSWORD, "://"):
        assert word not in text, text


def test_other_sites_and_caches_get_nothing(tmp_path: Path):
    origin = "Origin: https://evil.example"
    asked = {
        closed("GET /health"): 200,
        closed("GET /ready", origin): 200,
        closed("GET /metrics", origin): 200,
        closed("OPTIONS /metrics", origin, "Access-Control-Request-Method: GET"): 405,
        closed("POST /health", origin, "Content-Length: 0"): 405,
        closed("GET /health", host="evil.example"): 400,  # a name that was pointed at this machine
        closed("GET /metrics", "X-Forwarded-Host: 127.0.0.1", host="evil.example"): 400,
        closed("GET //evil.example/%2e%2e/health"): 404,
        closed("GET /../../etc/passwd"): 404,
        closed("GET /docs"): 404,
        closed("GET /health?x=<script>alert(1)</script>"): 200,
    }
    with monitor(tmp_path) as place:
        for request, status in asked.items():
            answer = raw(place, request)
            head = answer.split("\r\n\r\n")[0].lower()
            assert answer.split(" ", 2)[1] == str(status), (request, answer)
            assert "cache-control: no-store" in head, request
            assert "x-content-type-options: nosniff" in head
            assert "x-frame-options: deny" in head
            assert not re.search("access-control|set-cookie|location:|server:", head), answer
            assert "<script>" not in answer
            names_nothing(answer, tmp_path)


def test_a_registry_that_breaks_is_told_without_sql_and_places(tmp_path: Path):
    with monitor(tmp_path) as place:
        with sqlite3.connect(tmp_path / ".floe" / "registry.db") as registry:
            registry.execute("ALTER TABLE check_runs RENAME TO away")
        until(lambda: get(f"{place}/ready")[0] == 503)
        status, health = get(f"{place}/health")
        assert (status, '"degraded"' in health, "no such table" in health) == (200, True, True)
        for path in ("/health", "/ready", "/metrics"):
            names_nothing(get(f"{place}{path}")[1].replace("# HELP", ""), tmp_path)
        with sqlite3.connect(tmp_path / ".floe" / "registry.db") as registry:
            registry.execute("ALTER TABLE away RENAME TO check_runs")
        until(lambda: get(f"{place}/ready")[0] == 200)


def test_a_server_that_is_gone_is_told_without_its_password(tmp_path: Path, postgres: Postgres):
    url = postgres.database()
    with proxied(postgres.port) as proxy:
        through = url.replace(f"@127.0.0.1:{postgres.port}", f":{PASSWORD}@127.0.0.1:{proxy.port}")
        with monitor(tmp_path, through) as place:
            proxy.mode = "reset"
            end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
            with psycopg.connect(postgres.url, autocommit=True) as connection:
                connection.execute(end, [url.rpartition("/")[2]])
            until(lambda: get(f"{place}/ready")[0] == 503)
            for path in ("/health", "/ready", "/metrics"):
                names_nothing(get(f"{place}{path}")[1], tmp_path)
            assert '"degraded"' in get(f"{place}/health")[1]
            proxy.mode = "pass"
            until(lambda: get(f"{place}/ready")[0] == 200)
        assert PASSWORD not in (tmp_path / "monitor.log").read_text()
