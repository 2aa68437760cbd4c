"""List: the same contracts from each place that holds them, and where the places differ."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floe import registry
from floe.actions.contracts.transfer import repository_here
from floe.actions.load.compiled import FILE, compiled_entries
from floe.actions.load.find import contracts_below
from floe.actions.load.registered import registry_of
from floe.contract.formats.canonical import content_hash
from floe.model import FloeError
from floe.model.contract import Version
from floe.settings import Settings


@dataclass(frozen=True, slots=True)
class ListedContract:
    """A contract in one place: its highest version there, the hash of its document, and its path."""

    contract: str
    version: str
    hash: str | None
    where: str

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {"version": self.version, "hash": self.hash, "where": self.where}


Place = dict[str, ListedContract]


def list_contracts(places: Sequence[str], settings: Settings) -> dict[str, Any]:
    """The contracts of each place; an unreachable place is not evaluated, with the cause."""
    seen: dict[str, Place] = {}
    causes: dict[str, str] = {}
    for place in places:
        try:
            seen[place] = PLACES[place](settings)
        except FloeError as error:
            causes[place] = error.message
    names = sorted({name for place in seen.values() for name in place})
    listed = [{"contract": name, **_beside(name, seen)} for name in names]
    return {
        "places": list(seen),
        "not_evaluated": causes,
        "contracts": listed,
        "summary": {"contracts": len(names), "differ": sum(bool(row["differs"]) for row in listed)},
    }


def _beside(name: str, seen: dict[str, Place]) -> dict[str, Any]:
    held = {place: one.get(name) for place, one in seen.items()}
    there = {place: one for place, one in held.items() if one}
    differs = [f"not in {place}" for place, one in held.items() if one is None]
    if len({listed_contract.version for listed_contract in there.values()}) > 1:
        differs.append(", ".join(f"{one.version} in {place}" for place, one in there.items()))
    elif len({listed_contract.hash for listed_contract in there.values() if listed_contract.hash}) > 1:
        differs.append(f"{next(iter(there.values())).version} has other content in {' and '.join(there)}")
    return {"in": {place: one.to_dict() for place, one in there.items()}, "differs": differs}


def _highest(found: Iterable[ListedContract]) -> Place:
    place: Place = {}
    for listed_contract in found:
        before = place.get(listed_contract.contract)
        if before is None or _version(listed_contract) > _version(before):
            place[listed_contract.contract] = listed_contract
    return place


def _version(listed_contract: ListedContract) -> Version:
    return Version.read(listed_contract.version) or Version(0, 0, 0)


def _git(settings: Settings) -> Place:
    """The files of the working tree: contracts of products as they compile, and those that belong to none."""
    from floe.actions.compile import compile as compile_products

    root = settings.root
    found = [_entry(row, root) for row in compile_products(root, settings=settings, store=False).contracts]
    files = {listed_contract.where for listed_contract in found}
    for contract in contracts_below(settings):
        path = str(Path(contract.source).resolve().relative_to(root.resolve()))
        if path not in files:
            found.append(ListedContract(_name(contract.identity), contract.version, content_hash(contract), path))
    return _highest(found)


def _artifacts(settings: Settings) -> Place:
    if not (settings.root / FILE).is_file():
        raise FloeError(f"{settings.root / FILE} does not exist", "floe compile writes it")
    return _highest(_entry(compiled_entry, settings.root) for compiled_entry in compiled_entries(settings.root))


def _entry(entry: dict[str, Any], root: Path) -> ListedContract:
    return ListedContract(_name(entry["id"]), entry["version"], entry["content_hash"], str(entry["file"]))


def _name(identity: str) -> str:
    return identity.rsplit(":", 1)[0]


def _registry(settings: Settings) -> Place:
    """The registered contracts of this repository, or all where it has no name."""
    here = repository_here(settings)
    rows = registry.search.newest_versions(registry_of(settings))
    ours = [row for row in rows if not here or row["repository"] in (here, None)]
    return {
        row["contract_id"]: ListedContract(
            row["contract_id"], row["version"], row["document_hash"], row["repository"] or ""
        )
        for row in ours
    }


def _catalog(settings: Settings) -> Place:
    """The contracts of this repository in the catalog, which keeps their versions and no hash of their documents."""
    here = repository_here(settings)
    ours = [listed for listed in registry.catalogs.listed(settings) if not here or listed.repository in (here, "")]
    return _highest(ListedContract(our.contract_id, our.version, None, our.repository) for our in ours)


PLACES: dict[str, Callable[[Settings], Place]] = {
    "git": _git,
    "artifacts": _artifacts,
    "registry": _registry,
    "catalog": _catalog,
}
