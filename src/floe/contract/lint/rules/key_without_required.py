"""E508 key-without-required."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Field, Message, Severity


@rule("E508", "key-without-required", Severity.INFO, value=Field)
def key_without_required(field: Field) -> Iterator[Message]:
    """A key column does not declare `required`.

    Why: a key is never null, and floe checks that; readers of the contract should see it.

    Fix: add `required: true`.
    """
    if field.key_position is not None and "required" not in field.node:
        yield Message(
            f"Key column '{field.path}' does not declare 'required'",
            "A key is never null, so floe treats it as required",
            "Add 'required: true'",
            at=("primaryKey",),
            key=True,
            alike="key",
        )
