"""Which files of a Delta table were only rewritten: OPTIMIZE and the like, which say that no data changed."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pyarrow
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError
from deltalake.fs import DeltaStorageHandler
from pyarrow.fs import PyFileSystem

from floe.data.remembered import Rewrite

_COMMITS = 1000  # that are looked through


def rewrites(path: str, since: int, now: int) -> list[Rewrite]:
    """The rewrites after one version and up to another, oldest first; those before a commit that is gone are left out."""
    found: list[Rewrite] = []
    try:
        log = PyFileSystem(DeltaStorageHandler.from_table(DeltaTable(path)._table))
        for version in range(now, max(since, now - _COMMITS), -1):
            name = f"_delta_log/{version:020}.json"
            if not log.get_file_info(name).is_file:
                break
            with log.open_input_file(name) as stream:
                rewrite = _rewrite(list(_actions(stream.read())))
            found += [rewrite] if rewrite else []
    except (DeltaError, OSError, ValueError, pyarrow.ArrowException):
        pass  # what was found is right without the others
    return found[::-1]


def _actions(text: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in text.splitlines():
        for kind, action in (json.loads(line) if line.strip() else {}).items():
            if kind in ("add", "remove"):
                yield kind, action


def _rewrite(actions: list[tuple[str, dict[str, Any]]]) -> Rewrite | None:
    """A commit that moved rows and did nothing else."""
    if not actions or any(action.get("dataChange", True) for _, action in actions):
        return None
    if any(kind == "add" and action.get("deletionVector") for kind, action in actions):
        return None
    files = {side: frozenset(_id(action) for kind, action in actions if kind == side) for side in ("add", "remove")}
    return Rewrite(files["remove"], files["add"]) if files["remove"] and files["add"] else None


def _id(action: dict[str, Any]) -> str:
    """A file as statistics name it; one with deleted rows is not told from others of its kind."""
    path = unquote(action["path"])
    return f"{path}\n?" if action.get("deletionVector") else path
