"""E501 identity-defaulted."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Contract, Message, Severity


@rule("E501", "identity-defaulted", Severity.INFO, value=Contract)
def identity_defaulted(contract: Contract) -> Iterator[Message]:
    """The contract has no domain, product or name, so part of its identity is a default.

    Why: contracts are found by `domain.product/contract:version`, and `default.default` cannot be published.

    Fix: add domain, dataProduct and name, or a floe.yaml in the folder of the contract.
    """
    missing = [
        key
        for key, value in (("domain", contract.domain), ("dataProduct", contract.product), ("name", contract.name))
        if not value
    ]
    if missing:
        yield Message(
            f"The identity of the contract is '{contract.identity}'",
            f"It has no {', '.join(missing)}",
            f"Add {', '.join(missing)} here or in floe.yaml",
        )
