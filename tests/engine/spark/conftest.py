"""The session that measuring tests run on: classic, or by SPARK_UNDER_TEST a Connect server's or a cluster's."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.conftest import spark_settings


@pytest.fixture(scope="session")
def session(request: pytest.FixtureRequest, spark_root: Path) -> Iterator:
    kind = os.environ.get("SPARK_UNDER_TEST", "classic")
    if kind == "classic":
        yield request.getfixturevalue("spark")
        return
    with ExitStack() as parts:
        master = parts.enter_context({"connect": connect_server, "cluster": cluster}[kind](spark_root))
        from floe.engine.spark.session import own_session

        spark = own_session(spark_settings(spark_root, spark_root, **{"spark.master": master}))
        parts.callback(spark.stop)
        yield spark


@contextmanager
def connect_server(root: Path) -> Iterator[str]:
    """A Spark Connect server of its own; its address."""
    port = _free_port()
    words = [
        *("spark-submit", "--master", "local[2]", "--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
        *(
            "--conf",
            "spark.connect.grpc.binding.address=127.0.0.1",
            "--conf",
            f"spark.connect.grpc.binding.port={port}",
        ),
        *(word for key, value in _configured(root).items() for word in ("--conf", f"{key}={value}")),
        *("--conf", "spark.sql.shuffle.partitions=4", "spark-internal"),
    ]
    with _running(root / "connect.log", words, port):
        yield f"sc://127.0.0.1:{port}"


def _configured(root: Path) -> dict[str, str]:
    """What a session must be started with for Delta and Iceberg, as floe starts its own."""
    from floe.engine.spark.session import configuration, jars

    settings = spark_settings(root, root)
    return configuration(settings, jars(settings))


@contextmanager
def cluster(root: Path) -> Iterator[str]:
    """A standalone cluster of a master and two workers; its address."""
    port, deploy = _free_port(), "org.apache.spark.deploy"
    address = f"spark://127.0.0.1:{port}"
    master = ["spark-class", f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    with ExitStack() as parts:
        parts.enter_context(_running(root / "master.log", master, port))
        for number in (1, 2):
            at = _free_port()
            worker = ["spark-class", f"{deploy}.worker.Worker", "--host", "127.0.0.1", "--port", str(at)]
            worker += ["--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", str(root / f"work{number}")]
            parts.enter_context(_running(root / f"worker{number}.log", [*worker, address], at))
        yield address


@contextmanager
def _running(log: Path, words: list[str], port: int) -> Iterator[None]:
    import pyspark

    home = Path(pyspark.__file__).parent
    settings = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}
    clean = {key: value for key, value in os.environ.items() if key != "SPARK_REMOTE"}
    command = [str(home / "bin" / words[0]), *words[1:]]
    with log.open("wb") as file, subprocess.Popen(command, env={**clean, **settings}, stdout=file, stderr=file) as part:
        try:
            _wait(port, part, log)
            yield
        finally:
            part.terminate()
            part.wait(30)


def _wait(port: int, part: subprocess.Popen, log: Path) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until and part.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise AssertionError(log.read_text()[-3000:])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
