"""Complete: the physical types that a contract's file leaves open, written into it from its table."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from floe import tables
from floe.actions.load.find import load_contract, with_values
from floe.contract.formats.text.edit import NewKey, add_keys
from floe.contract.sources.rewrite import rewrite
from floe.engine.metadata.schema import columns
from floe.model import Contract, Dataset, Field, FloeError, TableError
from floe.model.types import Array, MapOf, Struct, Type, accepts
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target


@dataclass(frozen=True, slots=True)
class Completed:
    """The file, the fields whose types were written, and those left open, each with why."""

    path: Path
    filled: tuple[tuple[str, str], ...]
    left: tuple[tuple[str, str], ...]


class _Open(NamedTuple):
    """A field without a physical type, and what the table has for it."""

    path: str
    field: Field
    type: Type | None


def complete(name: str, source: str | None, settings: Settings) -> Completed:
    """Write the missing physical types of a contract into its file; everything else in it stays.

    Args:
        name: the contract's file, id or table_id.
        source: its table, where the contract does not find it.
        settings: those in force.
    """
    contract = load_contract(name, settings)
    if contract.format != "odcs":
        raise FloeError(
            f"{contract.source} is not ODCS but {contract.format}", "Convert it to ODCS first (floe convert)"
        )
    if source and len(contract.datasets) > 1:
        raise FloeError(
            f"{contract.source} has {len(contract.datasets)} datasets, but one table was given", "Remove it"
        )
    found = [
        open_field for dataset in contract.datasets for open_field in _open_fields(contract, dataset, source, settings)
    ]
    fitting = [value for value in found if value.type is not None and accepts(value.field.type, value.type)]
    left = tuple((value.path, _why(value)) for value in found if value not in fitting)
    if fitting:
        rewrite(Path(contract.source), lambda text: _filled(text, fitting, contract))
    return Completed(Path(contract.source), tuple((value.path, str(value.type)) for value in fitting), left)


def _open_fields(contract: Contract, dataset: Dataset, source: str | None, settings: Settings) -> Iterator[_Open]:
    target = find_target(settings, with_values(contract, settings), dataset, TableSelector(table=source), None)
    facts = tables.probe(target, settings)
    if facts is None or facts.schema is None:
        raise TableError(
            f"There is no table at {target}", "Pass it before --complete: floe bootstrap TABLE --complete …"
        )
    actual = facts.schema
    names = columns(dataset.schema, actual, exact=False)
    for field in dataset.fields:
        known = names.get(field.column)
        yield from _below(f"{dataset.name}.{field.path}", field, actual[known].type if known else None)


def _below(path: str, field: Field, actual: Type | None) -> Iterator[_Open]:
    """The open fields at and below one."""
    if not field.fields:
        if "physicalType" not in field.node and not field.physical_type:
            yield _Open(path, field, actual)
        return
    for child in field.fields:
        yield from _below(f"{path.split('.', 1)[0]}.{child.path}", child, _part(actual, child))


def _part(actual: Type | None, child: Field) -> Type | None:
    match actual:
        case Struct(members):
            return next((member.type for member in members if member.name.casefold() == child.column.casefold()), None)
        case Array(element):
            return element
        case MapOf(key, value):
            return key if child.path.endswith("{key}") else value
    return None


def _why(value: _Open) -> str:
    return (
        f"the table has {value.type}, the contract has {value.field.type}"
        if value.type
        else "the table has no such column"
    )


def _filled(text: str, fitting: list[_Open], contract: Contract) -> str:
    """The text with the types in it; nothing is written where that would change anything else."""
    keys = [
        NewKey(value.field.node.key_places[_beside(value.field)], "physicalType", str(value.type)) for value in fitting
    ]
    return add_keys(text, contract.source, keys)


def _beside(field: Field) -> str:
    """The key that the type is written next to."""
    return next((key for key in ("logicalType", "name") if key in field.node), next(iter(field.node)))
