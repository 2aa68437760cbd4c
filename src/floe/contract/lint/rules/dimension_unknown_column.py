"""E508 dimension-unknown-column."""

from collections.abc import Iterator

from floe.contract.lint.measures import custom
from floe.contract.lint.rule import rule
from floe.contract.lint.views import DatasetOf
from floe.model import Message, Severity


@rule("E508", "dimension-unknown-column", Severity.WARNING, value=DatasetOf)
def dimension_unknown_column(part: DatasetOf) -> Iterator[Message]:
    """A dimension is not a column of its dataset and has no expression.

    Why: queries cannot group by it.

    Fix: correct the name, or give the dimension an expression.
    """
    for at, entry in custom(part, "dimensions"):
        name = entry.get("name")
        if isinstance(name, str) and "expression" not in entry and not part.names.has(part.noun, name):
            yield Message(
                f"Dimension '{name}' is not a column of '{part.noun.name}'",
                "It has no expression",
                f"{part.names.near(part.noun, name)}Correct the name, or add an expression",
                at=(*at, "name"),
            )
