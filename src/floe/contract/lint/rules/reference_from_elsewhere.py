"""E508 reference-from-elsewhere."""

from collections.abc import Iterator

from floe.contract.lint.references import resolved, sides, target
from floe.contract.lint.rule import rule
from floe.contract.lint.views import ReferenceOf
from floe.model import Message, Severity


@rule("E508", "reference-from-elsewhere", Severity.ERROR, value=ReferenceOf)
def reference_from_elsewhere(part: ReferenceOf) -> Iterator[Message]:
    """A relationship starts at a dataset that is not in this contract.

    Why: a contract can define references of its own datasets only.

    Fix: start `from` with the name of the dataset that has the relationship.
    """
    for side, at, text in sides(part):
        dataset, name, _ = resolved(part.names, part.dataset, text)
        if side == "from" and dataset is None:
            yield Message(
                f"Relationship starts at '{text}', but this contract has no dataset '{name}'",
                f"It belongs to '{part.dataset.name}'",
                f"Write '{part.dataset.name}.{target(text).field or name}'",
                at=at,
            )
