"""Which files of a Delta table were only rewritten: by OPTIMIZE and REORG, which move rows and change none.

A commit is believed where Delta itself made it of the rows it read. A writer may declare of any commit that no data
changed (`dataChange=false`), whatever it wrote: its files are read again. So are files that were rewritten while the
table's columns were others than now: DROP FEATURE columnMapping, for one, gives columns the names of others back.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyarrow
from deltalake.exceptions import DeltaError
from deltalake.fs import DeltaStorageHandler
from pyarrow.fs import PyFileSystem

from floe.model.plan import file_id
from floe.tables.delta.log import open_log
from floe.tables.delta.metadata import column_identity, delta_mark
from floe.tables.facts import Rewrite

_COMMITS = 1000  # that are searched
_MAPPING = "delta.columnMapping.mode"
_MOVING = ("OPTIMIZE", "REORG")
Action = Mapping[str, Any]


class _Commit(NamedTuple):
    """The actions of a commit that matter here."""

    operation: str | None
    metadata: Action | None
    added: tuple[Action, ...]
    removed: tuple[Action, ...]


def rewrites(path: str, since: int, now: int) -> list[Rewrite]:
    """The rewrites between two versions, oldest first; those before a missing commit are left out."""
    commits: list[_Commit] = []
    try:
        table = open_log(path)
        log = PyFileSystem(DeltaStorageHandler.from_table(table._table))
        columns = _identities(json.loads(table.schema().to_json()))
        mapping = table.metadata().configuration.get(_MAPPING, "none")
        for version in range(now, max(since, now - _COMMITS), -1):
            name = f"_delta_log/{version:020}.json"
            if not log.get_file_info(name).is_file:
                break
            with log.open_input_file(name) as stream:
                commit = _commit(stream.read())
            if commit.metadata and _changed(commit, columns, mapping):
                break
            commits.append(commit)
    except (DeltaError, OSError, ValueError, pyarrow.ArrowException):
        pass  # what was found is right without the others
    return _rewrites(commits[::-1])


def _commit(text: bytes) -> _Commit:
    operation, metadata, added, removed = None, None, [], []
    for line in text.splitlines():
        for kind, action in (json.loads(line) if line.strip() else {}).items():
            match kind:
                case "commitInfo":
                    operation = action.get("operation")
                case "metaData":
                    metadata = action
                case "add":
                    added.append(action)
                case "remove":
                    removed.append(action)
    return _Commit(operation, metadata, tuple(added), tuple(removed))


def _identities(schema: Mapping[str, Any]) -> dict[str, str]:
    return {field["name"]: column_identity(field) for field in schema["fields"]}


def _changed(commit: _Commit, columns: Mapping[str, str], mapping: str) -> bool:
    """Whether a column that is there now was another one at a commit of the table's metadata, or became one in it."""
    assert commit.metadata
    then = _identities(json.loads(commit.metadata["schemaString"]))
    moved = bool(commit.added and commit.removed)  # files that were rewritten for the new metadata
    return (
        moved
        or (commit.metadata.get("configuration") or {}).get(_MAPPING, "none") != mapping
        or any(then[name] != columns[name] for name in then.keys() & columns.keys())
    )


def _rewrites(commits: list[_Commit]) -> list[Rewrite]:
    """The commits that moved rows and did nothing else, oldest first."""
    found, fresh = [], dict[str, str]()
    for commit in commits:
        rewrite = _rewrite(commit, fresh)
        found += [rewrite] if rewrite else []
        fresh |= {unquote(action["path"]): _id(action) for action in commit.added}
    return found


def _rewrite(commit: _Commit, fresh: Mapping[str, str]) -> Rewrite | None:
    """What a commit put in the place of what; `fresh` are the files that came before it, by their paths."""
    if not _only_moves(commit):
        return None
    counts = [_rows(action) for action in commit.added]
    if None in counts or any(action.get("deletionVector") for action in commit.added):
        return None
    deleted = [(action.get("deletionVector") or {}).get("cardinality", 0) for action in commit.removed]
    rows = sum(count for count in counts if count) + sum(deleted)
    return Rewrite(
        frozenset(_removed(action, fresh) for action in commit.removed),
        frozenset(_id(action) for action in commit.added),
        rows,
    )


def _only_moves(commit: _Commit) -> bool:
    """Whether Delta itself marks a commit as moving rows between files without changing any."""
    if commit.operation not in _MOVING or not commit.added or not commit.removed:
        return False
    return not any(action.get("dataChange", True) for action in (*commit.added, *commit.removed))


def _removed(action: Action, fresh: Mapping[str, str]) -> str:
    """A removed file as far as its action names it; one with deleted rows cannot be distinguished from others of its kind."""
    path = unquote(action["path"])
    name = fresh.get(path, path).split("\n", 1)[0]
    return f"{name}\n?" if action.get("deletionVector") else name


def _id(action: Action) -> str:
    """An added file as statistics name it."""
    return file_id(
        unquote(action["path"]), _rows(action), delta_mark(action.get("size"), action.get("modificationTime"))
    )


def _rows(action: Action) -> int | None:
    rows = json.loads(action.get("stats") or "{}").get("numRecords")
    return rows if isinstance(rows, int) else None
