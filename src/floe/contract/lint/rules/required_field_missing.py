"""E513 required-field-missing."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.tiers import TieredDataset
from floe.model import Message, Severity


@rule("E513", "required-field-missing", Severity.ERROR, value=TieredDataset)
def required_field_missing(dataset: TieredDataset) -> Iterator[Message]:
    """A child lists the columns of a dataset without one that its parent requires.

    Why: a contract can inherit a promise, but no table inherits a column: it has to be filled.

    Fix: add the column to the dataset and to its table; a dataset that lists no columns inherits them all.
    """
    mine = dataset.noun
    if not mine.node.get("properties"):
        return
    have = {field.path for field in mine.fields}
    for field in dataset.parent.fields:
        if field.required and field.path not in have:
            yield Message(
                f"Required field '{mine.name}.{field.path}' is missing",
                f"Parent requires it ({field.type}), child lists {len(mine.fields)} columns without it",
                f"Add '{field.path}' to '{mine.name}'",
                at=("properties",),
                key=True,
            )
