"""E508 reference-unknown-dataset."""

from collections.abc import Iterator

from floe.contract.lint.references import resolved, sides, target
from floe.contract.lint.rule import rule
from floe.contract.lint.views import ReferenceOf, fold
from floe.model import Message, Severity


@rule("E508", "reference-unknown-dataset", Severity.WARNING, value=ReferenceOf)
def reference_unknown_dataset(part: ReferenceOf) -> Iterator[Message]:
    """A relationship points to a dataset that no contract of this run has.

    Why: the dataset may be in another repository; otherwise the reference cannot be checked, and `floe compile` reports
    it.

    Fix: correct the name, or add the dataset to a contract of the product or of the registry.
    """
    for side, at, text in sides(part):
        if side == "to" and not target(text).document:
            dataset, name, column = resolved(part.names, part.dataset, text)
            others = part.scope.neighbours.named(name) if dataset is None else ()
            if dataset is None and not any(not column or names.has(other, column) for names, other in others):
                yield Message(
                    f"Relationship to '{text}': this contract has no dataset '{name}'",
                    f"The dataset in {others[0][0].contract.source} has no column '{column}'"
                    if others
                    else "It may be in another contract",
                    "Correct the name, or add the dataset to a contract",
                    at=at,
                    alike=fold(text if others else name),
                    target=name,
                )
