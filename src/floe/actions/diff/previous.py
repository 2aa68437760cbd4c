"""Previous: the earlier version of a contract in git, and whether its version fits the changes since."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from floe.actions.diff import Question, compare
from floe.actions.diff.contract_set import ChangesFile, read_changes_file
from floe.actions.diff.pairing import VersionPair
from floe.actions.load.product import OpenProduct, Resolved, Resolver, open_product
from floe.contract.sources.files import Before, may_hold_contract
from floe.contract.sources.git import Repository
from floe.model import Contract, Finding, FloeError, Place, Severity
from floe.settings import Settings

_CHANGES_FILE = "changes.yaml"


@dataclass(frozen=True, slots=True)
class Base:
    """A git revision: the files that differ from it, with their blobs and texts there."""

    name: str
    blobs: Mapping[str, str]
    texts: Mapping[str, bytes | None]


def bases(start: Path, root: Path, since: str | None = None) -> tuple[list[Base], str]:
    """The revisions to compare with: the given one, else HEAD, and the last tag if HEAD has the same; or the reason for none."""
    try:
        repository = Repository(start)
        if not repository.has_commits():
            return [], "nothing is committed yet"
        inside = root if root.resolve().is_relative_to(repository.top.resolve()) else start
        names = [since] if since else ["HEAD", repository.last_tag()]
        return [_base(repository, name, inside) for name in names if name], ""
    except FloeError as error:
        return [], error.message


def _base(repository: Repository, name: str, path: Path) -> Base:
    blobs = repository.differing(name, path)
    return Base(name, blobs, repository.texts(blobs))


class History:
    """Contracts as they were at the bases; each base is resolved once per process."""

    def __init__(self, settings: Settings, known: Sequence[Base]) -> None:
        self.settings, self.bases = settings, known
        self._resolvers: dict[str, Resolver] = {}
        self._opened: dict[tuple[str, str], OpenProduct] = {}

    def key(self, files: Iterable[str]) -> str:
        """A key that shows whether the previous version of a contract is still the same."""
        base = self._base(files) if self.bases else None
        if base is None:
            return ""
        touched = sorted(f"{file}\0{base.blobs[file]}" for file in _deciding(files) if file in base.blobs)
        return f"{base.name} {hashlib.sha256(chr(0).join(touched).encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"

    def _base(self, files: Iterable[str]) -> Base | None:
        files = list(_deciding(files))
        return next((base for base in self.bases if any(file in base.blobs for file in files)), None)

    def judged(
        self, resolved: Resolved, new: Contract, folder: Path, document: str
    ) -> tuple[str, list[Finding], tuple[str, ...]]:
        """The key of the previous version, the findings of the step from it, and the other files that were read."""
        base = self._base(resolved.files)
        if base is None:
            return "", [], ()
        old = self._old(base, resolved, folder, document)
        nearby = (os.path.join(os.path.dirname(document), _CHANGES_FILE),) if document else ()
        if old:
            return self.key(resolved.files), self.step(old, new, bool(document)), nearby
        lost = [_not_compared(document, base.name)] if document and base.blobs.get(document) else []
        return self.key(resolved.files), lost, nearby

    def _old(self, base: Base, resolved: Resolved, folder: Path, document: str) -> Contract | None:
        opened = self.opened(base, folder)
        if document:
            return None if base.blobs.get(document) == "" else self.document(base, opened, document)
        return self.port(base, opened, resolved.ports[0])

    def opened(self, base: Base, folder: Path) -> OpenProduct:
        """A product's folder at a base."""
        known = self._opened.get((base.name, str(folder)))
        if known is None:
            known = open_product(folder, self.settings, self._resolver(base).files, ())
            self._opened = {(base.name, str(folder)): known}
        return known

    def document(self, base: Base, opened: OpenProduct, path: str) -> Contract | None:
        """The effective contract of a document at a base; None where it could not be read there."""
        found = self._resolver(base).document(opened, Path(path)).effective
        return found.contract if found else None

    def port(self, base: Base, opened: OpenProduct, name: str) -> Contract | None:
        """The effective contract of a port at a base; None where there was none."""
        resolver = self._resolver(base)
        ports = [port for port in resolver.free_ports(opened, ()) if port.name == name]
        found = resolver.port(opened, ports[0]).effective if ports else None
        return found.contract if found else None

    def _resolver(self, base: Base) -> Resolver:
        if base.name not in self._resolvers:
            self._resolvers[base.name] = Resolver(self.settings, Before(base.texts))
        return self._resolvers[base.name]

    def step(
        self, old: Contract | None, new: Contract | None, written: bool, line: Sequence[Contract] = ()
    ) -> list[Finding]:
        """The findings of a step between two versions; `written` contracts may have a changes.yaml."""
        changes_file = read_changes_file(new) if written and new else ChangesFile()
        # an entry that no change uses may be about the contract next to it
        pair = VersionPair(old, new, ChangesFile("", changes_file.listed), tuple(line))
        return [*compare([pair], Question(), self.settings).findings, *changes_file.findings]

    def gone(self, folders: Mapping[str, set[str]]) -> Iterator[Contract]:
        """The contracts of documents and ports that a base has and the products, by folder with their words, do not."""
        said: set[str] = set()
        for base in self.bases:
            for contract in self._once(base, folders):
                if contract.identity not in said:
                    said.add(contract.identity)
                    yield contract

    def _once(self, base: Base, folders: Mapping[str, set[str]]) -> Iterator[Contract]:
        for file, blob in base.blobs.items():
            if not blob:
                continue
            if os.path.basename(file) == "floe.yaml" and os.path.dirname(file) in folders:
                opened = self.opened(base, Path(file).parent)
                names = [port.name for port in opened.product.outputs] if opened.product else []
                words = folders[os.path.dirname(file)]
                found = [self.port(base, opened, name) for name in names if name.lower() not in words]
            else:
                folder = None if os.path.isfile(file) else _product_of(file, folders)
                found = [self.document(base, self.opened(base, Path(folder)), file)] if folder else []
            yield from (contract for contract in found if contract)


def _deciding(files: Iterable[str]) -> Iterator[str]:
    """The files that define a contract, without those that describe its changes."""
    return (file for file in files if not file.endswith(_CHANGES_FILE))


def _product_of(file: str, folders: Mapping[str, set[str]]) -> str | None:
    """The product's folder that a document belongs to."""
    path = Path(file)
    if path.name in ("datacontract.yaml", "datacontract.yml"):
        return str(path.parent) if str(path.parent) in folders else None
    for folder in path.parents:
        if str(folder) in folders:
            inside = path.relative_to(folder)
            return str(folder) if inside.parts[0] == "contracts" and may_hold_contract(inside) else None
    return None


def _not_compared(document: str, base: str) -> Finding:
    """The document existed and cannot be read as it was, so it is unknown whether the change breaks readers."""
    return Finding(
        "E580",
        "base-invalid",
        Severity.ERROR,
        f"What changed since {base} was not compared: the contract is not valid there",
        "",
        "Correct it on the base branch in a separate commit, then compare again",
        Place(document, 1, 1),
    )
