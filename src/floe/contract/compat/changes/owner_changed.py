"""A3 owner-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair
from floe.contract.compat.parts import contract_parts
from floe.model.change import Bump, Impact


@change("owner-changed", "A3", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, value=ContractPair, basis="given")
def owner_changed(pair: ContractPair) -> Iterator[Delta]:
    """Another owner, team, member or support channel stands in the contract.

    Why: data and promises stay as they were; consumers ask somebody else.

    Fix: nothing; raise the PATCH.
    """
    for part in contract_parts(pair, "owner"):
        yield Delta(path=part.path, old=part.old, new=part.new)
