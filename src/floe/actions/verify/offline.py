"""Offline: what goes on without the registry: a test, and a gate that knows for certain what it writes to."""

from typing import TYPE_CHECKING

from floe import registry, tables
from floe.model import Contract, RegistryError
from floe.model.table import Target
from floe.settings import Settings

if TYPE_CHECKING:
    from floe.registry import Store


def store_or_offline(settings: Settings) -> "Store":
    """The registry, or what stands in for it where it is out of reach."""
    try:
        return registry.open_store(settings.registry.url, settings.root)
    except RegistryError as error:
        if not registry.offline.out_of_reach(error):
            raise
        return registry.offline.Offline(error, settings.root / ".floe")


def require_offline_write(
    store: "Store", contract: Contract, target: Target, layer: str, settings: Settings
) -> tuple[str, ...]:
    """What a result must say of a write without the registry; its error where the table is not surely the right one.

    Bronze captures. Silver and Gold write only to a table that is there and says it holds the same contract: a registry
    that cannot be asked may know another place, and a table must not be made twice.
    """
    if not isinstance(store, registry.offline.Offline):
        return ()
    facts = tables.probe(target, settings) if layer != "bronze" else None
    holds = str(facts.properties.get("floe.contract", "")) if facts else ""
    if layer != "bronze" and holds.rpartition(":")[0] != contract.identity.rpartition(":")[0]:
        raise store.cause
    return (
        f"FLOE-E542 warning: {store.cause.message}; written without it: "
        "writers on other machines were not waited for, and the run is recorded when it is back",
    )
