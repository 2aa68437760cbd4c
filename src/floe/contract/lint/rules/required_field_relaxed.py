"""E513 required-field-relaxed."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.tiers import TieredField
from floe.model import Message, Severity


@rule("E513", "required-field-relaxed", Severity.ERROR, value=TieredField)
def required_field_relaxed(field: TieredField) -> Iterator[Message]:
    """A child makes a field optional that its parent requires.

    Why: consumers of the domain expect a value in this field.

    Fix: remove required: false, or waive the finding with floe approve.
    """
    if field.parent.required and field.noun.node.get("required") is False:
        yield Message(
            f"Required field '{field.path}' is optional",
            "Parent requires it, child specifies required: false",
            f"Set required: true for '{field.path}', or remove it to inherit it",
            at=("required",),
        )
