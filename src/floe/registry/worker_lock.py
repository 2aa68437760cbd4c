"""One worker at a time: a lock that is not waited for, and that a killed worker lets go by itself."""

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from floe.model import RegistryError
from floe.registry.store import FROZEN_SECONDS, Store
from floe.system.full_disk import remedy
from floe.system.private_files import open_private

# PostgreSQL before 14 does not know it
_FREED_WHEN_SILENT = (
    "SELECT set_config('idle_session_timeout', :most, false) WHERE current_setting('server_version_num')::int >= 140000"
)


@contextmanager
def only_worker(store: Store, name: str, seconds: float | None = None) -> Iterator[bool]:
    """Whether this process has the lock of this work; nobody else has it until the block ends.

    Who holds it for longer than `seconds` is frozen, and a server gives it to others; unless that is not given.
    """
    with _postgresql(store, name, seconds) if store.postgresql else _sqlite(store, name) as mine:
        yield mine


@contextmanager
def _postgresql(store: Store, name: str, seconds: float | None) -> Iterator[bool]:
    """A lock of the server's session: it ends with the connection, whatever ends that."""
    key = {"key": int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)}
    with store.session() as connection:
        mine = bool(connection.execute(sa.text("SELECT pg_try_advisory_lock(:key)"), key).scalar())
        try:
            if mine and seconds is not None:
                most = {"most": f"{int(seconds) + FROZEN_SECONDS}s"}
                connection.execute(sa.text(_FREED_WHEN_SILENT), most)
            yield mine
        finally:
            if mine:
                try:
                    connection.execute(sa.text("SELECT pg_advisory_unlock(:key)"), key)
                    connection.execute(sa.text("RESET idle_session_timeout"))
                except SQLAlchemyError:
                    connection.invalidate()  # the server is down, or treated this process as frozen, and the lock is gone


@contextmanager
def _sqlite(store: Store, name: str) -> Iterator[bool]:
    """A lock on a file next to the database; the kernel releases it with the process."""
    folder = Path(str(store.engine.url.database)).parent / "locks"
    with _opened(folder / f"{name}.lock") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def _opened(path: Path) -> TextIO:
    try:
        opened: TextIO = open_private(path, "w")
        return opened
    except OSError as error:
        raise RegistryError(
            f"{path} cannot be written: {error.strerror}", remedy(error, "Make the registry's folder writable"), "E542"
        ) from None
