"""E513 required-field-missing."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.tiers import TieredDataset
from floe.model import Message, Severity


@rule("E513", "required-field-missing", Severity.ERROR, value=TieredDataset)
def required_field_missing(dataset: TieredDataset) -> Iterator[Message]:
    """A child lists the columns of a dataset without a column that its parent requires.

    Why: a contract can inherit a constraint, but a table cannot inherit a column; writers have to fill it.

    Fix: add the column to the dataset and to its table. A dataset that lists no columns inherits all of them.
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
