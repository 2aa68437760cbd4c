"""Two contracts of different versions of the standard, in one form."""

from dataclasses import replace

from floe.contract.formats.odcs import contract_in
from floe.contract.formats.odcs.fit import comparable
from floe.model import Contract


def in_one_form(old: Contract, new: Contract) -> tuple[Contract, Contract]:
    """Both contracts in the words of v3.1 where they declare different versions of the standard."""
    return (old, new) if old.api_version == new.api_version else (_lowered(old), _lowered(new))


def _lowered(contract: Contract) -> Contract:
    tree = comparable(contract.node)
    # what a date may hold still depends on the version that was declared
    tree["apiVersion"] = contract.api_version
    read = contract_in(tree, contract.source)
    return replace(read, name=contract.name, domain=contract.domain, product=contract.product, format=contract.format)
