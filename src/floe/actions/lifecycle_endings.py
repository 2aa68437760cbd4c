"""What the registry says of contracts that input ports name."""

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

from floe.actions.lifecycle_line import registered
from floe.model import RegistryError
from floe.model.lifecycle import DEPRECATED, RETIRED, SUNSET, Standing, settled
from floe.model.settings import Settings
from floe.model.version import Version

if TYPE_CHECKING:
    from floe.registry import Store


class Endings:
    """The lifecycle of contracts by the names of input ports: moves are asked for once, documents only where needed."""

    def __init__(self, names: Iterable[str], settings: Settings, today: date) -> None:
        self.settings, self.today = settings, today
        self._store: Store | None = None
        self._moved: dict[tuple[str, int], Standing] = {}
        wanted = {_bare(name) for name in names}
        if wanted:
            self._ask(wanted)

    def _ask(self, wanted: set[str]) -> None:
        from floe.registry import find_store
        from floe.registry.lifecycle import standings

        try:
            self._store = find_store(self.settings["registry.url"], self.settings.root)
            self._moved = standings(self._store, wanted, self.today) if self._store else {}
        except RegistryError as error:
            self.settings.say(f"! {error.message}; what it says of input ports is not known")
            self._store = None

    def moved(self, name: str) -> list[str] | None:
        """The ending of a contract whose state was moved in the registry; None where none was."""
        lines = {major: one for (contract, major), one in self._moved.items() if contract == _bare(name)}
        version = Version.read(name.rsplit(":", 1)[-1])
        if not lines or (version and version.major not in lines):
            return None
        if version is None and len(lines) == 1 and not self._alone(_bare(name)):
            return None
        return _ending(lines[version.major if version else max(lines)])

    def _alone(self, contract: str) -> bool:
        """Whether a contract has one MAJOR line alone, so that its bare name means it."""
        return self._store is None or len(registered(self._store, contract, self.settings).majors) == 1

    def known(self, name: str) -> list[str] | None:
        """The ending of a contract that is registered, as its document says; None where it is not registered."""
        if self._store is None:
            return None
        try:
            found = registered(self._store, name, self.settings)
        except RegistryError:
            return None
        major = found.asked.major if found.asked else found.majors[-1]
        return _ending(settled(found.first(major)(), self.today))


def _bare(name: str) -> str:
    bare, _, tail = name.rpartition(":")
    return bare if bare and Version.read(tail) else name


def _ending(standing: Standing) -> list[str]:
    """As compiled contracts tell it: state, last day, what comes after it; empty where it is not ending."""
    if standing.state not in (DEPRECATED, SUNSET, RETIRED):
        return []
    return [standing.state, str(standing.sunset_date or "not said"), standing.replacement or "not said"]
