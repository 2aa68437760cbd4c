"""Pending: what a run is about to commit, kept so that a killed one can be told and cleaned up after."""

import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from floe.lang.json_text import dumps
from floe.lang.secret import with_variables_hidden, with_variables_revealed
from floe.model import FloeError
from floe.system.full_disk import remedy
from floe.system.private_files import open_private

Keep = Callable[[Mapping[str, Any]], None]


class Leftover(NamedTuple):
    """What a killed run left: its id and batch, the files it staged, and the entry it was about to record."""

    path: Path
    run_id: str
    batch_id: str | None
    staging: str
    entry: dict[str, Any] | None

    def clear(self) -> None:
        """Take away what nobody can use."""
        shutil.rmtree(self.staging, ignore_errors=True)
        self.path.unlink(missing_ok=True)


@contextmanager
def pending(root: Path, table_id: str, run_id: str, batch_id: str | None, staging: str) -> Iterator[Keep]:
    """Say that a run is under way, and give the way to keep what it is about to commit.

    A run that is stopped leaves what it said: whether it had committed, the next run finds in the table.
    """
    path = _folder(root) / f"{run_id}.json"
    head = {"root": str(root), "table": table_id, "run_id": run_id, "batch_id": batch_id, "staging": staging}
    try:
        with _opened(path) as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # as long as the process lives
            _write(file, path, head)
            yield lambda entry: _write(file, path, {**head, "entry": entry})
    except Exception:
        path.unlink(missing_ok=True)
        raise
    path.unlink(missing_ok=True)


def _opened(path: Path) -> TextIO:
    try:
        file: TextIO = open_private(path, "w", encoding="utf-8")
        return file
    except OSError as error:
        raise _not_kept(path, error) from None


def _write(file: TextIO, path: Path, content: Mapping[str, Any]) -> None:
    rest = dumps(with_variables_hidden(content)).encode()
    number, at = file.fileno(), 0
    try:
        os.ftruncate(number, 0)
        while rest:
            written = os.pwrite(number, rest, at)
            rest, at = rest[written:], at + written
        os.fsync(number)
    except OSError as error:
        raise _not_kept(path, error) from None


def _not_kept(path: Path, error: OSError) -> FloeError:
    usual = f"Make {path.parent} writable, and run it again"
    return FloeError(f"{path} cannot be written, so nothing is committed: {error.strerror}", remedy(error, usual))


def leftovers(root: Path, table_id: str) -> list[Leftover]:
    """What killed runs left of a table; runs that still live hold their file."""
    found = []
    for path in sorted(_folder(root).glob("*.json")):
        with path.open(encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            try:
                said = json.loads(file.read())
            except ValueError:  # killed in the middle of saying it, so nothing was committed
                said = {"table": None}
        if said.get("root", str(root)) != str(root):
            path.unlink()  # of the project that this folder is a copy of, whose run may be alive
        elif said["table"] == table_id:
            left = Leftover(
                path, said["run_id"], said["batch_id"], with_variables_revealed(said["staging"]), said.get("entry")
            )
            found.append(left)
    return found


def _folder(root: Path) -> Path:
    return root / ".floe" / "pending"
