"""A registered contract and its MAJOR lines, by any name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.actions.load.find import load_contract
from floe.actions.load.registered import no_version
from floe.contract.formats import read
from floe.model import Contract, ContractError, RegistryError
from floe.model.contract import Version
from floe.model.lifecycle import DRAFT, Standing, standing_of
from floe.settings import Settings

if TYPE_CHECKING:
    from floe.registry import Store


@dataclass(frozen=True, slots=True)
class Registered:
    """A registered contract, its versions in ascending order, and the version in its name."""

    contract_id: str
    row: Mapping[str, Any]
    versions: Sequence[Mapping[str, Any]]
    asked: Version | None = None

    @property
    def majors(self) -> list[int]:
        """Its MAJOR lines."""
        return sorted({row["major"] for row in self.versions})

    def first(self, major: int) -> Callable[[], Standing]:
        """The version with the state of a line: its newest version that is not a draft, or else its newest."""
        return lambda: self._said(major)

    def _said(self, major: int) -> Standing:
        said = (standing_of(as_contract(row)) for row in reversed(self.versions) if row["major"] == major)
        newest = next(said)
        return next((standing for standing in (newest, *said) if standing.state != DRAFT), newest)

    def major(self, given: int | None) -> int:
        """The line of a request: given, or else of the requested version, or else the only one."""
        wanted = given
        if wanted is None and self.asked:
            wanted = self.asked.major
        listed = ", ".join(map(str, self.majors))
        if wanted is None and len(self.majors) > 1:
            raise RegistryError(f"{self.contract_id} has the MAJOR lines {listed}", "Select one with --major")
        if wanted is not None and wanted not in self.majors:
            raise RegistryError(f"{self.contract_id} has no MAJOR {wanted}, only {listed}", "Pass one of them", "E500")
        return self.majors[0] if wanted is None else wanted


def registered(store: "Store", name: str, settings: Settings) -> Registered:
    """The registered contract that a name means: id with or without version, ODCS id, table_id, or a contract's file."""
    if not name.strip():
        raise ContractError("The name of the contract is empty", "Pass a registered contract", "E500")
    bare, asked = _parted(_identity(name, settings))
    contract_id = registry.names.find_id(store, name) or registry.names.find_id(store, bare)
    known = registry.details.details(store, contract_id) if contract_id else None
    if known is None or contract_id is None:
        raise registry.names.unknown(bare, registry.names.all_names(store))
    if asked and all(row["version"] != str(asked) for row in known.versions):
        raise no_version(known, str(asked))
    return Registered(contract_id, known.contract, registry.versions.find_versions(store, contract_id), asked)


def _identity(name: str, settings: Settings) -> str:
    """A file's contract by its id; its version is the file's, not a question."""
    if Path(name).is_file() or name.endswith((".yaml", ".yml")):
        return load_contract(name, settings).identity.rsplit(":", 1)[0]
    return name


def _parted(name: str) -> tuple[str, Version | None]:
    bare, _, tail = name.rpartition(":")
    version = Version.read(tail)
    return (bare, version) if bare and version else (name, None)


def as_contract(row: Mapping[str, Any]) -> Contract:
    """The contract of a registered version, with all it inherits."""
    source = f"registry:{row['contract_id']}:{row['version']}"
    contract, found = read(row["effective"], source)
    if contract is None:
        raise ContractError(f"{source} cannot be read: {found[0].message}", "", found[0].code, tuple(found))
    return contract


def resolved(store: "Store", name: str, settings: Settings, what: str) -> str:
    """The id of a contract that is registered or a file of the repository; with its version, where that was named."""
    try:
        found = registered(store, name, settings)
    except ContractError as unknown:
        return _in_repository(name, settings, what, unknown)
    return f"{found.contract_id}:{found.asked}" if found.asked else found.contract_id


def _in_repository(name: str, settings: Settings, what: str, unknown: ContractError) -> str:
    try:
        contract = load_contract(name, settings)
    except ContractError as error:
        if error.code != "E500":
            raise
        raise RegistryError(
            f"{what} '{name}' is neither registered nor a contract of this repository", unknown.suggestion, "E500"
        ) from None
    bare = contract.identity.rsplit(":", 1)[0]
    return contract.identity if name == contract.identity else bare
