"""C6 columns-reordered and members-reordered."""

from collections.abc import Iterator, Sequence

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair, DatasetPair, FieldPair, earlier, members
from floe.contract.compat.stores import positional
from floe.model import Field, Noun
from floe.model.change import Bump, Impact
from floe.model.types import Struct


@change("columns-reordered", "C6", bump=Bump.PATCH, reader=Impact.RISK, writer=Impact.RISK, value=DatasetPair)
def columns_reordered(dataset: DatasetPair) -> Iterator[Delta]:
    """The order of the columns changed.

    Why: readers by name are not affected; readers by position, e.g. of CSV, get other columns.

    Fix: append new columns at the end, and keep the order of the others.
    """
    if dataset.old and dataset.new:
        yield from _moved(dataset.old.fields, dataset.new.fields, dataset.contracts, dataset.new)


@change("members-reordered", "C6", bump=Bump.PATCH, reader=Impact.RISK, writer=Impact.RISK, value=FieldPair)
def members_reordered(field: FieldPair) -> Iterator[Delta]:
    """The order of the members of a struct changed.

    Why: readers by name are not affected; a struct that is compared or cast as a whole differs.

    Fix: append new members at the end, and keep the order of the others.
    """
    if (both := field.both) and all(isinstance(field.type, Struct) for field in both):
        yield from _moved(members(both[0]), members(both[1]), field.contracts, both[1])


def _moved(old: Sequence[Field], new: Sequence[Field], contracts: ContractPair, about: Noun) -> Iterator[Delta]:
    if [field.column for field in old] == [field.column for field in new]:
        return
    before, after = [field.column for field in old], earlier(old, new)
    by_position = positional(contracts.old) or positional(contracts.new)
    if _kept(before, after) != _kept(after, before) or (by_position and _shifted(before, after)):
        yield Delta(
            old=before,
            new=[field.column for field in new],
            bump=Bump.MAJOR if by_position else None,
            note="a server of the contract is read by position" if by_position else "",
            about=about,
        )


def _kept(names: Sequence[str | None], others: Sequence[str | None]) -> list[str | None]:
    """The names that both versions have, in the order of the first."""
    known = set(others)
    return [name for name in names if name in known]


def _shifted(before: list[str], after: list[str | None]) -> bool:
    """Whether a field that stays is the third, say, and was the second."""
    places = {name: index for index, name in enumerate(after)}
    return any(places.get(name, index) != index for index, name in enumerate(before))
