"""Files as they are now, or as they were at a git revision; what was read is remembered by its hash."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from floe.contract.sources.files import contract_files, may_hold_contract, read_bytes
from floe.model import ContractError


class Disk:
    """The files of the working tree."""

    def __init__(self) -> None:
        self.hashes: dict[str, str | None] = {}

    def read(self, path: str | Path) -> bytes:
        """A file's bytes; ContractError where it cannot be had."""
        name = os.path.abspath(path)
        self.hashes[name] = ""
        data = read_bytes(Path(path))
        self.hashes[name] = hash_of(data)
        return data

    def is_file(self, path: str | Path) -> bool:
        """Whether there is such a file."""
        there = os.path.isfile(path)
        if not there:
            self.hashes[os.path.abspath(path)] = None
        return there

    def below(self, folder: Path) -> Iterator[Path]:
        """The files below a folder that may hold contracts."""
        return contract_files(folder)


class Before(Disk):
    """The files as a git revision has them, where they differ from the working tree; None is a file it does not have."""

    def __init__(self, texts: Mapping[str, bytes | None]) -> None:
        super().__init__()
        self.texts = texts

    def read(self, path: str | Path) -> bytes:
        """A file's bytes at the revision."""
        data = self.texts.get(os.path.abspath(path))
        return super().read(path) if data is None else data

    def is_file(self, path: str | Path) -> bool:
        """Whether the revision has such a file."""
        name = os.path.abspath(path)
        return self.texts[name] is not None if name in self.texts else os.path.isfile(path)

    def below(self, folder: Path) -> Iterator[Path]:
        """The files below a folder that may hold contracts at the revision."""
        gone = {name for name, data in self.texts.items() if data is not None and not os.path.isfile(name)}
        yield from (path for path in super().below(folder) if self.is_file(path))
        for name in sorted(gone):
            path = Path(name)
            if path.is_relative_to(folder) and may_hold_contract(path.relative_to(folder)):
                yield path


def hash_of(data: bytes) -> str:
    """What tells one content of a file from another."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def hash_now(path: str) -> str | None:
    """The hash of a file; None where there is none, empty where it cannot be read."""
    try:
        return hash_of(read_bytes(Path(path))) if os.path.isfile(path) else None
    except ContractError:
        return ""
