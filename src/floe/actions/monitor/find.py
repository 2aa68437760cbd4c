"""The contracts to monitor: those of compiled artifacts, else those below contracts/, else the registry's."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.actions.compile import FILE
from floe.actions.load.find import use_contract, with_values
from floe.actions.load.major_line import as_contract
from floe.contract.formats import read
from floe.contract.lint.run import looks_like_contract
from floe.contract.resolve.artifacts import FORMAT
from floe.contract.sources.files import contract_files
from floe.lang.json_text import dumps
from floe.model import Contract, FloeError, SettingError
from floe.settings import Settings

if TYPE_CHECKING:
    from floe.registry import Store


@dataclass(frozen=True, slots=True)
class Subject:
    """A contract to watch, or why it cannot be."""

    name: str
    contract: Contract | None = None
    error: str | None = None

    @property
    def key(self) -> str:
        """What it is known by on every machine."""
        return self.contract.identity if self.contract else self.name


def subjects(names: Sequence[str | Contract], settings: Settings) -> list[Subject]:
    """The contracts of these names, or all; one that cannot be used is there with its error."""
    if not names:
        return _everything(settings)
    compiled = settings.root / FILE
    entries = _entries(compiled) if compiled.is_file() else []
    return [_named(name, entries, settings) for name in names]


def source_mark(settings: Settings, store: "Store") -> str:
    """What changes when the contracts to watch may have."""
    compiled, folder = settings.root / FILE, settings.root / "contracts"
    if compiled.is_file():
        return _stamped(compiled)
    files = list(contract_files(folder)) if folder.is_dir() else []
    return "\n".join(map(_stamped, files)) or f"registry {registry.versions.newest_at(store)}"


def _stamped(path: Path) -> str:
    try:
        said = path.stat()
    except OSError:
        return str(path)
    return f"{path} {said.st_mtime_ns} {said.st_size}"


def _everything(settings: Settings) -> list[Subject]:
    compiled, folder = settings.root / FILE, settings.root / "contracts"
    if compiled.is_file():
        return [_compiled(entry, settings) for entry in _entries(compiled)]
    found = (
        [subject for path in contract_files(folder) if (subject := _file(path, settings))] if folder.is_dir() else []
    )
    return found or list(_registered(settings))


def _named(name: str | Contract, entries: list[Mapping[str, Any]], settings: Settings) -> Subject:
    if isinstance(name, Contract):
        return Subject(name.identity, use_contract(name, settings))
    for entry in entries:
        tables = {value["table_id"] for value in entry["datasets"]}
        if name in {entry["id"], entry["id"].rsplit(":", 1)[0], entry["contract_id"], *tables}:
            return _compiled(entry, settings)
    try:
        return Subject(name, use_contract(name, settings))
    except FloeError as error:
        known = _in_registry(name, settings) if error.code == "E500" else None
        return known or Subject(name, error=_said(error))


def _entries(path: Path) -> list[Mapping[str, Any]]:
    try:
        said = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SettingError(f"{path} cannot be read: {error}", "Write it again with floe compile") from None
    form = said.get("format") if isinstance(said, dict) else None
    if form != FORMAT:
        raise SettingError(
            f"{path} has the form '{form}', this version of floe reads '{FORMAT}'", "Write it again with floe compile"
        )
    return list(said["data_contracts"])


def _compiled(entry: Mapping[str, Any], settings: Settings) -> Subject:
    name = str(entry["id"])
    contract, found = read(dumps(entry["contract"]), str(entry["file"]))
    if contract is None:
        return Subject(name, error=f"Its compiled form cannot be read: {found[0].message}")
    try:
        return Subject(name, with_values(contract, settings))
    except FloeError as error:
        return Subject(name, error=_said(error))


def _file(path: Path, settings: Settings) -> Subject | None:
    """The contract in a file; None where the file is something else."""
    try:
        return Subject(str(path), use_contract(path, settings))
    except FloeError as error:
        text = path.read_text("utf-8", "replace") if path.is_file() else ""
        meant = looks_like_contract(text, str(path), getattr(error, "findings", ()))
        return Subject(str(path), error=_said(error)) if meant else None


def _registered(settings: Settings) -> Iterator[Subject]:
    """The newest version of each MAJOR line that the registry has."""
    store = registry.find_store(settings.registry.url, settings.root)
    for name in registry.versions.contract_ids(store) if store else ():
        yield from _lines(name, settings)


def _in_registry(name: str, settings: Settings) -> Subject | None:
    from floe.actions.load.major_line import registered

    store = registry.find_store(settings.registry.url, settings.root)
    try:
        found = registered(store, name, settings) if store else None
    except FloeError:
        return None
    if found is None:
        return None
    wanted = str(found.asked or found.versions[-1]["version"])
    return _version(next(row for row in found.versions if row["version"] == wanted), settings)


def _lines(name: str, settings: Settings) -> Iterator[Subject]:
    try:
        rows = registry.versions.find_versions(registry.open_store(settings.registry.url, settings.root), name)
    except FloeError as error:
        yield Subject(name, error=_said(error))
        return
    newest = {row["major"]: row for row in rows}  # the highest of each MAJOR comes last
    yield from (_version(row, settings) for row in newest.values())


def _version(row: Mapping[str, Any], settings: Settings) -> Subject:
    name = f"{row['contract_id']}:{row['version']}"
    try:
        return Subject(name, with_values(as_contract(row), settings))
    except FloeError as error:
        return Subject(name, error=_said(error))


def _said(error: FloeError) -> str:
    return f"FLOE-{error.code}: {error.message}" if error.code else error.message
