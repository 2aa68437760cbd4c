"""E503 type-open."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Field, Message, Severity
from floe.model.types import Family


@rule("E503", "type-open", Severity.INFO, each=Field)
def type_open(field: Field) -> Iterator[Message]:
    """The field has a logical type only, which several physical types satisfy.

    Why: a table cannot be created from it, and Gold and the schema hash need one type.

    Fix: add physicalType, e.g. bigint or decimal(12,2).
    """
    if isinstance(field.type, Family) and not field.type_error:
        yield Message(
            f"'{field.path}' has the logical type '{field.type}' and no physical one",
            "Several Spark types satisfy it",
            "Add physicalType, e.g. bigint or decimal(12,2)",
            alike="type",
        )
