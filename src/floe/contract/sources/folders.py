"""Folders walked once: products and the files that may hold contracts, for repositories with many of both."""

import os
from collections.abc import Iterator
from pathlib import Path

from floe.contract.sources.files import NOT_CONTRACTS, contract_files, is_skipped

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
