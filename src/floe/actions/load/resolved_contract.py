"""A contract that was made whole before it was kept: by the registry, its copies, or the compiled artifacts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from floe.contract.formats import read
from floe.model import Contract, ContractError, Severity

REGISTRY, CACHE, COMPILED = "registry:", "cache:", "compiled:"
Row = Mapping[str, Any]


def is_whole(contract: Contract) -> bool:
    """Whether a contract holds all it inherits already, so that its parents are not looked for."""
    return contract.source.startswith((REGISTRY, CACHE, COMPILED))


def read_registered(contract: Row, row: Row, tables: Sequence[Row], prefix: str = REGISTRY) -> Contract:
    """A registered version as a contract, with all it inherits and the layers of its tables."""
    source = f"{prefix}{row['contract_id']}:{row['version']}"
    made, found = read(row["effective"], source)
    if made is None:
        wrong = next(finding for finding in found if finding.severity >= Severity.ERROR)
        raise ContractError(
            f"{source}: {wrong.message}", "Register it again from its document", wrong.code, tuple(found)
        )
    made = replace(made, domain=made.domain or contract["domain"], product=made.product or contract["product"])
    of = {
        table["dataset"]: table["table_id"] for table in tables if table["major"] == row["major"] and table["table_id"]
    }
    return with_layers(made, {dataset: table_id.split(".")[0] for dataset, table_id in of.items()})


def with_layers(contract: Contract, layers: dict[str, str | None]) -> Contract:
    """A contract without its folder, whose datasets keep the layer of the folder."""
    datasets = tuple(
        replace(dataset, custom={**dataset.custom, "layer": layers[dataset.name]})
        if layers.get(dataset.name)
        else dataset
        for dataset in contract.datasets
    )
    return replace(contract, datasets=datasets)
