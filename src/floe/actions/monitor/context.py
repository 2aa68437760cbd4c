"""The context of a check: the dataset, its facts, and the time."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from floe import registry
from floe.model import Contract, Dataset
from floe.model.contract import Target
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target

if TYPE_CHECKING:
    from floe.registry import Store
    from floe.registry.incidents import IncidentPlace


@dataclass(frozen=True, slots=True)
class CheckContext:
    """The dataset that is checked, its facts, and the time."""

    contract: Contract
    dataset: Dataset
    settings: Settings
    store: "Store"
    now: datetime

    @property
    def contract_id(self) -> str:
        """The contract without its version."""
        return self.contract.identity.rsplit(":", 1)[0]

    @property
    def table_id(self) -> str:
        """The table's id, as runs know it."""
        return self.contract.table_id(self.dataset) or self.dataset.name

    @property
    def place(self) -> "IncidentPlace":
        """Where incidents are kept."""
        return registry.incidents.IncidentPlace(self.contract_id, self.contract.version, self.dataset.name)

    @property
    def target(self) -> Target:
        """The table."""
        known = self.store.table(self.table_id)
        return find_target(self.settings, self.contract, self.dataset, TableSelector(), known)
