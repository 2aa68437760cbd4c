"""E508 reference-unknown-column."""

from collections.abc import Iterator

from floe.contract.lint.references import resolved, sides
from floe.contract.lint.rule import rule
from floe.contract.lint.views import ReferenceOf, fold
from floe.model import Dataset, Message, Severity


@rule("E508", "reference-unknown-column", Severity.ERROR, value=ReferenceOf)
def reference_unknown_column(part: ReferenceOf) -> Iterator[Message]:
    """A relationship names a column that is not in its dataset of this contract.

    Why: the reference cannot be checked, and joins on it fail.

    Fix: correct the name, or add the column.
    """
    for side, at, text in sides(part):
        dataset, _, field = resolved(part.names, part.dataset, text)
        if dataset and field and not part.names.has(dataset, field):
            yield Message(
                f"Relationship {side} '{text}': '{dataset.name}' has no column '{field}'",
                f"'{dataset.name}' is a dataset of this contract",
                f"{part.names.near(dataset, field)}Correct the name, or add the column",
                at=at,
                severity=Severity.WARNING if _meant(dataset, field) else None,
            )


def _meant(dataset: Dataset, field: str) -> bool:
    """Whether one column's id tells which one was meant, so that the reference can be followed all the same."""
    ids = [other.node.get("id") for other in dataset.fields]
    return sum(isinstance(word, str) and fold(word).startswith(fold(field)) for word in ids) == 1
