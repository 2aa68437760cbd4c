"""Find a contract in the registry, or, where that is out of reach, among the copies of what was read from it."""

from datetime import datetime
from typing import TYPE_CHECKING

from floe import registry
from floe.actions.load.cache import cached, keep, read_registered
from floe.model import Contract, ContractError, RegistryError
from floe.model.contract import Version
from floe.settings import Settings
from floe.system.clock import stamp

if TYPE_CHECKING:
    from floe.registry import Store
    from floe.registry.details import Details


def find_registered(name: str, settings: Settings) -> Contract | None:
    """The registered version of a name, for checks of tables; None if the registry has no such name.

    A name without a version means the highest one that is in effect and not retired.
    """
    try:
        store = registry.find_store(settings.registry.url, settings.root)
        if store is None:
            return cached(name, settings, "The registry does not exist")
        chosen = named_version(store, name, settings.clock())
        if chosen is None:
            return None
        known, version = chosen
        _usable(known, version)
        return _read(store, known, version, settings)
    except RegistryError as error:
        copy = cached(name, settings, error.message) if registry.offline.out_of_reach(error) else None
        if copy is None:
            raise
        return copy


def named_version(store: "Store", name: str, now: datetime) -> "tuple[Details, str] | None":
    """A contract and the version that a name means; ContractError where several fit."""
    contract_id, version = registry.names.find_id(store, name), None
    if not contract_id and Version.read(name.rpartition(":")[2]):
        name, _, version = name.rpartition(":")
        contract_id = registry.names.find_id(store, name)
    known = registry.details.details(store, contract_id) if contract_id else None
    if known is None:
        return None
    if version and all(row["version"] != version for row in known.versions):
        raise no_version(known, version)
    majors = {row["major"] for row in known.tables if row["table_id"] == name}
    return known, version or _in_effect(known, majors, stamp(now))


def _in_effect(known: "Details", majors: set[int], now: str) -> str:
    """The highest version in effect whose MAJOR has the requested table and is not retired; else the highest."""
    fitting = [row for row in known.versions if not majors or row["major"] in majors]
    live = [row for row in fitting if not known.retired(row["major"])] or fitting
    held = [row for row in live if row["effective_from"] <= now] or live
    return str(held[-1]["version"])


def no_version(known: "Details", version: str) -> ContractError:
    """The error for a missing version; the newest versions are listed."""
    listed = [str(row["version"]) for row in known.versions]
    shown = ", ".join(listed[-10:])
    return ContractError(
        f"{known.contract['contract_id']} has no version {version}",
        f"Its {'newest ' if len(listed) > 10 else ''}versions: {shown}",
        "E500",
    )


def _usable(known: "Details", version: str) -> None:
    """Refuse a retired version, with its tombstone."""
    major = int(version.split(".", maxsplit=1)[0])
    if known.retired(major):
        state = known.state(major) or {}
        to = f" Migrate to: {state['replacement']}" if state.get("replacement") else ""
        since = f" since {state['on_day']}" if state.get("on_day") else ""
        live = ", ".join(f"{live_major}" for live_major in known.live_majors) or "none"
        raise ContractError(
            f"Contract {known.contract['contract_id']}:{version} is retired{since}.{to}",
            f"Its live MAJOR versions: {live}",
            "E572",
        )


def _read(store: "Store", known: "Details", version: str, settings: Settings) -> Contract:
    row = registry.versions.find_version(store, known.contract["contract_id"], version)
    assert row is not None
    keep(known.contract, row, known.tables, settings)
    return read_registered(known.contract, row, known.tables)


def the_contract(name: str, settings: Settings) -> Contract:
    """The registered version a name means; ContractError with a near name where there is none."""
    found = find_registered(name, settings)
    if found is None:
        raise registry.names.unknown(name, registered_names(settings))
    return found


def registered_major(name: str, major: int, settings: Settings) -> Contract | None:
    """The highest registered version of a contract's MAJOR; None where the registry knows none, E572 where it is retired."""
    store = registry.find_store(settings.registry.url, settings.root)
    known = registry.details.details(store, name) if store else None
    line = [str(row["version"]) for row in known.versions if row["major"] == major] if known else []
    return find_registered(f"{name}:{line[-1]}", settings) if line else None


def registered_names(settings: Settings) -> list[str]:
    """Every name in the registry, to suggest similar ones; none if there is no registry."""
    store = registry.find_store(settings.registry.url, settings.root)
    return registry.names.all_names(store) if store else []


def registry_of(settings: Settings) -> "Store":
    """The registry; RegistryError (E542) if there is none."""
    store = registry.find_store(settings.registry.url, settings.root)
    if store is None:
        raise RegistryError(
            f"There is no registry at {settings.registry.url} yet",
            "Register a contract (`floe publish`), or set registry.url",
            "E542",
        )
    return store


def the_version(name: str, store: "Store", now: datetime) -> "tuple[Details, str]":
    """A contract and the version that a name means, retired or not; ContractError with a near name where there is none."""
    chosen = named_version(store, name, now)
    if chosen is None:
        raise registry.names.unknown(name, registry.names.all_names(store))
    return chosen
