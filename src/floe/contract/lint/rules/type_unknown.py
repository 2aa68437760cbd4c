"""E503 type-unknown."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Field, Message, Severity


@rule("E503", "type-unknown", Severity.ERROR, value=Field)
def type_unknown(field: Field) -> Iterator[Message]:
    """The physical type is no spelling of a type that floe knows, and no logical type stands beside it.

    Why: no table can be created from it and no column compared with it.

    Fix: write the type as Spark, your warehouse or SQL spells it, e.g. decimal(12,2), or add logicalType.
    """
    if field.type_error and not field.logical_type:
        yield Message(
            f"Type '{field.physical_type}' of '{field.path}' cannot be read",
            field.type_error,
            "Write a type as Spark SQL spells it, e.g. decimal(12,2), or add logicalType",
            at=("physicalType",),
        )
