"""Find the contract that another one extends."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from floe.contract.formats import read
from floe.contract.sources.files import Disk, root
from floe.model import Contract, ContractError, Finding, Place, Severity

_PATH = re.compile(r"[/\\]|\.(?:ya?ml|json)$", re.IGNORECASE)  # what names a file, not a contract


def shown(path: Path) -> str:
    """A path relative to the current folder if it is below, else absolute."""
    whole, here = os.path.abspath(path), os.getcwd()
    return os.path.relpath(whole, here) if whole.startswith(here + os.sep) else whole


class Parents:
    """The contracts below a root, found by path, id, or table."""

    def __init__(self, top: Path, files: Disk) -> None:
        self.root, self.files = top, files
        self._read: dict[str, Contract | Finding] = {}
        self._named: dict[str, list[Contract]] = {}
        self._looked: dict[str, tuple[str, ...]] = {}
        self._texts: dict[str, bytes] | None = None
        self._asked: dict[tuple[str, str], tuple[str, ...]] = {}
        self._outside: set[tuple[str, str]] = set()

    def seed(self, looked: Mapping[str, Sequence[str]]) -> None:
        """The files that may have some names, where that is known already; they are not looked for again."""
        self._looked.update((name, tuple(paths)) for name, paths in looked.items())

    def looked(self, name: str) -> tuple[str, ...]:
        """The files that may have a name."""
        return self._looked.get(name, ())

    def asked(self, name: str, child: Contract) -> tuple[tuple[str, ...], str]:
        """The files that decided which parent a child got, and the name that was looked for in all others."""
        paths = self._asked.get((child.source, name), ())
        return (*paths, *self._looked.get(name, ())), name if name in self._looked else ""

    def find(self, name: str, child: Contract, place: Place) -> Contract | Finding:
        """The parent that a child names, or what is wrong."""
        path = self._path(name, child)
        if path is None and (child.source, name) in self._outside:
            return _outside(name, place)
        found = [self._load(path)] if path else self.named(name)
        found = [
            contract for contract in found if isinstance(contract, Finding) or contract.source != child.source or path
        ]
        if not found:
            return _missing(name, place, "No file and no contract has this name", "Correct the name, or write its path")
        if len(found) > 1:
            files = ", ".join(finding.source for finding in found if isinstance(finding, Contract))
            return _missing(name, place, f"{len(found)} contracts have it: {files}", "Write the path of one of them")
        finding = found[0]
        if isinstance(finding, Finding):
            detail = f"{finding.place}: {finding.message}"
            return _missing(name, place, detail, finding.suggestion, "cannot be read")
        return finding

    def _path(self, name: str, child: Contract) -> Path | None:
        tried: list[str] = []
        found = None
        homes = self._homes(child)
        for folder in (os.path.dirname(child.source), str(self.root)) if name else ():
            path = os.path.abspath(os.path.join(folder, name))
            if not any(_below(path, home) for home in homes):
                if _PATH.search(name):
                    self._outside.add((child.source, name))
                continue
            tried.append(path)
            if self.files.is_file(path):
                found = Path(path)
                break
        self._asked[child.source, name] = tuple(tried)
        return found

    def _homes(self, child: Contract) -> list[str]:
        """The folders that must contain a contract's parents, also after following links."""
        folder = Path(os.path.realpath(os.path.dirname(child.source) or "."))
        homes = [str(path) for path in (self.root, Path.cwd()) if _below(str(folder), str(path))]
        top = root(folder)
        if (top / "manifest.yaml").is_file():  # the current folder does not widen a root that is given
            return [str(top)]
        return homes or [str(top)]

    def _load(self, path: Path) -> Contract | Finding:
        name = shown(path)
        if name not in self._read:
            try:
                contract, found = read(self.files.read(path), name)
            except ContractError as error:
                contract, found = None, list(error.findings)
            worst = next((finding for finding in found if finding.severity is Severity.CRITICAL), None)
            self._read[name] = worst or contract or found[0]
        return self._read[name]

    def named(self, name: str) -> list[Contract]:
        """The contracts of this id; only files that have its last part as some name are read as contracts."""
        if name not in self._named:
            if name not in self._looked:
                self._looked[name] = self._fitting(may_name(name))
            loaded = [self._load(Path(path)) for path in self._looked[name] if _below(path, str(self.root))]
            contracts = [contract for contract in loaded if isinstance(contract, Contract)]
            self._named[name] = [contract for contract in contracts if name in _names(contract)]
        return self._named[name]

    def _fitting(self, named: re.Pattern[bytes]) -> tuple[str, ...]:
        if self._texts is None:
            self._texts = {os.path.abspath(path): self.files.read(path) for path in self.files.below(self.root)}
        return tuple(path for path, text in self._texts.items() if named.search(text))


def _below(path: str, folder: str) -> bool:
    """Whether a path stays below a folder, by the places that links lead to."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def may_name(name: str) -> re.Pattern[bytes]:
    """A text that every contract of this name contains."""
    word = name.rsplit("/", 1)[-1].split(":", 1)[0] if "/" in name else name.rsplit(".", 1)[-1]
    return re.compile(rb"\b(?:id|name|physicalName|table_id)\b[^\n]*" + re.escape(word.encode()))


def _names(contract: Contract) -> set[str | None]:
    tables = {contract.table_id(dataset) for dataset in contract.datasets}
    return {contract.id, contract.name, contract.identity, contract.identity.rsplit(":", 1)[0], *tables}


def _outside(name: str, place: Place) -> Finding:
    text = f"Parent '{name}' is outside the contract root"
    detail = "Parents must be below the contract root, also after following symbolic links"
    suggestion = "Use a relative path below the contract root, or a contract's id"
    return Finding("E507", "reference-unsafe", Severity.ERROR, text, detail, suggestion, place)


def _missing(name: str, place: Place, detail: str, suggestion: str, what: str = "is not found") -> Finding:
    text = f"Parent '{name}' {what}"
    return Finding("E516", "parent-not-found", Severity.ERROR, text, detail, suggestion, place)
