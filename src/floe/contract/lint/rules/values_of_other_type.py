"""E508 values-of-other-type."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.values import place_of_values
from floe.model import Field, Message, Severity
from floe.model.types import Atomic, Decimal as DecimalType, Family

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")


@rule("E508", "values-of-other-type", Severity.WARNING, value=Field)
def values_of_other_type(field: Field) -> Iterator[Message]:
    """A listed value does not have the type of the field.

    Why: text never equals a number, so the value never occurs, or the type is wrong.

    Fix: write numbers without quotes, or correct the type.
    """
    if field.values and _numeric(field):
        wrong = [value for value in field.values if isinstance(value, str) and not _number(value)]
        if wrong:
            yield Message(
                f"'{field.path}' lists '{wrong[0]}', which is not of type {field.type}",
                f"{len(wrong)} of {len(field.values)} listed values are text",
                "List numbers, or give the field a text type",
                at=place_of_values(field),
            )


def _numeric(field: Field) -> bool:
    match field.type:
        case Family(name):
            return name in ("integer", "number", "decimal")
        case Atomic(name):
            return name in _NUMBERS
        case DecimalType():
            return True
    return False


def _number(text: str) -> bool:
    return "${" in text or text.strip().lstrip("+-").replace(".", "", 1).isdigit()
