"""Which commits of a Delta table still count.

RESTORE does not remove commits from the log: it adds one that makes an older version current again, and what was committed
between the two no longer counts. A batch that was restored away must be written again when it is repeated.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from floe.model import TableError
from floe.tables.delta.log import open_log


class LogEntry(NamedTuple):
    """One commit of the log: its version, its operation, and the marks of the floe run that made it."""

    version: int
    operation: str
    parameters: Mapping[str, Any]
    metrics: Mapping[str, Any]
    marks: Mapping[str, str]

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> "LogEntry":
        """A commit as Delta's history lists it."""
        return cls(
            int(entry["version"]),
            str(entry.get("operation")),
            entry.get("operationParameters") or {},
            entry.get("operationMetrics") or {},
            _marks(entry.get("userMetadata")),
        )


def _marks(metadata: Any) -> Mapping[str, str]:
    """The marks in a commit's userMetadata; none where another program wrote it."""
    if "floe.run_id" not in str(metadata):
        return {}
    try:
        marks = json.loads(str(metadata))
    except ValueError:
        return {}
    return marks if isinstance(marks, dict) else {}


def standing(history: Sequence[LogEntry], log: DeltaTable | None) -> list[LogEntry]:
    """The commits that no later RESTORE undid, newest first."""
    kept: list[LogEntry] = []
    ceiling: int | None = None  # the version that the newest RESTORE so far went back to
    for entry in history:
        if ceiling is not None and entry.version > ceiling:
            continue
        kept.append(entry)
        if entry.operation == "RESTORE":
            ceiling = _restored(entry, history, log)
    return kept


def _restored(entry: LogEntry, history: Sequence[LogEntry], log: DeltaTable | None) -> int:
    """The version that a RESTORE made current again."""
    version = entry.parameters.get("version")
    if version not in (None, ""):
        return int(version)
    found = _same_files(entry, history, log) if log else None
    if found is None:
        raise TableError(
            f"The table was restored to a timestamp (version {entry.version}), and the restored version cannot be determined",
            "Check the rows of the table, then write the batch under another batch_id",
        )
    return found


def _same_files(entry: LogEntry, history: Sequence[LogEntry], log: DeltaTable) -> int | None:
    """The newest older version with just the files that a RESTORE left: a moment in its parameters has no time zone."""
    try:
        wanted = _files(log, entry.version)
        return next(
            (
                log_entry.version
                for log_entry in history
                if log_entry.version < entry.version and _files(log, log_entry.version) == wanted
            ),
            None,
        )
    except (DeltaError, OSError):
        return None


def _files(log: DeltaTable, version: int) -> set[str]:
    return set(open_log(log.table_uri, version).file_uris())
