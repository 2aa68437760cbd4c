"""E508 reference-uneven."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import ReferenceOf
from floe.model import Message, Severity


@rule("E508", "reference-uneven", Severity.ERROR, value=ReferenceOf)
def reference_uneven(part: ReferenceOf) -> Iterator[Message]:
    """A relationship has more columns on one side than on the other.

    Why: the columns of a composite key are compared in pairs.

    Fix: name as many columns in `from` as in `to`.
    """
    source, goal = part.noun.source or ((part.field.path,) if part.field else ()), part.noun.target
    if source and goal and len(source) != len(goal):
        yield Message(
            f"Relationship of '{part.dataset.name}' has {len(source)} columns on one side and {len(goal)} on the other",
            f"from {', '.join(map(str, source))} to {', '.join(map(str, goal))}",
            "Name as many columns in 'from' as in 'to'",
            at=("to",),
        )
