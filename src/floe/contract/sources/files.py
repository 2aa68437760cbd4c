"""Files, folders and symbolic links, read with limits."""

import hashlib
import os
from collections.abc import Iterator, Mapping
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
        reason = "the folder cannot be listed" if path.is_dir() else (error.strerror or "no reason given").lower()
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


_NO_PRODUCTS = ("node_modules", "target")
_DOCUMENTS = ("datacontract.yaml", "datacontract.yml")


class Folders:
    """The folders below a start that are not hidden, each with its files and folders; links are not followed."""

    def __init__(self, start: Path) -> None:
        self.start = str(start)
        self._files: dict[str, list[str]] = {}
        self._folders: dict[str, list[str]] = {}
        self._odd: set[str] = set()  # links and what cannot be listed
        left = [self.start]
        while left:
            left += self._list(left.pop())

    def _list(self, folder: str) -> list[str]:
        files, folders = [], []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif entry.is_dir():
                        self._odd.add(entry.path)
                    elif entry.is_file() or not os.path.exists(entry.path):
                        files.append(entry.name)
        except OSError:
            self._odd.add(folder)
        self._files[folder], self._folders[folder] = sorted(files), sorted(folders)
        return [f"{folder}/{name}" for name in folders if name not in _NO_PRODUCTS]

    def products(self) -> list[str]:
        """The folders that have a floe.yaml; the start where there is none."""
        return sorted(folder for folder, files in self._files.items() if "floe.yaml" in files) or [self.start]

    def documents(self, product: str) -> list[str]:
        """The contract files of a product's folder."""
        found = [f"{product}/{name}" for name in _DOCUMENTS if name in self._files.get(product, ())]
        contracts = f"{product}/contracts"
        if contracts in self._odd:
            return [*found, *map(str, contract_files(Path(contracts)))]
        return [*found, *self.below(contracts)]

    def below(self, folder: str) -> Iterator[str]:
        """The files below a folder that may hold contracts, in the order of `contract_files`."""
        if folder in self._odd:
            yield folder  # reading it says why
        for name in sorted((*self._files.get(folder, ()), *self._folders.get(folder, ()))):
            path = f"{folder}/{name}"
            if is_skipped(name):
                continue
            if path in self._files:
                yield from self.below(path)
            elif name.endswith((".yaml", ".yml")) and name.rsplit(".", 1)[0] not in NOT_CONTRACTS:
                yield path
