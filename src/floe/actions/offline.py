"""Offline: what goes on without the registry: a test, and a gate that knows for certain what it writes to."""

from typing import TYPE_CHECKING

from floe.model import Contract, RegistryError
from floe.model.settings import Settings
from floe.model.table import Target

if TYPE_CHECKING:
    from floe.registry import Store


def store_or_offline(settings: Settings) -> "Store":
    """The registry, or what stands in for it where it is out of reach."""
    from floe.registry import open_store
    from floe.registry.offline import Offline, out_of_reach

    try:
        return open_store(settings["registry.url"], settings.root)
    except RegistryError as error:
        if not out_of_reach(error):
            raise
        return Offline(error, settings.root / ".floe")


def certain(store: "Store", contract: Contract, target: Target, layer: str, settings: Settings) -> tuple[str, ...]:
    """What a result must say of a write without the registry; its error where the table is not surely the right one.

    Bronze captures. Silver and Gold write only to a table that is there and says it holds the same contract: a registry
    that cannot be asked may know another place, and a table must not be made twice.
    """
    from floe.data.tables import probe
    from floe.registry.offline import Offline

    if not isinstance(store, Offline):
        return ()
    facts = probe(target, settings) if layer != "bronze" else None
    holds = str(facts.properties.get("floe.contract", "")) if facts else ""
    if layer != "bronze" and holds.rpartition(":")[0] != contract.identity.rpartition(":")[0]:
        raise store.cause
    return (
        f"FLOE-E542 warning: {store.cause.message}; written without it: "
        "writers on other machines were not waited for, and the run is recorded when it is back",
    )
