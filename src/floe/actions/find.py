"""Find a contract by any of its names, and the table it promises."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from floe.contract.formats import read
from floe.contract.lint import RULES
from floe.contract.lint.rule import findings as rule_findings
from floe.contract.sources.files import contract_files, read_bytes
from floe.model import LAYERS, Contract, ContractError, Dataset, Finding, Severity
from floe.model.settings import Settings
from floe.model.table import Target

_TABLE_ID = re.compile(rf"({'|'.join(LAYERS)})\.([A-Za-z0-9_]+)\.([A-Za-z0-9_]+)")


def find_contract(name: str | Path | Contract, settings: Settings) -> tuple[Contract, Dataset]:
    """The contract a name means, sound enough to use, and the one dataset of it that is meant."""
    contract = name if isinstance(name, Contract) else _by_name(name, settings)
    return contract, _dataset(contract, str(name))


def _by_name(name: str | Path, settings: Settings) -> Contract:
    if isinstance(name, str) and "\n" in name:
        return usable(*read(name, "<text>"), source="<text>")
    if Path(name).is_file() or str(name).endswith((".yaml", ".yml")):
        return load_file(Path(name))
    known = _TABLE_ID.fullmatch(str(name))
    path = settings.root.joinpath("contracts", *known.groups()).with_suffix(".yaml") if known else None
    if path and path.is_file():
        return load_file(path)
    return _by_search(str(name), settings)


def load_file(path: Path) -> Contract:
    """The contract in a file; ContractError with its findings where it cannot be used."""
    contract, found = read(read_bytes(path), str(path))
    return usable(contract, found, str(path))


def usable(contract: Contract | None, found: list[Finding], source: str) -> Contract:
    """A contract without errors, or ContractError with what is wrong."""
    if contract:
        found = [*found, *rule_findings(contract, RULES)]
    wrong = tuple(finding for finding in found if finding.severity >= Severity.ERROR)
    if contract and not wrong:
        return contract
    first = wrong[0]
    raise ContractError(
        f"{first.place}: {first.message}", first.suggestion or f"Run floe lint {source}", first.code, wrong
    )


def _by_search(name: str, settings: Settings) -> Contract:
    folder = settings.root / "contracts"
    found = [contract for contract in _all(folder) if name in _names(contract)]
    if len(found) > 1:
        listed = ", ".join(f"{contract.identity} ({contract.source})" for contract in found)
        raise ContractError(
            f"'{name}' names {len(found)} contracts: {listed}",
            "Name one of them by id and version, or by its path",
            "E500",
        )
    if found:
        return usable(found[0], [], found[0].source)
    raise ContractError(
        f"No contract is known as '{name}'",
        f"Write {folder}/<layer>/<domain>/<table>.yaml for a table_id like silver.commerce.orders_clean, or name a contract's file or id",
        "E500",
    )


def _all(folder: Path) -> Iterator[Contract]:
    for path in contract_files(folder) if folder.is_dir() else ():
        contract, _ = read(read_bytes(path), str(path))
        if contract:
            yield contract


def _names(contract: Contract) -> set[str | None]:
    tables = {contract.table_id(dataset) for dataset in contract.datasets}
    return {contract.id, contract.identity, contract.identity.rsplit(":", 1)[0], *tables}


def _dataset(contract: Contract, name: str) -> Dataset:
    fitting = [d for d in contract.datasets if name in (contract.table_id(d), d.name)] or list(contract.datasets)
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise ContractError(
            f"{contract.source}: the contract has no schema, so there is no table to hold",
            "Add schema with one dataset",
            "E501",
        )
    listed = ", ".join(contract.table_id(dataset) or dataset.name for dataset in fitting)
    raise ContractError(f"{contract.source}: the contract has {len(fitting)} datasets", f"Name one of {listed}", "E500")


def find_layer(contract: Contract, dataset: Dataset, given: str | None) -> str:
    """The layer a gate stands at: given, else the contract's; never guessed."""
    layer = given or contract.layer(dataset)
    if layer not in LAYERS:
        said = f"'{layer}' is no layer" if layer else f"The layer of '{dataset.name}' is unknown"
        raise ContractError(
            f"{said}; a gate asks differently at bronze, silver and gold",
            "Pass --layer (layer=), add customProperty layer, or keep the contract under contracts/<layer>/<domain>/",
            "E501",
        )
    return layer


def find_target(settings: Settings, table_id: str, table: str | None, known: Mapping[str, Any] | None) -> Target:
    """The table: as named, else where the registry saw it, else where a table of that id stands by default."""
    if table:
        return _named(settings, table)
    if known and known.get("format"):
        return Target(str(known["format"]), known.get("name"), None if known.get("name") else known.get("location"))
    given = settings["tables.names"].get(table_id)
    if given:
        return _named(settings, str(given))
    layer, domain, name = table_id.split(".")
    if settings["tables.format"] == "iceberg":
        catalog = next(iter(settings["catalogs"]), "ice")
        return Target("iceberg", f"{catalog}.{layer}_{domain}.{name}")
    return Target("delta", path=str(settings.path("tables.warehouse") / f"{layer}_{domain}" / name))


def _named(settings: Settings, table: str) -> Target:
    """A table as a user names it: a path, or a catalog name."""
    if "/" in table or table.startswith("."):
        path = Path(table).resolve() if "://" not in table else table
        iceberg = isinstance(path, Path) and (path / "metadata").is_dir()
        return Target("iceberg" if iceberg else "delta", path=str(path))
    return Target("iceberg" if table.split(".", maxsplit=1)[0] in settings["catalogs"] else "delta", table)
