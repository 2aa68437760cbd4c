"""A4 terms-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair
from floe.contract.compat.parts import contract_parts
from floe.model.change import Bump, Impact


@change("terms-changed", "A4", bump=Bump.MINOR, reader=Impact.RISK, writer=Impact.RISK, value=ContractPair)
def terms_changed(pair: ContractPair) -> Iterator[Delta]:
    """The text of terms, usage or limitations changed.

    Why: the text may restrict a consumer, and no program can decide that, so consumers are notified.

    Fix: raise the MINOR version and explain the change to consumers.
    """
    for part in contract_parts(pair, "terms"):
        yield Delta(path=part.path, old=part.old, new=part.new)
