"""A7 api-version-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair
from floe.model.change import Bump, Impact


@change("api-version-changed", "A7", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, value=ContractPair)
def api_version_changed(pair: ContractPair) -> Iterator[Delta]:
    """The contract uses another version of the standard.

    Why: the document changed, although the expectations are the same.

    Fix: raise the PATCH version.
    """
    if pair.old.api_version != pair.new.api_version:
        yield Delta(path="apiVersion", old=pair.old.api_version, new=pair.new.api_version)
