"""Text to contracts and back, one file per format."""

from floe.contract.formats import odcs, yaml_text
from floe.model import Contract, ContractError, Finding


def read(data: bytes | str, source: str) -> tuple[Contract | None, list[Finding]]:
    """The contract in a text, where there is one, and what reading it found."""
    try:
        tree = yaml_text.parse(data, source)
    except ContractError as error:
        return None, list(error.findings)
    return odcs.read(tree, source)
