"""C2 field-added and C3 required-field-added."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import FieldPair
from floe.model.change import Bump, Impact


@change("field-added", "C2", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.OK, value=FieldPair, basis="given")
def field_added(field: FieldPair) -> Iterator[Delta]:
    """An optional field is new.

    Why: readers that select columns by name are not affected.

    Fix: raise the MINOR version.
    """
    if field.new and not field.old and not field.new.required:
        yield Delta(new=str(field.new.type), note=field.hint, about=field.new)


@change(
    "required-field-added", "C3", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, value=FieldPair, basis="given"
)
def required_field_added(field: FieldPair) -> Iterator[Delta]:
    """A required field is new.

    Why: every writer of the old version is refused, with or without a default.

    Fix: add it as optional first, and require it in the next MAJOR version.
    """
    if field.new and not field.old and field.new.required:
        yield Delta(new=str(field.new.type), note=field.hint, about=field.new)
