"""A7 api-version-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair
from floe.model.change import Bump, Impact


@change("api-version-changed", "A7", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, value=ContractPair)
def api_version_changed(pair: ContractPair) -> Iterator[Delta]:
    """The contract is written in another version of the standard.

    Why: the document is another one, though it promises the same.

    Fix: nothing; raise the PATCH.
    """
    if pair.old.api_version != pair.new.api_version:
        yield Delta(path="apiVersion", old=pair.old.api_version, new=pair.new.api_version)
