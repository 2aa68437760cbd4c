"""Whether something was committed to a contract's tables."""

from typing import TYPE_CHECKING

from floe import tables
from floe.model import Contract, FloeError
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target

if TYPE_CHECKING:
    from floe.registry import Store


def snapshots(contract: Contract, settings: Settings, store: "Store") -> str:
    """The snapshots of a contract's tables as one text; a table out of reach has none."""
    said = []
    for dataset in contract.datasets:
        try:
            known = store.table(contract.table_id(dataset) or dataset.name)
            target = find_target(settings, contract, dataset, TableSelector(), known)
            said.append(tables.reader_of(target).version_name(target, settings))
        except FloeError:
            said.append(None)
    return "\n".join(str(value) for value in said)
