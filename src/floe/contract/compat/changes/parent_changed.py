"""A9 parent-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair
from floe.contract.compat.parts import contract_parts
from floe.model.change import Bump, Impact


@change("parent-changed", "A9", bump=Bump.PATCH, reader=Impact.RISK, writer=Impact.RISK, value=ContractPair)
def parent_changed(pair: ContractPair) -> Iterator[Delta]:
    """The contract inherits from another parent, or from another version of it.

    Why: parents contribute expectations, so the difference of the effective contracts decides.

    Fix: run floe compile, and raise the version as the effective difference requires.
    """
    for part in contract_parts(pair, "parent"):
        yield Delta(
            path=part.path,
            old=part.old,
            new=part.new,
            note="the effective contracts decide the bump; this is the minimum",
        )
