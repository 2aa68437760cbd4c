"""What the registry says of contracts that input ports name."""

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

from floe import registry
from floe.actions.load.major_line import registered
from floe.model import ContractError, RegistryError
from floe.model.lifecycle import ENDING, Standing, settled
from floe.model.version import Version
from floe.settings import Settings

if TYPE_CHECKING:
    from floe.registry import Store


class Endings:
    """The lifecycle of contracts by the names of input ports: moves are asked for once, documents only where needed."""

    def __init__(self, names: Iterable[str], settings: Settings, today: date) -> None:
        self.settings, self.today = settings, today
        self._store: Store | None = None
        self._ids: dict[str, str] = {}
        self._moved: dict[tuple[str, int], Standing] = {}
        wanted = {_bare(name) for name in names}
        if wanted:
            self._ask(wanted)

    def _ask(self, wanted: set[str]) -> None:
        try:
            self._store = registry.find_store(self.settings.registry.url, self.settings.root)
            if self._store:
                self._ids = registry.names.ids_by_name(self._store, wanted)
                self._moved = registry.lifecycle.standings(self._store, self._ids.values(), self.today)
        except RegistryError as error:
            self.settings.say(f"! {error.message}; the lifecycle of input ports is unknown")
            self._store = None

    def moved(self, name: str) -> list[str] | None:
        """The ending of a contract whose state was moved in the registry; None where none was."""
        contract = self._ids.get(_bare(name))
        if not any(moved == contract for moved, _ in self._moved):
            return None
        standing = self._standing(name)
        return _ending(standing) if standing and (standing.contract, standing.major) in self._moved else None

    def known(self, name: str) -> list[str] | None:
        """The ending of a contract that is registered; None where it is not."""
        standing = self._standing(name) if _bare(name) in self._ids else None
        return None if standing is None else _ending(standing)

    def _standing(self, name: str) -> Standing | None:
        """Where the line stands that a name means: that of its version, else the newest."""
        if self._store is None:
            return None
        try:
            found = registered(self._store, name, self.settings)
        except ContractError:
            return None
        major = found.asked.major if found.asked else found.majors[-1]
        return self._moved.get((found.contract_id, major)) or settled(found.first(major)(), self.today)


def _bare(name: str) -> str:
    bare, _, tail = name.rpartition(":")
    return bare if bare and Version.read(tail) else name


def _ending(standing: Standing) -> list[str]:
    """As compiled contracts tell it: state, last day, what comes after it; empty where it is not ending."""
    if standing.state not in ENDING:
        return []
    return [standing.state, str(standing.sunset_date or "not said"), standing.replacement or "not said"]
