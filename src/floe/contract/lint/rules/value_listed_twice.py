"""E508 value-listed-twice."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.values import place_of_values
from floe.model import Field, Message, Severity


@rule("E508", "value-listed-twice", Severity.WARNING, value=Field)
def value_listed_twice(field: Field) -> Iterator[Message]:
    """A list of valid values contains a value twice.

    Why: one of the two was probably meant to be another value.

    Fix: remove or correct one of them.
    """
    seen: set[str] = set()
    for value in field.values or ():
        key = f"{type(value).__name__} {value}"
        if key in seen:
            yield Message(
                f"'{field.path}' lists the value '{value}' twice",
                "Each valid value is listed once",
                "Remove or correct one of the two",
                at=place_of_values(field),
                alike=field.path,
            )
        seen.add(key)
