"""A3 owner-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair
from floe.contract.compat.parts import contract_parts
from floe.model.change import Bump, Impact


@change("owner-changed", "A3", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, value=ContractPair, basis="given")
def owner_changed(pair: ContractPair) -> Iterator[Delta]:
    """The owner, team, a member or a support channel changed.

    Why: the data is the same; consumers contact somebody else.

    Fix: raise the PATCH version.
    """
    for part in contract_parts(pair, "owner"):
        yield Delta(path=part.path, old=part.old, new=part.new)
