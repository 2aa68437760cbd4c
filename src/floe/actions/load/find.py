"""Find a contract by any of its names, and give its variables, `${NAME}` and `${NAME:-default}`, their values.

A contract is written by others, and the environment holds what opens doors. So only variables that `variables` in
manifest.yaml names are read from it, and only for `servers`, where the standard puts what differs from place to place.
Elsewhere a variable has its default, or stays as it is written. What was read is hidden from then on (`reveal`).
"""

import difflib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from floe.actions.load.compiled import find_compiled
from floe.actions.load.product import Parents
from floe.contract.formats import read
from floe.contract.formats.odcs import contract_in
from floe.contract.lint import RULES
from floe.contract.lint.rule import findings as rule_findings
from floe.contract.resolve.inherit import ContractFamily
from floe.contract.sources.files import Disk, contract_files, read_bytes
from floe.lang.secret import reveal
from floe.model import (
    LAYERS,
    Contract,
    ContractError,
    Dataset,
    Finding,
    List,
    Map,
    Place,
    RegistryError,
    Severity,
    locate,
)
from floe.model.contract import REGISTRY
from floe.model.yaml_text import plain_value
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
    if own.is_resolved or not any(True for _ in own.extended()):
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


_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
# words that the standard defines in the SQL of a rule: the table and the column of the rule
_OWN = re.compile(r"\$\{(?:table|object|model|column|property|field)\}")
_SERVERS = "servers"
# parts of expectations: without a value, a variable there would leave an expectation unchecked
_JUDGED = {"logicalTypeOptions", "arguments", "enum", "physicalType", "logicalType", "physicalName", "implementation"}
_JUDGED_SLA = {"value", "valueExt"}
_Value = Callable[[re.Match[str]], str]


def with_values(contract: Contract, settings: Settings) -> Contract:
    """The contract with its variables' values; ContractError names those of servers that have none."""
    node = contract.node
    if not isinstance(node, Map):
        return contract
    allowed = frozenset(str(name) for name in settings.variables)
    _refuse_elsewhere(node, allowed, contract.source)
    missing: list[str] = []
    read = _reader(allowed, missing)
    tree = _mapped(node, {key: _given(part, read if key == _SERVERS else _default) for key, part in node.items()})
    if missing:
        raise _missing(contract, missing[0], allowed)
    _refuse_open(tree)
    return contract if tree is node else replace(contract_in(tree, contract.source), format=contract.format)


def _reader(allowed: frozenset[str], missing: list[str]) -> _Value:
    """Values from the environment, of the variables that may be read."""

    def value_of(match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        found = os.environ.get(name) if name in allowed else None  # noqa: TID251  (the environment is what variables are about)
        if found:
            reveal(name, found)
        elif default is None:
            missing.append(name)
        return found or default or ""

    return value_of


def _default(match: re.Match[str]) -> str:
    """A variable's default, or the variable as it is written."""
    return match[0] if match[2] is None else match[2]


def _missing(contract: Contract, name: str, allowed: frozenset[str]) -> ContractError:
    place = next(
        (place for found, place in _used(contract.node.get(_SERVERS), contract.node, _SERVERS) if found == name), None
    )
    if name in allowed:
        advice = f"Set it in the environment, or write a default: ${{{name}:-value}}"
    else:
        advice = f"Add it to manifest.yaml, variables: [{name}], and set it in the environment; or write a default: ${{{name}:-value}}"
    return ContractError(f"{place or contract.source}: no value for the variable {name}", advice, "E506")


def _refuse_open(node: Map) -> None:
    """Refuse a variable without a value in an expectation; rules with one are not evaluated."""
    for part, judged in ((node.get("schema"), _JUDGED), (node.get("slaProperties"), _JUDGED_SLA)):
        for name, place in _open(part, judged):
            raise ContractError(
                f"{place}: the variable {name} has no value: the environment is read for servers only",
                f"Write the value itself, or a default: ${{{name}:-value}}",
                "E506",
            )


def _open(part: Any, judged: set[str]) -> Iterator[tuple[str, Place | None]]:
    """The variables of a part below the keys that are checked."""
    if isinstance(part, Map):
        for key, below in part.items():
            if key in judged:
                yield from _used(below, part, key)
            elif key != "customProperties":
                yield from _open(below, judged)
    elif isinstance(part, List):
        for below in part:
            yield from _open(below, judged)


def _refuse_elsewhere(node: Map, allowed: frozenset[str], source: str) -> None:
    """A variable that is read for servers must not mean something else in another part of the contract."""
    for key, part in node.items():
        for name, place in _used(part, node, key) if key != _SERVERS else ():
            if name in allowed and os.environ.get(name):  # noqa: TID251  (as above)
                raise ContractError(
                    f"{place or source}: the variable {name} has a value in servers only, but is used under '{key}'",
                    "Write the value itself, or use another variable with a default",
                    "E506",
                )


def _used(part: Any, holder: Any, key: Any) -> Iterator[tuple[str, Place | None]]:
    """The variables of a part, with the places of the texts that hold them."""
    if isinstance(part, str):
        yield from ((match[1], locate(holder, key)) for match in _VARIABLE.finditer(part)) if "${" in part else ()
    elif isinstance(part, Map):
        for name, below in part.items():
            yield from _used(below, part, name)
    elif isinstance(part, List):
        for index, below in enumerate(part):
            yield from _used(below, part, index)


def _given(value: Any, value_of: _Value) -> Any:
    """A part with its variables replaced; the part itself where it has none."""
    if isinstance(value, Map):
        sql = isinstance(value.get("query"), str)
        return _mapped(
            value,
            {
                key: _given_sql(part, value_of) if sql and key == "query" else _given(part, value_of)
                for key, part in value.items()
            },
        )
    if isinstance(value, List):
        items = [_given(part, value_of) for part in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        listed = List(value.place)
        for part, place in zip(items, value.item_places, strict=True):
            listed.add(part, place)
        return listed
    return _replaced(value, value_of) if isinstance(value, str) and "${" in value else value


def _mapped(value: Map, found: dict[str, Any]) -> Map:
    """A mapping with other values, at the places of the first; itself where none is another."""
    if all(found[key] is value[key] for key in found):
        return value
    mapping = Map(value.place)
    for key, part in found.items():
        mapping.put(key, part, value.value_places.get(key), value.key_places.get(key))
    return mapping


def _given_sql(text: str, value_of: _Value) -> str:
    """SQL with its variables replaced, except the words for the rule's table and column."""
    own = _OWN.findall(text)
    parts = [str(_replaced(part, value_of)) if "${" in part else part for part in _OWN.split(text)]
    whole = "".join(map("".join, zip(parts, [*own, ""], strict=True)))
    return text if whole == text else whole


def _replaced(text: str, value_of: _Value) -> Any:
    """A text with its variables replaced; what is nothing but a variable may be a number or a truth value."""
    given = _VARIABLE.sub(value_of, text)
    if given == text:
        return text
    return plain_value(given) if _VARIABLE.fullmatch(text) else given
