"""Load: a contract by any of its names, sound enough to use."""

from pathlib import Path

from floe.actions.load.settings import load_settings
from floe.model import Contract
from floe.settings import Settings


def load(source: str | Path | Contract, settings: Settings | None = None) -> Contract:
    """The contract a path, id, table_id or YAML text means; ContractError with its findings where it cannot be used."""
    from floe.actions.load.find import load_contract  # `floe lint` takes settings from this package, and finds nothing

    return load_contract(source, settings or load_settings())
