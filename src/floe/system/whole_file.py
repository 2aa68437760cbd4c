"""A file that is there whole or not at all, also where the disk is full or the process is killed."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a temporary file and move it into place; a link keeps pointing to it."""
    path = Path(os.path.realpath(path))
    beside = path.with_name(f".{path.name[:100]}.{os.getpid()}.floe")
    try:
        with beside.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
