"""The contracts on one side of a comparison: a file, a folder, a git revision, the registry."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from floe import registry
from floe.actions.load.cache import read_registered
from floe.actions.load.find import load_contract
from floe.contract.formats import read
from floe.contract.formats.config import changes
from floe.contract.lint.rules.secret import hide, secrets_in
from floe.contract.lint.run import looks_like_contract
from floe.contract.sources.files import contract_files, read_bytes
from floe.contract.sources.git import Repository
from floe.model import Contract, ContractError, Finding, FloeError, Map, Place, SettingError, Severity
from floe.model.contract import REGISTRY
from floe.model.migration import ListedChange
from floe.settings import Settings

Source = str | Path | Contract
# what names a change, and what to do about it
_CHANGE_KEYS = ("type", "field", "old_field", "new_field", "new_value", "migration", "deadline")
_TABLE = ("A live table is not a contract", "floe diff compares one with a contract: floe diff table:PATH FILE")


@dataclass(frozen=True, slots=True)
class ChangesFile:
    """The changes.yaml of a contract: its name, entries, and errors."""

    source: str = ""
    listed: tuple[ListedChange, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class ContractSet:
    """The contracts of one side, with their changes.yaml, and those that cannot be read."""

    name: str
    folder: bool
    contracts: tuple[Contract, ...]
    changes_files: dict[str, ChangesFile] = field(default_factory=dict)
    broken: tuple[Finding, ...] = ()

    def changes_of(self, contract: Contract) -> ChangesFile:
        """The changes.yaml in the folder of a contract."""
        return self.changes_files.get(str(Path(contract.source).parent), ChangesFile())


def load_set(source: Source, settings: Settings) -> ContractSet:
    """The contracts of a source."""
    if isinstance(source, Contract):
        return ContractSet(source.source, False, (source,))
    text = str(source)
    if not text.strip():
        raise SettingError("The name of the contract is empty", "Pass a contract file, a folder or git:REV:path")
    if "\n" in text:
        return _read_text(source, settings)
    kind, _, rest = text.partition(":")
    if kind == "table" and rest:
        raise FloeError(*_TABLE)
    if text.startswith(REGISTRY):
        return _registered(text, settings, whole_line=False)
    if kind == "git" and rest:
        revision, _, path = rest.partition(":")
        return at_revision(Repository(Path.cwd()), revision, path or ".", label=f"git:{revision}:")
    if Path(text).is_dir():
        return in_folder(Path(text))
    if Path(text).is_file() or text.endswith((".yaml", ".yml")):
        return _read_side(text, False, [(text, read_bytes(Path(text)))], read_changes_file)
    return _read_text(source, settings)


def _read_text(source: str | Path, settings: Settings) -> ContractSet:
    """A contract that is given as its text, or by a name that only the settings know."""
    contract = load_contract(source, settings)
    read_changes = read_changes_file if Path(contract.source).is_file() else None
    return _side(str(source).splitlines()[0], False, [contract], read_changes)


def load_line(source: Source, settings: Settings) -> ContractSet:
    """All versions of a source: from the registry, those of the MAJOR lines that are not retired."""
    if not _asks_registry(source):
        return load_set(source, settings)
    return _registered(str(source), settings, whole_line=True)


def _asks_registry(source: Source) -> bool:
    return not isinstance(source, Contract) and str(source).startswith(REGISTRY) and "\n" not in str(source)


def _registered(text: str, settings: Settings, whole_line: bool) -> ContractSet:
    """The registered version that a name means, without one the highest; with the whole line also those below it."""
    from floe.actions.load.registered import registry_of, the_version

    name = text.removeprefix(REGISTRY)
    store = registry_of(settings)
    known, version = the_version(name, store, settings.clock())
    if not name.endswith(f":{version}"):
        version = str(known.versions[-1]["version"])
    rows = registry.versions.find_versions(store, known.contract["contract_id"])
    last = next(index for index, row in enumerate(rows) if row["version"] == version)
    live = [row for row in rows[:last] if not known.retired(row["major"])] if whole_line else []
    found = [read_registered(known.contract, row, known.tables) for row in (*live, rows[last])]
    notices = ChangesFile(listed=tuple(_notices(rows[: last + 1])))
    return ContractSet(text, False, tuple(found), {str(Path(contract.source).parent): notices for contract in found})


def _notices(rows: Sequence[Mapping[str, Any]]) -> Iterator[ListedChange]:
    """The migration texts of each published version, the latest last."""
    for row in rows:
        place = Place(f"{REGISTRY}{row['contract_id']}:{row['version']}", 1, 1)
        for change in row["changes"].get("breaking_changes", ()):
            if change.get("migration"):
                yield ListedChange({key: change[key] for key in _CHANGE_KEYS if key in change}, Map(place))


def in_folder(folder: Path) -> ContractSet:
    """The contracts below a folder."""
    return in_files(str(folder), contract_files(folder))


def in_files(name: str, paths: Iterable[Path]) -> ContractSet:
    """The contracts among files; those that are none are left alone."""
    return _read_side(name, True, [(str(path), read_bytes(path)) for path in paths], read_changes_file)


def at_revision(repository: Repository, revision: str, path: str, label: str = "") -> ContractSet:
    """The contracts at a path of a git revision; `label` is put before the names of their files."""
    blobs, folder = repository.blobs(revision, path)
    texts = [(f"{label}{blob.path}", blob.data) for blob in blobs]

    def read_changes(contract: Contract) -> ChangesFile:
        place = Path(contract.source.removeprefix(label)).parent / "changes.yaml"
        return _changes_file(repository.blob(revision, place), f"{label}{place}")

    return _read_side(f"{label}{path}", folder, texts, read_changes)


_HISTORY = 50  # how many commits of a file are looked through for a version that can be read


def base_of(repository: Repository, revision: str, names: Collection[str], label: str) -> ContractSet:
    """The contracts among named files of a git revision, as what comes later is compared with them.

    An invalid contract there still had expectations. If only unknown keys are wrong with it, it is compared as it is
    read; else an older valid version of the file is used. If there is none, that is a separate error
    (E580): the contract is not treated as a new one.
    """
    contracts, broken = [], []
    for blob in repository.some(revision, names):
        source = f"{label}{blob.path}"
        contract, found = read(blob.data, source)
        wrong = [finding for finding in found if finding.severity >= Severity.ERROR]
        text = blob.data.decode("utf-8", "replace")
        if not contract and not (wrong and looks_like_contract(text, source, found)):
            continue
        broken += [replace(hide(finding, secrets_in(text)), severity=Severity.WARNING) for finding in wrong]
        if any(finding.name != "unknown-key" for finding in wrong):
            contract = _older(repository, revision, blob.path, source)
        if contract:
            contracts.append(contract)
        else:
            broken.append(_not_compared(source, wrong[0]))
    return ContractSet(label, True, tuple(contracts), {}, tuple(broken))


def _older(repository: Repository, revision: str, path: str, source: str) -> Contract | None:
    """The newest valid version of a file before a revision."""
    for commit in repository.history(revision, path, _HISTORY)[1:]:
        data = repository.blob(commit, path)
        contract, found = read(data, source) if data is not None else (None, [])
        if contract and all(finding.severity < Severity.ERROR or finding.name == "unknown-key" for finding in found):
            return contract
    return None


def _not_compared(source: str, wrong: Finding) -> Finding:
    return Finding(
        "E580",
        "base-invalid",
        Severity.ERROR,
        f"What changed since {source} was not compared: that version is not valid, and no older version was found",
        f"{wrong.place}: {wrong.message}",
        "Fetch the whole history, or correct the file on the base branch in a separate commit",
        Place(source, 1, 1),
    )


def _read_side(
    name: str, folder: bool, texts: Sequence[tuple[str, bytes]], read_changes: Callable[[Contract], ChangesFile] | None
) -> ContractSet:
    contracts, broken = [], []
    for source, data in texts:
        contract, found = read(data, source)
        wrong = [finding for finding in found if finding.severity >= Severity.ERROR]
        if contract and not wrong:
            contracts.append(contract)
            continue
        text = data.decode("utf-8", "replace")
        if not folder or contract or looks_like_contract(text, source, found):
            broken += [hide(finding, secrets_in(text)) for finding in wrong]
    return _side(name, folder, contracts, read_changes, tuple(broken))


def _side(
    name: str,
    folder: bool,
    contracts: list[Contract],
    read_changes: Callable[[Contract], ChangesFile] | None,
    broken: tuple[Finding, ...] = (),
) -> ContractSet:
    by_folder: dict[str, ChangesFile] = {}
    if read_changes:
        for contract in contracts:
            folder_name = str(Path(contract.source).parent)
            if folder_name not in by_folder:
                by_folder[folder_name] = read_changes(contract)
    return ContractSet(name, folder, tuple(contracts), by_folder, broken)


def read_changes_file(contract: Contract) -> ChangesFile:
    """The entries of the changes.yaml in the folder of a contract."""
    path = Path(contract.source).parent / "changes.yaml"
    return _changes_file(read_bytes(path) if path.is_file() else None, str(path))


def _changes_file(data: bytes | None, source: str) -> ChangesFile:
    return ChangesFile(source, *_listed(data, source)) if data is not None else ChangesFile()


def _listed(data: bytes, source: str) -> tuple[tuple[ListedChange, ...], tuple[Finding, ...]]:
    listed, found = changes.read(data, source)
    return listed, tuple(found)


def refuse_broken(*sides: ContractSet) -> None:
    """ContractError with its findings where a contract cannot be read."""
    broken = tuple(finding for contract_set in sides for finding in contract_set.broken)
    if broken:
        first = broken[0]
        raise ContractError(f"{first.place}: {first.message}", first.suggestion, first.code, broken)
