"""Rules over all contracts of one lint run."""

from collections.abc import Iterator
from typing import Any

from floe.contract.lint.views import ContractFolder, fold
from floe.model import Contract, Dataset

_PLACES = ("host", "account", "location", "path", "database", "catalog", "project", "schema", "dataset", "topic")


_Promise = tuple[Contract, Dataset]


def twice(folder: ContractFolder) -> Iterator[tuple[_Promise, _Promise, str]]:
    """Each table that a second contract promises: the first promise, the second, the table's name."""
    seen: dict[tuple[str, ...], _Promise] = {}
    for contract in folder.contracts:
        for dataset in contract.datasets:
            key = table_key(contract, dataset)
            first = seen.setdefault(key, (contract, dataset))
            if first[0] is not contract and not same_contract(first[0], contract):
                yield first, (contract, dataset), dataset.physical_name or dataset.name


def table_key(contract: Contract, dataset: Dataset) -> tuple[str, ...]:
    """What tells one table from all others, as far as the contract says."""
    if table := contract.table_id(dataset):
        return ("table_id", fold(table))
    servers = sorted(_server(server.values) for server in contract.servers)
    name = fold(dataset.physical_name or dataset.name)
    if servers and any(servers[0][1:]):
        return ("server", *servers[0], name)
    if dataset.physical_name and "." in dataset.physical_name:
        return ("physical", name)
    return (
        "product",
        fold(contract.domain or ""),
        fold(contract.product or ""),
        name,
        "" if contract.domain else contract.id,
    )


def _server(values: Any) -> tuple[str, ...]:
    return (fold(str(values.get("type", ""))), *(fold(str(values.get(key, ""))) for key in _PLACES))


def same_contract(contract: Contract, other: Contract) -> bool:
    """Whether two documents are versions of one contract."""
    return contract.id == other.id
