"""E503 type-open."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Field, Message, Severity
from floe.model.types import Family


@rule("E503", "type-open", Severity.INFO, value=Field)
def type_open(field: Field) -> Iterator[Message]:
    """The field has no type, or only a logical type that several physical types match.

    Why: floe cannot create a table from it, and Gold and the schema hash need one type.

    Fix: add physicalType, e.g. bigint or decimal(12,2).
    """
    typeless = field.type == Family("any")
    refused = typeless and field.logical_type  # a word the standard does not have, which it says itself
    if isinstance(field.type, Family) and not field.type_error and not refused:
        yield Message(
            f"'{field.path}' has no type"
            if typeless
            else f"'{field.path}' has the logical type '{field.type}' but no physical type",
            "Any Spark type matches it" if typeless else "Several Spark types match it",
            "Add physicalType, e.g. bigint or decimal(12,2)",
            alike="type",
        )
