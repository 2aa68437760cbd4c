"""A Spark cluster whose worker does not share the driver's disk: one master, one worker in a mount namespace of its own.

Over the folder of the driver the worker sees an empty disk of its own, as on another machine. A folder beside it is visible
to both, as a shared mount is.
"""

import os
import shlex
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pyspark

HOME = Path(pyspark.__file__).parent
_SECONDS = 60


class Cluster(NamedTuple):
    """The master's address, the driver's own folder and the folder that all machines see."""

    master: str
    driver: Path
    shared: Path


def why_not() -> str | None:
    """Why a mount namespace cannot be had here, None where it can."""
    tried = subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, text=True, check=False
    )
    return tried.stderr.strip() or "unshare failed" if tried.returncode else None


@contextmanager
def two_disks(place: Path) -> Iterator[Cluster]:
    """The cluster, as long as it is used."""
    driver, shared, logs = place / "driver", place / "shared", place / "logs"
    for folder in (driver, shared, logs):
        folder.mkdir(parents=True)
    port = _free_port()
    address = f"spark://127.0.0.1:{port}"
    master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    worker = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0"]
    worker += ["--cores", "2", "--memory", "1g", "--work-dir", str(logs / "work"), address]
    own_disk = f"mount -t tmpfs tmpfs {shlex.quote(str(driver))} && exec"
    started = [_start(logs / "master.log", [str(HOME / "bin" / "spark-class"), *master])]
    try:
        _wait_for(logs / "master.log", "I have been elected leader")
        command = shlex.join([str(HOME / "bin" / "spark-class"), *worker])
        started.append(_start(logs / "worker.log", ["unshare", "-m", "sh", "-c", f"{own_disk} {command}"]))
        _wait_for(logs / "worker.log", "Successfully registered with master")
        yield Cluster(address, driver, shared)
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(_SECONDS)


def _start(log: Path, command: list[str]) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_SCALA_VERSION": "2.13", "SPARK_LOCAL_IP": "127.0.0.1"}
    with log.open("wb") as file:
        return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment)


def _wait_for(log: Path, words: str) -> None:
    until = time.monotonic() + _SECONDS
    while words not in log.read_text("utf-8", errors="replace"):
        if time.monotonic() > until:
            raise TimeoutError(f"{words!r} is not in {log}: {log.read_text('utf-8')[-2000:]}")
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
