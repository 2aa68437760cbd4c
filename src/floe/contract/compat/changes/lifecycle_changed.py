"""A6 lifecycle-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair
from floe.contract.compat.parts import contract_parts
from floe.model.change import Bump, Impact


@change("lifecycle-changed", "A6", bump=Bump.NONE, reader=Impact.RISK, writer=Impact.OK, value=ContractPair)
def lifecycle_changed(pair: ContractPair) -> Iterator[Delta]:
    """The contract moves to another state, or its deprecation says something else.

    Why: a state is no part of what is promised, but consumers have to plan by it.

    Fix: nothing in the version; see that the dates leave consumers their time.
    """
    for part in contract_parts(pair, "lifecycle"):
        yield Delta(path=part.path, old=part.old, new=part.new)
