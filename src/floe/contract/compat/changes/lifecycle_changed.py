"""A6 lifecycle-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair
from floe.contract.compat.parts import contract_parts
from floe.model.change import Bump, Impact


@change("lifecycle-changed", "A6", bump=Bump.NONE, reader=Impact.RISK, writer=Impact.OK, value=ContractPair)
def lifecycle_changed(pair: ContractPair) -> Iterator[Delta]:
    """The lifecycle state or the deprecation of the contract changed.

    Why: the state is not part of the version, but consumers plan by it.

    Fix: no version bump is needed; check that the dates leave consumers enough time.
    """
    for part in contract_parts(pair, "lifecycle"):
        yield Delta(path=part.path, old=part.old, new=part.new)
