"""C1 field-removed."""

from collections.abc import Iterator

from floe.contract.compat.change import Delta, change
from floe.contract.compat.pairs import FieldPair
from floe.model.change import Bump, Impact


@change("field-removed", "C1", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, each=FieldPair, basis="given")
def field_removed(field: FieldPair) -> Iterator[Delta]:
    """A field that was promised is no longer there.

    Why: every query, job and model that names it fails.

    Fix: keep it until its consumers have moved, or publish a MAJOR with a migration text.
    """
    if field.old and not field.new:
        yield Delta(old=str(field.old.type), about=field.old)
