"""E503 physical-type-unread."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Contract, Field, Message, Severity


@rule("E503", "physical-type-unread", Severity.WARNING, value=Contract)
def physical_type_unread(contract: Contract) -> Iterator[Message]:
    """The physical type is no spelling of a type that floe knows; the logical type is used instead.

    Why: several types satisfy a logical type, so the table may hold another one than the author meant.

    Fix: write the type as Spark, your warehouse or SQL spells it, e.g. decimal(12,2).
    """
    unread: dict[str, list[Field]] = {}
    for field in (field for dataset in contract.datasets for field in dataset.walk()):
        if field.type_error and field.logical_type:
            unread.setdefault(field.physical_type or "", []).append(field)
    for written, fields in unread.items():
        first, others = fields[0], len(fields) - 1
        also = f" and {others} more" if others else ""
        yield Message(
            f"Type '{written}' of '{first.path}'{also} cannot be read; logicalType '{first.logical_type}' is used",
            first.type_error or "",
            "Write a type as Spark SQL spells it, e.g. decimal(12,2)",
            at=(*first.at, "physicalType"),
        )
