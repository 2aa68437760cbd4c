"""A PostgreSQL of our own: Debian's server on a free port, its cluster in a temporary folder."""

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path

import psycopg

_USER = "postgres"


def _binaries() -> Path:
    """The folder of Debian's versioned programs; the package is installed once where it is missing."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        for words in (("apt-get", "update", "-qq"), ("apt-get", "install", "-y", "-qq", "postgresql")):
            subprocess.run(
                words, check=True, capture_output=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            )
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent


@dataclass
class Postgres:
    """A running server; root may not run one, so that it runs as the user the package makes."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        """The address of its first database."""
        return self.address("postgres")

    def address(self, database: str) -> str:
        return f"postgresql://{_USER}@127.0.0.1:{self.port}/{database}"

    def database(self) -> str:
        """The address of a new, empty database."""
        name = f"t{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.address(name)

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder} -c max_connections=200"
        self._run("pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-w", "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", self.folder / "data", "-m", mode, "stop")

    def _run(self, program: str, *words: object) -> None:
        before = ["runuser", "-u", _USER, "--"] if os.geteuid() == 0 else []
        log = subprocess.run(
            [*before, str(_binaries() / program), *map(str, words)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False, cwd="/tmp",
        )  # fmt: skip
        assert log.returncode == 0, log.stderr


def make_postgres(durable: bool = False) -> Postgres:
    """Make and start a server; `durable` where the test is about its own death.

    Its folder is not below pytest's, which another run of pytest closes to all users but its own.
    """
    folder = Path(tempfile.mkdtemp(prefix="floe-postgres-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        server = Postgres(folder, free.getsockname()[1])
    _binaries()
    if os.geteuid() == 0:
        shutil.chown(folder, _USER)
    server._run("initdb", "-D", folder / "data", "-U", _USER, "-A", "trust", *([] if durable else ["-N"]))
    if not durable:
        with (folder / "data" / "postgresql.conf").open("a") as file:
            file.write("fsync = off\nsynchronous_commit = off\n")
    server.start()
    return server
