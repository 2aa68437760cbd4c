"""E508 table-promised-twice."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.together import twice
from floe.contract.lint.views import ContractFolder
from floe.model import Message, Severity


@rule("E508", "table-promised-twice", Severity.WARNING, value=ContractFolder)
def table_promised_twice(folder: ContractFolder) -> Iterator[Message]:
    """Two contracts describe the same table.

    Why: a change to one contract makes the other wrong, and a write is checked against one of them only.

    Fix: merge the two contracts, or make one of them a new version of the other (same id).
    """
    for (first, _), (_, dataset), table in twice(folder):
        yield Message(
            f"Table '{table}' is described by two contracts",
            f"The other is {first.identity} in {first.source}",
            "Merge the two, or make one a new version of the other",
            at=("physicalName",) if dataset.physical_name else ("name",),
            about=dataset,
        )
