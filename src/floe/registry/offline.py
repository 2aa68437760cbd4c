"""An unreachable registry: local copies answer, and everything else raises the reason."""

import fcntl
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.exc import OperationalError

from floe.lang.json_text import dumps
from floe.lang.secret import with_variables_hidden
from floe.model import RegistryError
from floe.registry.store import Store
from floe.system.private_files import open_private, write_private


class Offline(Store):
    """Replaces a store at a gate, so that a batch can be checked and written; its run is recorded later."""

    def __init__(self, cause: RegistryError, folder: Path) -> None:
        self.cause, self.folder = cause, folder

    @contextmanager
    def begin(self, writes: bool = False, patient: bool = False) -> Iterator[Connection]:
        """Raises the reason why the registry is unreachable."""
        raise self.cause
        yield  # what makes it a context

    def table(self, table_id: str) -> Mapping[str, Any] | None:
        """The last known location of a table."""
        try:
            row = json.loads(_copy(self.folder, table_id).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return row if isinstance(row, dict) and row.get("table_id") == table_id else None

    def schema_version(self, table_id: str, schema_hash: str, declared: int | None) -> int:
        """As declared; the properties of the table win."""
        return declared if declared is not None else 1

    def accepted(self, table_id: str, batch_id: str) -> list[Mapping[str, Any]]:
        """Unknown here; the table's own log identifies a batch."""
        return []

    @contextmanager
    def lock(self, table_id: str) -> Iterator[None]:
        """Let one writer of this machine at a time publish."""
        folder = self.folder / "locks"
        with open_private(folder / f"{hashlib.sha256(table_id.encode()).hexdigest()[:16]}.lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def out_of_reach(error: RegistryError) -> bool:
    """Whether the database did not answer; one that answers wrongly, or is another one, is not passed over."""
    return isinstance(error.__context__, OperationalError)


def keep_table(folder: Path, row: Mapping[str, Any]) -> None:
    """Store a local copy of a table's location; a folder that cannot be written is not an error."""
    path, text = _copy(folder, row["table_id"]), dumps(with_variables_hidden(row))
    try:
        if not path.is_file() or path.read_text("utf-8") != text:
            write_private(path, text)
    except OSError:
        return


def _copy(folder: Path, table_id: str) -> Path:
    return folder / "cache" / "tables" / f"{hashlib.sha256(table_id.encode()).hexdigest()[:16]}.json"
