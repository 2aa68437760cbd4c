"""E508 id-duplicated."""

from collections.abc import Iterator

from floe.contract.lint.duplicates import named_twice
from floe.contract.lint.rule import rule
from floe.model import Dataset, Message, Severity


@rule("E508", "id-duplicated", Severity.WARNING, value=Dataset)
def id_duplicated(dataset: Dataset) -> Iterator[Message]:
    """Two fields of a dataset have the same id.

    Why: floe recognises a renamed field by its id, so a diff would confuse the two fields.

    Fix: give each field its own id.
    """
    ids = [(field.node.get("id"), (*field.at[len(dataset.at) :], "id")) for field in dataset.fields]
    yield from named_twice([(word, at) for word, at in ids if isinstance(word, str)])
