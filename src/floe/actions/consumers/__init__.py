"""Consumers: register, list and remove the consumers of a contract and their columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.actions.consumers.columns import used_paths
from floe.actions.load.major_line import Registered, as_contract, registered, resolved
from floe.actions.load.registered import registry_of
from floe.lang.version_range import VersionRange
from floe.model import Finding, RegistryError, SettingError
from floe.model.contract import Version
from floe.model.lifecycle import ACTIVE, DEPRECATED, DRAFT, RETIRED, SUNSET, Standing, refusal, settled, used
from floe.settings import Settings
from floe.system.clock import stamp

if TYPE_CHECKING:
    from floe.registry import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerRequest:
    """A registration of a consumer; columns are None if they are unknown."""

    contract: str
    team: str
    contact: str
    version: str | None = None
    columns: Sequence[str] | None = None
    through: str | None = None


@dataclass(frozen=True, slots=True)
class AddedConsumer:
    """A consumer as it is kept, what it was before, and what it should know."""

    row: Mapping[str, Any]
    was: Mapping[str, Any] | None
    findings: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        moved = self.was["version_range"] if self.was else None
        return {**shape(self.row), "was": moved, "findings": [finding.to_dict() for finding in self.findings]}


def shape(row: Mapping[str, Any]) -> dict[str, Any]:
    """A consumer as other programs read it."""
    names = ("contract_id", "major", "version_range", "team", "contact", "columns", "through", "source")
    return {name.replace("contract_id", "contract"): row[name] for name in (*names, "added_at", "added_by")}


def add_consumer(wish: ConsumerRequest, settings: Settings, now: datetime) -> AddedConsumer:
    """Register a consumer of a contract; ContractError if its lifecycle forbids that (E571, E572)."""
    for name, text in (("team", wish.team), ("contact", wish.contact)):
        if not text.strip():
            raise SettingError(f"A consumer needs a {name} for notifications", f"Write --{name}")
    store = registry.open_store(settings.registry.url, settings.root)
    found = registered(store, wish.contract, settings)
    wanted = _range(store, found, wish.version, now)
    newest = _fitting(found, wanted)[-1]
    through = _through(store, wish, found, settings)
    paths = None if wish.columns is None else used_paths(as_contract(newest), wish.columns)
    values = {"contract_id": found.contract_id, "major": wanted.major, "version_range": wanted.text}
    values |= {"team": wish.team.strip(), "contact": wish.contact.strip(), "columns": paths, "through": through}
    values |= {"source": "registered", "added_at": stamp(now), "added_by": settings.actor}
    return _kept(store, found, values, f"{found.contract_id}:{newest['version']}", now)


def _kept(store: "Store", found: Registered, values: dict[str, Any], name: str, now: datetime) -> AddedConsumer:
    """Check the line and store the consumer under the contract's lock, so that it cannot be retired in between."""
    contract_id, major = found.contract_id, values["major"]
    first = found.first(major)()
    registry.lifecycle.state(store, contract_id, major, now, lambda: first)
    key = registry.consumers.consumer_id(contract_id, values["team"], values["through"])
    with store.begin(writes=True) as connection:
        registry.consumers.locked(connection, contract_id)
        was = registry.consumers.find_consumer(connection, key)
        standing = settled(registry.lifecycle.newest(connection, contract_id, major) or first, now.date())
        findings = _door(standing, name, was)
        registry.consumers.keep_consumer(connection, store, {"consumer_id": key, **values})
    return AddedConsumer({"consumer_id": key, **values}, was, findings)


def _door(standing: Standing, name: str, was: Mapping[str, Any] | None) -> tuple[Finding, ...]:
    """The finding of a line's state for a new consumer; raised if it is refused."""
    if standing.state == DRAFT:
        raise RegistryError(
            f"Contract {name} is a draft and cannot have consumers yet",
            "Wait until its producer publishes a version with status: active",
        )
    finding = used(standing, name)
    stays = was is not None and was["major"] == standing.major
    if finding and (standing.state == RETIRED or (standing.state == SUNSET and not stays)):
        raise refusal(finding)
    return (finding,) if finding else ()


def _range(store: "Store", found: Registered, given: str | None, now: datetime) -> VersionRange:
    """The requested range of versions; the whole line in use by default."""
    if given:
        wanted = VersionRange.read(given)
        if found.asked and not wanted.holds(found.asked):
            raise SettingError(f"Version {found.asked} is not in the range '{given}'", "Pass one of the two")
        return wanted
    return VersionRange.read(f"{found.asked.major if found.asked else _usual(store, found, now)}.x")


def _usual(store: "Store", found: Registered, now: datetime) -> int:
    """The highest line that is active, else the highest that is ending, else the highest."""
    states = {
        major: registry.lifecycle.state(store, found.contract_id, major, now, found.first(major)).state
        for major in found.majors
    }
    for wanted in (ACTIVE, DEPRECATED, SUNSET):
        fitting = [major for major, one in states.items() if one == wanted]
        if fitting:
            return max(fitting)
    return max(found.majors)


def _fitting(found: Registered, wanted: VersionRange) -> list[Mapping[str, Any]]:
    fits = [row for row in found.versions if wanted.holds(Version(row["major"], row["minor"], row["patch"]))]
    if not fits:
        known = ", ".join(row["version"] for row in found.versions)
        raise RegistryError(
            f"No version of {found.contract_id} is in '{wanted.text}'; registered are {known}",
            "Pass a range that includes a registered version",
            "E500",
        )
    return fits


def _through(store: "Store", wish: ConsumerRequest, found: Registered, settings: Settings) -> str | None:
    if wish.through is None:
        return None
    through = resolved(store, wish.through, settings, "The contract of --through,").split(":", 1)[0]
    if through == found.contract_id:
        raise SettingError(f"{through} cannot be produced from itself", "Pass the contract that the consumer publishes")
    return through


def list_consumers(settings: Settings, contract: str | None = None, team: str | None = None) -> list[dict[str, Any]]:
    """The consumers of a contract, or the contracts of a team."""
    store = registry.find_store(settings.registry.url, settings.root)
    if store is None:
        if contract:
            registry_of(settings)  # raises if there is no registry
        return []
    contract_id = registered(store, contract, settings).contract_id if contract else None
    return [shape(row) for row in registry.consumers.all_consumers(store, contract_id, team)]


def remove_consumer(wish: ConsumerRequest, settings: Settings, now: datetime) -> list[dict[str, Any]]:
    """Remove a team from the consumers of a contract; its history stays."""
    store = registry.open_store(settings.registry.url, settings.root)
    found = registered(store, wish.contract, settings)
    with store.begin(writes=True) as connection:
        registry.consumers.locked(connection, found.contract_id)
        rows = [row for row in registry.consumers.relying(connection, found.contract_id) if row["team"] == wish.team]
        if wish.through:
            rows = [row for row in rows if row["through"] == wish.through]
        if not rows:
            raise not_relying(
                found.contract_id, wish.team, registry.consumers.relying(connection, found.contract_id), leaves=True
            )
        registry.consumers.remove_consumers(connection, rows, settings.actor, stamp(now))
    return [shape(row) for row in rows]


def not_relying(contract_id: str, team: str, known: Sequence[Mapping[str, Any]], leaves: bool = False) -> RegistryError:
    """The error for a team that is not a consumer."""
    teams = ", ".join(dict.fromkeys(row["team"] for row in known))
    advice = f"Register it first: floe consumers add {contract_id} --team '{team}' --contact …"
    if leaves:
        advice = "Pass one of the registered teams" if teams else "There is nothing to remove"
    return RegistryError(
        f"Team '{team}' is not a consumer of {contract_id}; {f'registered: {teams}' if teams else 'it has none'}",
        advice,
    )
