"""Findings of compiling the changed contracts, and the contracts that inherit from them."""

from collections.abc import Collection, Iterable, Iterator
from datetime import date
from pathlib import Path

from floe.actions.compile import compile as compile_products
from floe.actions.compile.contract import CompiledContract, CompileWorker
from floe.actions.compile.judge import apply_waivers, rulebook
from floe.actions.diff.previous import History, bases
from floe.actions.load.settings import load_settings
from floe.contract.sources.files import Folders, read_bytes
from floe.model import ContractError, Finding

# the settings of all of them: a change of it may break any contract
_MANIFEST = "manifest.yaml"


def compiled(
    path: Path, changed: Collection[str], reported: Iterable[Finding], since: str, today: date
) -> Iterator[Finding]:
    """Findings of the contracts below a path that something changed in since a revision; not those reported before."""
    known = {_key(finding) for finding in reported}
    files, folder = {str(Path(name).resolve()) for name in changed}, path.resolve()
    if not folder.is_dir() or not files:
        return
    folders = Folders(folder)
    for finding in (*_of_products(folders, files, since, today), *_of_others(folders, files, since, today)):
        # invalid versions on the base are the task of the diff, which finds an older version of them
        if finding.name != "base-invalid" and _key(finding) not in known:
            known.add(_key(finding))
            yield finding


def _of_products(folders: Folders, files: set[str], since: str, today: date) -> Iterator[Finding]:
    """Findings of compiling the products, if a changed file affects them."""
    if not any((Path(product) / "floe.yaml").is_file() for product in folders.products()):
        return
    result = compile_products(folders.start, today=today, store=False, since=since)
    touched = set(files)
    for contract in result.run.contracts:
        if not files.isdisjoint(contract.files):
            touched |= {contract.document, f"{contract.folder}/floe.yaml"}
    everything = str(result.run.settings.root / _MANIFEST) in files
    for finding in result.findings:
        if everything or (finding.place and str(Path(finding.place.file).resolve()) in touched):
            yield finding


def _of_others(folders: Folders, files: set[str], since: str, today: date) -> Iterator[Finding]:
    """Findings of parents, policies and versions for the changed contracts outside of products."""
    wanted = [path for path in _outside_products(folders) if path in files or _extends(path)]
    if not wanted:
        return
    settings = load_settings(start=Path(folders.start))
    rules, history = rulebook(settings), History(settings, bases(Path(folders.start), settings.root, since)[0])
    worker = CompileWorker(settings, rules, Path(folders.start), history)
    contracts = [contract for contract in map(worker.loose, wanted) if contract.summary]
    extended: set[str] = set()
    for contract in contracts:
        extended |= contract.files.keys() - {contract.document}
    for contract in contracts:
        if not files.isdisjoint(contract.files):
            yield from _own(apply_waivers(contract.findings, rules, contract.about, today), contract, extended)


def _outside_products(folders: Folders) -> list[str]:
    """The files below the folder that belong to no product."""
    products = [folder for folder in folders.products() if (Path(folder) / "floe.yaml").is_file()]
    of_products = {path for folder in products for path in folders.documents(folder)}
    return [path for path in folders.below(folders.start) if path not in of_products]


def _own(found: Iterable[Finding], value: CompiledContract, extended: set[str]) -> Iterator[Finding]:
    """Findings that lint and diff do not have; parents need not obey the policies of products."""
    for finding in found:
        if finding.code >= "E510" and not (finding.code == "E515" and value.document in extended):
            yield finding


def _extends(path: str) -> bool:
    try:
        return b"extends" in read_bytes(Path(path))
    except ContractError:
        return False


def _key(finding: Finding) -> tuple[str, str, str, str]:
    place = finding.place
    where = f"{Path(place.file).resolve()}:{place.line}:{place.column}" if place else ""
    return finding.code, finding.name, finding.message, where
