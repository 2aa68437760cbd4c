"""E508 reference-from-elsewhere."""

from collections.abc import Iterator

from floe.contract.lint.references import resolved, sides, target
from floe.contract.lint.rule import rule
from floe.contract.lint.views import ReferenceOf
from floe.model import Message, Severity


@rule("E508", "reference-from-elsewhere", Severity.ERROR, value=ReferenceOf)
def reference_from_elsewhere(part: ReferenceOf) -> Iterator[Message]:
    """A relationship begins at a dataset that this contract does not have.

    Why: a contract can promise references of its own datasets only.

    Fix: begin `from` with the name of the dataset that the relationship stands on.
    """
    for side, at, text in sides(part):
        dataset, name, _ = resolved(part.names, part.dataset, text)
        if side == "from" and dataset is None:
            yield Message(
                f"Relationship begins at '{text}', and no dataset '{name}' is in this contract",
                f"It stands on '{part.dataset.name}'",
                f"Write '{part.dataset.name}.{target(text).field or name}'",
                at=at,
            )
