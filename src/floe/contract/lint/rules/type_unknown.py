"""E503 type-unknown."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Field, Message, Severity


@rule("E503", "type-unknown", Severity.ERROR, value=Field)
def type_unknown(field: Field) -> Iterator[Message]:
    """The physical type is unknown to floe, and the field has no logical type.

    Why: floe cannot create a table from it, or compare a column with it.

    Fix: write the type in the syntax of Spark, your warehouse or SQL, e.g. decimal(12,2), or add logicalType.
    """
    if field.type_error and not field.logical_type:
        yield Message(
            f"Type '{field.physical_type}' of '{field.path}' is unknown",
            field.type_error,
            "Write a type in the syntax of Spark SQL, e.g. decimal(12,2), or add logicalType",
            at=("physicalType",),
        )
