"""Find a contract by any of its names."""

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from floe.actions.load.compiled import find_compiled
from floe.actions.load.parents import Parents
from floe.actions.load.resolved_contract import REGISTRY, is_whole
from floe.actions.load.variables import with_values
from floe.contract.formats import read
from floe.contract.lint import RULES
from floe.contract.lint.rule import findings as rule_findings
from floe.contract.resolve.inherit import ContractFamily, extended
from floe.contract.sources.files import Disk, contract_files, read_bytes
from floe.model import LAYERS, Contract, ContractError, Dataset, Finding, RegistryError, Severity
from floe.settings import Settings

# errors that make one rule not evaluated (E580) and affect no other
_OF_ONE_RULE = ("pattern-invalid", "pattern-can-hang", "sql-unsafe", "threshold-not-number", "floe-rule-unknown")
_TABLE_ID = re.compile(rf"({'|'.join(LAYERS)})\.([A-Za-z0-9_]+)\.([A-Za-z0-9_]+)")


def find_contract(name: str | Path | Contract, settings: Settings) -> tuple[Contract, Dataset]:
    """The contract of a name with all inherited values, valid enough to use, and its dataset."""
    contract = use_contract(name, settings)
    return contract, _dataset(contract, str(name))


def use_contract(name: str | Path | Contract, settings: Settings) -> Contract:
    """The contract of a name for checks of its tables: with inherited values and variables."""
    own = load_contract(name, settings)
    if is_whole(own) or not any(True for _ in extended(own)):
        return with_values(own, settings)
    made = ContractFamily(Parents(settings.root, Disk()).find).effective(own, {})
    return with_values(usable(made.contract, list(made.findings), own.source), settings)


def find_for_write(name: str | Path | Contract, settings: Settings) -> tuple[Contract, Dataset]:
    """The contract a gate holds a batch to; Bronze captures without one, under its table_id."""
    try:
        return find_contract(name, settings)
    except (ContractError, RegistryError) as error:
        known = _TABLE_ID.fullmatch(str(name))
        if error.code not in ("E500", "E542") or not known or known[1] != "bronze":
            raise
    dataset = Dataset(name=known[3], physical_name=str(name))
    contract = Contract(
        api_version="v3.1.0",
        id=str(name),
        version="0.0.0",
        name=known[3],
        domain=known[2],
        datasets=(dataset,),
        source="<none>",
    )
    return contract, dataset


def load_contract(name: str | Path | Contract, settings: Settings) -> Contract:
    """The contract a name means: a loaded one, YAML text, a path, a table_id, an id with or without version.

    Names are looked for in the files of the root, its compiled artifacts, the registry, and the copies of what was
    read from it; `registry:NAME` uses the registry only.
    """
    if isinstance(name, Contract):
        return name
    if isinstance(name, str) and "\n" in name:
        return usable(*read(name, "<text>"), source="<text>")
    if Path(name).is_file() or str(name).endswith((".yaml", ".yml")):
        return load_file(Path(name))
    if str(name).startswith(REGISTRY):
        from floe.actions.load.registered import the_contract

        return the_contract(str(name).removeprefix(REGISTRY), settings)
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
    wrong = tuple(
        finding for finding in found if finding.severity >= Severity.ERROR and finding.name not in _OF_ONE_RULE
    )
    if contract and not wrong:
        return contract
    first = wrong[0]
    raise ContractError(
        f"{first.place}: {first.message}", first.suggestion or f"Run floe lint {source}", first.code, wrong
    )


def _by_search(name: str, settings: Settings) -> Contract:
    folder = settings.root / "contracts"
    known = list(_all(folder))
    found = [contract for contract, _ in known if name in _names(contract)]
    if len(found) > 1:
        listed = ", ".join(f"{contract.identity} ({contract.source})" for contract in found)
        raise ContractError(
            f"'{name}' is the name of {len(found)} contracts: {listed}",
            "Pass the id and version, or the path, of one of them",
            "E500",
        )
    if found:
        return usable(found[0], next(said for contract, said in known if contract is found[0]), found[0].source)
    # searched last, and imported here: a file must not wait for a database
    from floe.actions.load.registered import find_registered, registered_names

    elsewhere = find_compiled(name, settings) or find_registered(name, settings)
    if elsewhere:
        return elsewhere
    names = [str(other) for contract, _ in known for other in _names(contract)]
    near = difflib.get_close_matches(name, [*names, *registered_names(settings)], 1)
    hint = f"Did you mean '{near[0]}'? Otherwise write" if near else "Write"
    raise ContractError(
        f"Unknown contract '{name}'",
        f"{hint} {folder}/<layer>/<domain>/<table>.yaml for a table_id like silver.commerce.orders_clean, or pass a contract file or id",
        "E500",
    )


def contracts_below(settings: Settings) -> list[Contract]:
    """Every contract of the root that can be read."""
    return [contract for contract, _ in _all(settings.root / "contracts")]


def _all(folder: Path) -> Iterator[tuple[Contract, list[Finding]]]:
    for path in contract_files(folder) if folder.is_dir() else ():
        contract, found = read(read_bytes(path), str(path))
        if contract:
            yield contract, found


def _names(contract: Contract) -> set[str | None]:
    tables = {contract.table_id(dataset) for dataset in contract.datasets}
    return {contract.id, contract.identity, contract.identity.rsplit(":", 1)[0], *tables}


def _dataset(contract: Contract, name: str) -> Dataset:
    fitting = [d for d in contract.datasets if name in (contract.table_id(d), d.name)] or list(contract.datasets)
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise ContractError(
            f"{contract.source}: the contract has no schema",
            "Add a schema with one dataset",
            "E501",
        )
    listed = ", ".join(contract.table_id(dataset) or dataset.name for dataset in fitting)
    raise ContractError(f"{contract.source}: the contract has {len(fitting)} datasets", f"Pass one of {listed}", "E500")


def find_layer(contract: Contract, dataset: Dataset, given: str | None) -> str:
    """The layer of a gate: given, or else from the contract; never guessed."""
    layer = given or contract.layer(dataset)
    if layer not in LAYERS:
        said = f"'{layer}' is not a layer" if layer else f"The layer of '{dataset.name}' is unknown"
        raise ContractError(
            f"{said}; gates differ between bronze, silver and gold",
            "Pass --layer (layer=), add customProperty layer, or keep the contract under contracts/<layer>/<domain>/",
            "E501",
        )
    return layer
