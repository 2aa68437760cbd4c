"""A Prometheus of our own: Debian's package, unpacked once into the cache, on a free port."""

import fcntl
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_HOME = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "floe" / "prometheus"


def binary(name: str) -> Path:
    """A program of the package; nothing is installed into the system, and no service of it is started."""
    _HOME.parent.mkdir(parents=True, exist_ok=True)
    with (_HOME.parent / "prometheus.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (_HOME / "usr/bin/promtool").exists():
            _unpack()
    return _HOME / "usr/bin" / name


def _unpack() -> None:
    new = _HOME.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    new.chmod(0o777)  # apt downloads as a user of its own
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    download = ["apt-get", "download", "-qq", "prometheus"]
    if subprocess.run(download, cwd=new, env=quiet, capture_output=True, check=False).returncode:
        subprocess.run(["apt-get", "update", "-qq"], env=quiet, capture_output=True, check=True)
        subprocess.run(download, cwd=new, env=quiet, capture_output=True, check=True)
    (package,) = new.glob("prometheus_*.deb")
    subprocess.run(["dpkg-deb", "-x", package, new], check=True, capture_output=True)
    package.unlink()
    new.rename(_HOME)


class Prometheus:
    """A running server that is asked."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def get(self, path: str, **words: str) -> Any:
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(words)}", timeout=20) as answer:
            return json.load(answer)["data"]

    def ask(self, query: str) -> list[dict[str, Any]]:
        """The series that a query gives now."""
        found: list[dict[str, Any]] = self.get("query", query=query)["result"]
        return found


@contextmanager
def prometheus(folder: Path, scraped: str, rules: Path | None = None) -> Iterator[Prometheus]:
    """A server that scrapes one place every second."""
    folder.mkdir(parents=True, exist_ok=True)
    host = scraped.removeprefix("http://")
    (folder / "prometheus.yml").write_text(
        json.dumps(
            {
                "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                "rule_files": [str(rules)] if rules else [],
                "scrape_configs": [{"job_name": "floe", "static_configs": [{"targets": [host]}]}],
            }
        )
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
    words += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([binary("prometheus"), *words], cwd=folder, stdout=log, stderr=log)
    server = Prometheus(port)
    try:
        until(lambda: _ready(server.url) or process.poll() is not None)
        assert process.poll() is None, (folder / "log").read_text()
        yield server
    finally:
        process.terminate()
        process.wait(30)


def _ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/-/ready", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def until(claim: Callable[[], Any], seconds: float = 60.0) -> Any:
    """What a claim gives as soon as it holds."""
    ends = time.monotonic() + seconds
    while not (held := claim()):
        assert time.monotonic() < ends
        time.sleep(0.1)
    return held
