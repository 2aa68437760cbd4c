"""The tables that keys of a dataset refer to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from floe.actions.load.find import contracts_below
from floe.model import Contract, Dataset, FloeError
from floe.model.plan import Plan, SqlQuery
from floe.model.table import Target
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target

if TYPE_CHECKING:
    from floe.registry import Store


def reference_targets(
    plan: Plan, contract: Contract, given: Mapping[str, str], settings: Settings, store: "Store"
) -> dict[str, Target]:
    """Where each dataset that is referred to stands: as given, else in this contract, its product, its neighbours."""
    wanted = {expectation.reference.dataset for expectation in plan.expectations if expectation.reference}
    wanted |= {
        name
        for expectation in plan.expectations
        if isinstance(expectation.check, SqlQuery)
        for _, name in expectation.check.tables
        if name != plan.dataset
    }
    found = {}
    for name in sorted(wanted):
        way = TableSelector(table=given.get(name))
        home = _home(name, contract, settings)
        if home or way.table:
            owner, dataset = home or (contract, contract.datasets[0])
            table_id = owner.table_id(dataset)
            try:
                found[name] = find_target(settings, owner, dataset, way, store.table(table_id) if table_id else None)
            except FloeError:
                continue  # not found is not evaluated, and said so with the way to name it
    return found


def _home(name: str, contract: Contract, settings: Settings) -> tuple[Contract, Dataset] | None:
    """The contract and dataset a name means."""
    near = (
        [contract, *sorted(contracts_below(settings), key=lambda value: value.product != contract.product)]
        if name
        else []
    )
    fitting = [
        (contract, dataset)
        for contract in near
        for dataset in contract.datasets
        if name in (dataset.name, (dataset.physical_name or "").rsplit(".", 1)[-1])
    ]
    return fitting[0] if fitting else None
