"""E508 key-unknown-column."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import DatasetOf
from floe.model import Dataset, Message, Severity

_KEY_LISTS = ("joinKeys", "snapshotKeys")


@rule("E508", "key-unknown-column", Severity.ERROR, value=DatasetOf)
def key_unknown_column(part: DatasetOf) -> Iterator[Message]:
    """Join keys or snapshot keys name a column that the dataset does not have.

    Why: the Gold gate needs these columns and would refuse every batch.

    Fix: correct the name, or add the column.
    """
    for name in _KEY_LISTS:
        listed = part.noun.custom.get(name)
        index = _entry(part.noun, name)
        for i, column in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(column, str) and not part.names.has(part.noun, column):
                yield Message(
                    f"'{name}' names '{column}', which '{part.noun.name}' does not have",
                    f"{name} is {', '.join(map(str, listed or ()))}",
                    f"{part.names.near(part.noun, column)}Correct the name, or add the column",
                    at=("customProperties", index, "value", i),
                )


def _entry(dataset: Dataset, name: str) -> int:
    entries = dataset.node.get("customProperties") or ()
    return next((i for i, entry in enumerate(entries) if isinstance(entry, dict) and entry.get("property") == name), 0)
