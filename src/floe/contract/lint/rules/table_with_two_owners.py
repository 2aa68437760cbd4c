"""E508 table-with-two-owners."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.together import twice
from floe.contract.lint.views import ContractFolder, fold
from floe.model import Message, Severity


@rule("E508", "table-with-two-owners", Severity.WARNING, value=ContractFolder)
def table_with_two_owners(folder: ContractFolder) -> Iterator[Message]:
    """Two contracts describe the same table and name different owners.

    Why: when the table breaks, it is unclear who is responsible.

    Fix: let one owner keep the table, and let the other contract reference it.
    """
    for (first, _), (contract, dataset), table in twice(folder):
        before, now = first.owner, contract.owner
        if before and now and fold(before) != fold(now):
            yield Message(
                f"Table '{table}' has two owners",
                f"'{before}' in {first.source}, '{now}' here",
                "Let one of them own the table",
                at=("physicalName",) if dataset.physical_name else ("name",),
                about=dataset,
            )
