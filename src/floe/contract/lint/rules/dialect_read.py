"""E502 dialect-read."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Contract, Message, Severity


@rule("E502", "dialect-read", Severity.INFO, value=Contract)
def dialect_read(contract: Contract) -> Iterator[Message]:
    """The contract is written in a dialect, which floe reads as ODCS.

    Why: other tools read ODCS only.

    Fix: convert it, e.g. `floe convert orders.yaml --to odcs`. The result is an equal contract.
    """
    if contract.format != "odcs":
        yield Message(
            f"The contract is written in {_named(contract.format)} and was read as ODCS {contract.api_version}",
            suggestion=f"Convert it with `floe convert {contract.source} --to odcs`",
        )


def _named(form: str) -> str:
    return f"the {form}" if form[:1].isupper() else form
