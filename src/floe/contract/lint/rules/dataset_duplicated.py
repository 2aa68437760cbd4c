"""E508 dataset-duplicated."""

from collections.abc import Iterator

from floe.contract.lint.duplicates import named_twice
from floe.contract.lint.rule import rule
from floe.model import Contract, Message, Severity


@rule("E508", "dataset-duplicated", Severity.ERROR, value=Contract)
def dataset_duplicated(contract: Contract) -> Iterator[Message]:
    """Two datasets of a contract have the same name.

    Why: expectations and references cannot say which of the two they mean.

    Fix: rename or remove one of them.
    """
    if len(contract.datasets) > 1:
        yield from named_twice([(dataset.name, (*dataset.at, "name")) for dataset in contract.datasets])
