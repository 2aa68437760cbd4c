"""E503 physical-type-unread."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Contract, Field, Message, Severity


@rule("E503", "physical-type-unread", Severity.WARNING, value=Contract)
def physical_type_unread(contract: Contract) -> Iterator[Message]:
    """The physical type is unknown to floe, which uses the logical type instead.

    Why: several types match a logical type, so the table may have another type than the author meant.

    Fix: write the type in the syntax of Spark, your warehouse or SQL, e.g. decimal(12,2).
    """
    unread: dict[str, list[Field]] = {}
    for field in (field for dataset in contract.datasets for field in dataset.walk()):
        if field.type_error and field.logical_type:
            unread.setdefault(field.physical_type or "", []).append(field)
    for written, fields in unread.items():
        first, others = fields[0], len(fields) - 1
        also = f" and {others} more" if others else ""
        yield Message(
            f"Type '{written}' of '{first.path}'{also} is unknown; logicalType '{first.logical_type}' is used",
            first.type_error or "",
            "Write a type in the syntax of Spark SQL, e.g. decimal(12,2)",
            at=(*first.at, "physicalType"),
        )
