"""A5 price-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair
from floe.contract.compat.parts import contract_parts
from floe.model.change import Bump, Impact


@change("price-changed", "A5", bump=Bump.MINOR, reader=Impact.RISK, writer=Impact.OK, value=ContractPair)
def price_changed(pair: ContractPair) -> Iterator[Delta]:
    """The price of the data changed.

    Why: consumers who pay have to know, although nothing fails.

    Fix: raise the MINOR version and notify consumers.
    """
    for part in contract_parts(pair, "price"):
        yield Delta(path=part.path, old=part.old, new=part.new)
