"""E508 reference-unknown-dataset."""

from collections.abc import Iterator

from floe.contract.lint.references import resolved, sides, target
from floe.contract.lint.rule import rule
from floe.contract.lint.views import ReferenceOf, fold
from floe.model import Message, Severity


@rule("E508", "reference-unknown-dataset", Severity.WARNING, value=ReferenceOf)
def reference_unknown_dataset(part: ReferenceOf) -> Iterator[Message]:
    """A relationship leads to a dataset that neither this contract nor another one of the run has.

    Why: the target may stand in another contract; where it does not, the reference cannot be checked, and compiling says so.

    Fix: correct the name, or make sure that a contract of the product, or the registry, has the dataset.
    """
    for side, at, text in sides(part):
        if side == "to" and not target(text).document:
            dataset, name, column = resolved(part.names, part.dataset, text)
            others = part.scope.neighbours.named(name) if dataset is None else ()
            if dataset is None and not any(not column or names.has(other, column) for names, other in others):
                yield Message(
                    f"Relationship leads to '{text}', and no dataset '{name}' is in this contract",
                    f"The one in {others[0][0].contract.source} has no column '{column}'"
                    if others
                    else "It may be in another contract",
                    "Correct the name, or see to it that a contract has this dataset",
                    at=at,
                    alike=fold(text if others else name),
                    target=name,
                )
