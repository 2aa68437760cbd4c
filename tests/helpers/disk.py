"""A small disk of a test's own, that can be filled to its last block and emptied again."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class SmallDisk:
    """A mounted disk."""

    folder: Path

    @property
    def filler(self) -> Path:
        return self.folder / "filler"

    def fill(self, leave: int = 0) -> None:
        """Use it up to so many bytes."""
        free = os.statvfs(self.folder)
        with self.filler.open("wb") as file:
            file.write(b"x" * max(0, free.f_bavail * free.f_frsize - leave))

    def make_room(self) -> None:
        self.filler.unlink()

    def grow(self, size: str) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", self.folder], check=True)


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[SmallDisk]:
    """A disk mounted over a folder; root may mount one, else the test is skipped."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
