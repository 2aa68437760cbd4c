"""Files and folders that only their owner can read, from their creation on."""

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

OWN = ".floe"
STAGING = ".floe-staging"  # in the folder of a table, while a batch is checked
_FOLDER, _FILE = 0o700, 0o600


def private_folder(path: Path) -> Path:
    """A folder, with those above it that are missing; of those that were there, only floe's own (`.floe`) are closed."""
    missing = []
    folder = path
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for value in reversed(missing):
        with suppress(FileExistsError):
            value.mkdir(_FOLDER)
    for value in (path, *path.parents):
        if value.name in (OWN, STAGING):
            _close(value, _FOLDER)
    return path


def private_file(path: Path) -> Path:
    """A file for others to open by its name, such as a database: made empty, in a folder of floe's own."""
    private_folder(path.parent)
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, _FILE))
    elif OWN in path.parts:
        _close(path, _FILE)
    return path


def open_private(path: Path, mode: str, **options: Any) -> Any:
    """A file opened to be written, in a folder of floe's own."""
    private_folder(path.parent)
    file = open(path, mode, opener=_opener, **options)  # noqa: SIM115  (the caller closes it)
    if OWN in path.parts:
        _close(path, _FILE)
    return file


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags, _FILE)


def _close(path: Path, mode: int) -> None:
    """Take others' rights from what is ours and was made by an older floe."""
    with suppress(OSError):
        there = path.stat()
        if there.st_mode & 0o077 and there.st_uid == os.geteuid():
            path.chmod(mode)


def write_private(path: Path, text: str) -> None:
    """A text as a whole file, or none where there is no room for it."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with open_private(beside, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, path)
    except OSError:
        with suppress(OSError):
            beside.unlink()
        raise
