"""A8 identity-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair
from floe.model import Contract
from floe.model.change import Bump, Impact


@change(
    "identity-changed",
    "A8",
    bump=Bump.NONE,
    reader=Impact.BREAK,
    writer=Impact.BREAK,
    value=ContractPair,
    basis="given",
)
def identity_changed(pair: ContractPair) -> Iterator[Delta]:
    """The id, domain, product or name changed, so this is another contract.

    Why: versions are counted per contract, and no bump turns one contract into another.

    Fix: keep the identity, or publish a separate contract and deprecate this one.
    """
    old, new = _identity(pair.old), _identity(pair.new)
    for key in old:
        if old[key] != new[key]:
            yield Delta(path=key, old=old[key], new=new[key], note="another contract")


def _identity(contract: Contract) -> dict[str, str]:
    domain, product = contract.domain or "default", contract.product or "default"
    name = contract.identity.removeprefix(f"{domain}.{product}/").removesuffix(f":{contract.version}")
    return {"id": contract.id, "domain": domain, "dataProduct": product, "name": name}
