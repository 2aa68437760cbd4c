"""Whether something was committed to a contract's tables."""

from typing import TYPE_CHECKING

from floe.actions.find_table import Way, find_target
from floe.model import Contract, FloeError
from floe.model.settings import Settings

if TYPE_CHECKING:
    from floe.registry import Store


def snapshots(contract: Contract, settings: Settings, store: "Store") -> str:
    """The snapshots of a contract's tables as one text; a table out of reach has none."""
    from floe.data.tables.snapshot import snapshot

    said = []
    for dataset in contract.datasets:
        try:
            known = store.table(contract.table_id(dataset) or dataset.name)
            said.append(snapshot(find_target(settings, contract, dataset, Way(), known), settings))
        except FloeError:
            said.append(None)
    return "\n".join(str(one) for one in said)
