"""E508 key-optional."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Field, Message, Severity


@rule("E508", "key-optional", Severity.WARNING, value=Field)
def key_optional(field: Field) -> Iterator[Message]:
    """A key column is declared optional.

    Why: a key is never null. floe refuses such rows although the contract seems to allow them.

    Fix: set `required: true`, or remove the column from the key.
    """
    if field.key_position is not None and field.node.get("required") is False:
        yield Message(
            f"Key column '{field.path}' is declared 'required: false'",
            "A key is never null, so floe treats it as required",
            "Set 'required: true', or remove the column from the key",
            at=("required",),
            alike="key",
        )
