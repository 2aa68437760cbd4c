"""Open the log of a Delta table, wherever it is."""

import json
import os
from pathlib import Path

from deltalake import DeltaTable

from floe.model import TableError
from floe.tables import storage


def open_log(place: str, version: int | None = None) -> DeltaTable:
    """The log of the table at a place, at its newest version or an older one; deltalake's errors pass."""
    return DeltaTable(place, version=version, storage_options=storage.delta_options(place) or None)


def is_absent(place: str) -> bool:
    """Whether there is no table at a place: nothing at all, or what a create left that was cut off.

    TableError where something else is there.
    """
    if storage.is_remote(place):
        return _is_absent_in_store(place)
    path = Path(storage.local_path(place))
    if (path / "_delta_log").is_dir():
        return was_never_created(path)
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        raise _other(place)
    return True


def _is_absent_in_store(place: str) -> bool:
    """By the first commit or a checkpoint, so that long logs are not listed.

    A create in an object store is one file, so none is half done; a folder there may be an empty object that marks it.
    """
    log = storage.join(place, "_delta_log")
    if any(map(storage.is_file, (f"{log}/{0:020}.json", f"{log}/_last_checkpoint"))) or storage.files_below(log):
        return False
    if storage.files_below(place):
        raise _other(place)
    storage.check_bucket(place)
    return True


def _other(place: str) -> TableError:
    return TableError(
        f"{place} exists, but it is not a Delta table", "Pass another table with --table, or move these files"
    )


def was_never_created(path: str | Path) -> bool:
    """Whether a create was begun at a local path and never committed: a log without a commit, and nothing beside it.

    A create that is killed or finds the disk full leaves that, and the next create can go on from there. A table that lost
    its log has files beside it; it is a damaged table and not an absent one.
    """
    try:
        if os.listdir(path) != ["_delta_log"]:
            return False
        return all(name.startswith((".", "_staged_commits")) for name in os.listdir(f"{path}/_delta_log"))
    except OSError:
        return False


def commit_text(place: str, version: int) -> str | None:
    """The text of a commit, None where there is none: the file itself, whatever else is broken."""
    return storage.read_text(storage.join(place, "_delta_log", f"{version:020}.json"))


def added_files(place: str, version: int) -> list[str] | None:
    """The files that a commit added, by their names below the table; None where its text is not kept any more."""
    text = commit_text(place, version)
    if text is None:
        return None
    actions = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [storage.from_log_path(action["add"]["path"]) for action in actions if "add" in action]
