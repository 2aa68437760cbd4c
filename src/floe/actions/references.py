"""The tables that keys of a dataset refer to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from floe.actions.find import contracts_below
from floe.actions.find_table import Way, find_target
from floe.model import Contract, Dataset, FloeError
from floe.model.plan import Plan
from floe.model.settings import Settings
from floe.model.table import Target

if TYPE_CHECKING:
    from floe.registry import Store


def reference_targets(
    plan: Plan, contract: Contract, given: Mapping[str, str], settings: Settings, store: "Store"
) -> dict[str, Target]:
    """Where each dataset that is referred to stands: as given, else in this contract, its product, its neighbours."""
    wanted = {expectation.target.dataset for expectation in plan.expectations if expectation.target}
    wanted |= {name for one in plan.expectations if one.query for _, name in one.query.tables if name != plan.dataset}
    found = {}
    for name in sorted(wanted):
        way = Way(table=given.get(name))
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
        [contract, *sorted(contracts_below(settings), key=lambda one: one.product != contract.product)] if name else []
    )
    fitting = [
        (one, dataset)
        for one in near
        for dataset in one.datasets
        if name in (dataset.name, (dataset.physical_name or "").rsplit(".", 1)[-1])
    ]
    return fitting[0] if fitting else None
