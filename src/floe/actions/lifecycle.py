"""Lifecycle: deprecate, sunset, retire and revive the MAJOR line of a contract."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from floe import registry
from floe.actions.load.major_line import Registered, registered, resolved
from floe.actions.outbox import send_due
from floe.model import RegistryError, SettingError
from floe.model.lifecycle import RETIRED, Announcement, Standing, deprecated, retired, revived, sunset
from floe.settings import Settings


@dataclass(frozen=True, slots=True)
class Moved:
    """The old and the new state of a line, and the number of consumers to notify."""

    was: Standing
    now: Standing
    told: int

    @property
    def changed(self) -> bool:
        """Whether anything was written."""
        return self.was != self.now

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {**self.now.to_dict(), "was": self.was.state, "changed": self.changed, "consumers_told": self.told}


@dataclass(frozen=True, slots=True)
class Line:
    """The line that a caller means, who the caller is, and when."""

    name: str
    major: int | None
    settings: Settings
    now: datetime


def deprecate(line: Line, said: Announcement) -> Moved:
    """Announce the end of a line: notify consumers of the reason, the replacement and the dates."""
    if not said.reason.strip():
        raise SettingError("A deprecation needs a reason for the notification to consumers", "Write --reason")
    found = _registered(line)
    said = replace(said, replacement=_replacement(line, found, said.replacement))
    return _move(line, found, lambda standing: deprecated(standing, said, line.now.date()))


def begin_sunset(line: Line, last: Any = None) -> Moved:
    """End a line's notice: no new consumers; `last` is the day on which it retires by itself."""
    return _move(line, _registered(line), lambda standing: sunset(standing, last, line.now.date()))


def retire(line: Line, reason: str | None = None) -> Moved:
    """End a line for good; its history stays."""

    def decide(standing: Standing) -> Standing:
        made = retired(standing, line.now.date())
        return replace(made, reason=reason) if reason else made

    return _move(line, _registered(line), decide)


def revive(line: Line, reason: str) -> Moved:
    """Take back the end of a line that is deprecated or sunset."""
    if not reason.strip():
        raise SettingError("A revival needs a reason for the notification to consumers", "Write --reason")
    return _move(line, _registered(line), lambda standing: revived(standing, reason, line.now.date()))


def _registered(line: Line) -> Registered:
    return registered(registry.open_store(line.settings.registry.url, line.settings.root), line.name, line.settings)


def _move(line: Line, found: Registered, decide: Callable[[Standing], Standing]) -> Moved:
    store, major = registry.open_store(line.settings.registry.url, line.settings.root), found.major(line.major)
    where = (found.contract_id, major)
    was, now = registry.lifecycle.move(
        store, where, decide, now=line.now, actor=line.settings.actor, first=found.first(major)
    )
    with store.begin() as connection:
        told = len(registry.consumers.relying(connection, *where)) if was != now else 0
    for said in send_due(line.settings).said if told or now.state == RETIRED else ():
        line.settings.say(said)
    return Moved(was, now, told)


def _replacement(line: Line, found: Registered, name: str) -> str:
    """The replacement of a line by its id: another contract or another MAJOR that is not retired."""
    store, major = registry.open_store(line.settings.registry.url, line.settings.root), found.major(line.major)
    replacement = resolved(store, name, line.settings, "The replacement")
    bare, _, version = replacement.partition(":")
    if bare == found.contract_id and (not version or version.startswith(f"{major}.")):
        raise RegistryError(
            f"{replacement} cannot replace {found.contract_id}:{major}: it is the same MAJOR line",
            "Pass another contract, or a version of another MAJOR",
        )
    ended = [
        standing
        for standing in registry.lifecycle.standings(store, [bare], line.now.date()).values()
        if standing.state == RETIRED
    ]
    gone = [standing for standing in ended if not version or version.startswith(f"{standing.major}.")]
    if gone and (version or len(gone) == _lines(store, bare)):
        raise RegistryError(f"The replacement {replacement} is retired", "Pass a contract that is in use", "E572")
    return replacement


def _lines(store: Any, contract_id: str) -> int:
    return len({row["major"] for row in registry.versions.find_versions(store, contract_id)})
