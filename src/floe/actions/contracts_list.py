"""List: the same contracts from each place that holds them, and where the places differ."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floe.actions.contracts_transfer import repository_here
from floe.actions.find import contracts_below
from floe.actions.find_compiled import FILE, compiled_entries
from floe.actions.find_registered import registry_of
from floe.contract.formats.canonical import content_hash
from floe.model import FloeError
from floe.model.settings import Settings
from floe.model.version import Version


@dataclass(frozen=True, slots=True)
class Seen:
    """A contract as one place holds it: its highest version there, the hash of its document, and where it stands."""

    contract: str
    version: str
    hash: str | None
    where: str

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {"version": self.version, "hash": self.hash, "where": self.where}


Place = dict[str, Seen]


def list_contracts(places: Sequence[str], settings: Settings) -> dict[str, Any]:
    """The contracts of each place side by side; a place that cannot be asked is not evaluated, with the cause."""
    seen: dict[str, Place] = {}
    causes: dict[str, str] = {}
    for place in places:
        try:
            seen[place] = PLACES[place](settings)
        except FloeError as error:
            causes[place] = error.message
    names = sorted({name for one in seen.values() for name in one})
    listed = [{"contract": name, **_beside(name, seen)} for name in names]
    return {
        "places": list(seen),
        "not_evaluated": causes,
        "contracts": listed,
        "summary": {"contracts": len(names), "differ": sum(bool(one["differs"]) for one in listed)},
    }


def _beside(name: str, seen: dict[str, Place]) -> dict[str, Any]:
    held = {place: one.get(name) for place, one in seen.items()}
    there = {place: one for place, one in held.items() if one}
    differs = [f"not in {place}" for place, one in held.items() if one is None]
    if len({one.version for one in there.values()}) > 1:
        differs.append(", ".join(f"{one.version} in {place}" for place, one in there.items()))
    elif len({one.hash for one in there.values() if one.hash}) > 1:
        differs.append(f"{next(iter(there.values())).version} has other content in {' and '.join(there)}")
    return {"in": {place: one.to_dict() for place, one in there.items()}, "differs": differs}


def _highest(found: Iterable[Seen]) -> Place:
    place: Place = {}
    for one in found:
        before = place.get(one.contract)
        if before is None or _version(one) > _version(before):
            place[one.contract] = one
    return place


def _version(one: Seen) -> Version:
    return Version.read(one.version) or Version(0, 0, 0)


def _git(settings: Settings) -> Place:
    """The files of the working tree: contracts of products as they compile, and those that belong to none."""
    from floe.actions.compile import compile as compile_products

    root = settings.root
    found = [_entry(one, root) for one in compile_products(root, settings=settings, store=False).contracts]
    files = {one.where for one in found}
    for contract in contracts_below(settings):
        path = str(Path(contract.source).resolve().relative_to(root.resolve()))
        if path not in files:
            found.append(Seen(_name(contract.identity), contract.version, content_hash(contract), path))
    return _highest(found)


def _artifacts(settings: Settings) -> Place:
    if not (settings.root / FILE).is_file():
        raise FloeError(f"there is no {settings.root / FILE}", "floe compile writes it")
    return _highest(_entry(one, settings.root) for one in compiled_entries(settings.root))


def _entry(entry: dict[str, Any], root: Path) -> Seen:
    return Seen(_name(entry["id"]), entry["version"], entry["content_hash"], str(entry["file"]))


def _name(identity: str) -> str:
    return identity.rsplit(":", 1)[0]


def _registry(settings: Settings) -> Place:
    """The registered contracts of this repository, or all where it has no name."""
    from floe.registry.search import newest_versions

    here = repository_here(settings)
    rows = newest_versions(registry_of(settings))
    ours = [row for row in rows if not here or row["repository"] in (here, None)]
    return {
        row["contract_id"]: Seen(row["contract_id"], row["version"], row["document_hash"], row["repository"] or "")
        for row in ours
    }


def _catalog(settings: Settings) -> Place:
    """The contracts of this repository in the catalog, which keeps their versions and no hash of their documents."""
    from floe.registry.catalogs.listed import listed

    here = repository_here(settings)
    ours = [one for one in listed(settings) if not here or one.repository in (here, "")]
    return _highest(Seen(one.contract_id, one.version, None, one.repository) for one in ours)


PLACES: dict[str, Callable[[Settings], Place]] = {
    "git": _git,
    "artifacts": _artifacts,
    "registry": _registry,
    "catalog": _catalog,
}
