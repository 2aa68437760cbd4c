"""Find the contract that another one extends."""

import os
import re
from pathlib import Path

from floe.contract.formats import read
from floe.contract.sources.files import contract_files, read_bytes
from floe.model import Contract, ContractError, Finding, Place, Severity


def shown(path: Path) -> str:
    """A path as people read it: from where they stand, where it is below, else whole."""
    whole, here = os.path.abspath(path), os.getcwd()
    return os.path.relpath(whole, here) if whole.startswith(here + os.sep) else whole


class Parents:
    """The contracts below a root, found by path, id, or table."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._read: dict[str, Contract | Finding] = {}
        self._named: dict[str, list[Contract]] = {}
        self._texts: dict[Path, bytes] | None = None

    def find(self, name: str, child: Contract, place: Place) -> Contract | Finding:
        """The parent that a child names, or what is wrong."""
        path = self._path(name, child)
        found = [self._load(path)] if path else self._by_name(name)
        found = [one for one in found if isinstance(one, Finding) or one.source != child.source or path]
        if not found:
            return _missing(name, place, "No file and no contract has this name", "Correct the name, or write its path")
        if len(found) > 1:
            files = ", ".join(one.source for one in found if isinstance(one, Contract))
            return _missing(name, place, f"{len(found)} contracts have it: {files}", "Write the path of one of them")
        one = found[0]
        if isinstance(one, Finding):
            detail = f"{one.place}: {one.message}"
            return _missing(name, place, detail, one.suggestion, "cannot be read")
        return one

    def _path(self, name: str, child: Contract) -> Path | None:
        for folder in (Path(child.source).parent, self.root):
            if name and (folder / name).is_file():
                return folder / name
        return None

    def _load(self, path: Path) -> Contract | Finding:
        name = shown(path)
        if name not in self._read:
            try:
                contract, found = read(read_bytes(path), name)
            except ContractError as error:
                contract, found = None, list(error.findings)
            worst = next((one for one in found if one.severity is Severity.CRITICAL), None)
            self._read[name] = worst or contract or found[0]
        return self._read[name]

    def _by_name(self, name: str) -> list[Contract]:
        """The contracts of this id; only files that have its last part as some name are read as contracts."""
        if name not in self._named:
            if self._texts is None:
                self._texts = {path: read_bytes(path) for path in contract_files(self.root)}
            word = name.rsplit("/", 1)[-1].split(":", 1)[0] if "/" in name else name.rsplit(".", 1)[-1]
            named = re.compile(rb"\b(?:id|name|physicalName|table_id)\b[^\n]*" + re.escape(word.encode()))
            loaded = [self._load(path) for path, text in self._texts.items() if named.search(text)]
            contracts = [one for one in loaded if isinstance(one, Contract)]
            self._named[name] = [one for one in contracts if name in _names(one)]
        return self._named[name]


def _names(contract: Contract) -> set[str | None]:
    tables = {contract.table_id(dataset) for dataset in contract.datasets}
    return {contract.id, contract.name, contract.identity, contract.identity.rsplit(":", 1)[0], *tables}


def _missing(name: str, place: Place, detail: str, suggestion: str, what: str = "is not found") -> Finding:
    text = f"Parent '{name}' {what}"
    return Finding("E516", "parent-not-found", Severity.ERROR, text, detail, suggestion, place)
