"""Plan: the expectations of a contract on its tables, and how each is checked."""

from pathlib import Path

from floe.actions.load.find import use_contract
from floe.actions.load.settings import load_settings
from floe.engine.plan import make_plan
from floe.model import Contract
from floe.model.plan import Plan
from floe.settings import Settings


def plan(contract: str | Path | Contract, settings: Settings | None = None) -> list[Plan]:
    """The plan of each dataset of a contract."""
    settings = settings or load_settings()
    found = use_contract(contract, settings)
    return [make_plan(found, dataset, settings.classifications) for dataset in found.datasets]
