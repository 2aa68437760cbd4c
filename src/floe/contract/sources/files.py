"""Files and folders."""

import os
from collections.abc import Iterator
from pathlib import Path

from floe.model import ContractError, Finding, Place, Severity

_SKIPPED = {"node_modules", "__pycache__", "venv", "target", "dbt_packages"}
NOT_CONTRACTS = {"manifest", "floe", "changes", "approvals", "dbt_project"}
# more than any contract or dbt manifest has; a device such as /dev/zero has no end
_MOST = 256 * 1024 * 1024


def root(start: Path) -> Path:
    """The contract root: the nearest folder upwards with a manifest.yaml, else where we started."""
    return next((folder for folder in (start, *start.parents) if (folder / "manifest.yaml").is_file()), start)


def contract_files(folder: Path) -> Iterator[Path]:
    """The YAML files below a folder that may hold contracts, in order of their names; links to folders are not followed."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        entries = []
        yield folder  # reading it says why
    for entry in entries:
        if is_skipped(entry.name) or (entry.is_symlink() and entry.is_dir()):
            continue
        if entry.is_dir():
            yield from contract_files(entry)
        elif may_hold_contract(Path(entry.name)) and not _waits(entry):
            yield entry


def may_hold_contract(path: Path) -> bool:
    """Whether a file, by its path below a folder, may be a contract."""
    named = path.suffix in (".yaml", ".yml") and path.stem not in NOT_CONTRACTS
    return named and not any(is_skipped(part) for part in path.parts)


def is_skipped(name: str) -> bool:
    """Whether a file or folder of this name is never looked at."""
    return name.startswith(".") or name in _SKIPPED


def _waits(path: Path) -> bool:
    """Whether reading a path may wait for ever: it is there and no file, but a pipe, socket or device."""
    return path.exists() and not path.is_file()


def read_bytes(path: Path) -> bytes:
    """A file's bytes; ContractError (E500, E509) where it cannot be had."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(min(size, _MOST) + 1)
            if len(data) > size:  # it grows, or is no plain file
                data += file.read(_MOST + 1 - len(data))
    except FileNotFoundError:
        raise _unreadable("E500", "contract-not-found", path, "does not exist", "Check the path") from None
    except OSError as error:
        reason = (
            "the folder cannot be listed" if path.is_dir() else (error.strerror or "no reason given").lower()
        )
        raise _unreadable(
            "E509", "file-unreadable", path, f"cannot be read: {reason}", "Check the file's permissions"
        ) from None
    if len(data) > _MOST:
        what = f"has more than {_MOST:,} bytes"
        raise _unreadable("E509", "file-too-large", path, what, "Check that this is the right file")
    return data


def _unreadable(code: str, name: str, path: Path, what: str, suggestion: str) -> ContractError:
    text = f"{path} {what}"
    finding = Finding(code, name, Severity.CRITICAL, text, suggestion=suggestion, place=Place(str(path), 1, 1))
    return ContractError(text, suggestion, code, (finding,))
