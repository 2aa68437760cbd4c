"""C1 field-removed; C10 where the field was deprecated."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import FieldPair, custom_value
from floe.model import Field
from floe.model.change import Bump, Impact


@change("field-removed", "C1", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=FieldPair, basis="given")
def field_removed(field: FieldPair) -> Iterator[Delta]:
    """A field was removed.

    Why: every query, job and model that uses it fails.

    Fix: keep it until its consumers have migrated, or publish a MAJOR version with a migration text.
    """
    if field.old and not field.new:
        deprecated = _deprecated(field.old)
        said = "it was deprecated, but removing it still breaks its readers" if deprecated else ""
        yield Delta(
            old=str(field.old.type),
            row="C10" if deprecated else None,
            note="; ".join(part for part in (said, field.hint) if part),
            about=field.old,
        )


def _deprecated(field: Field) -> bool:
    """Whether a field says that it is going: ODCS v3.2's key, or a custom property."""
    said = [field.node.get("deprecated"), *(custom_value(field, name) for name in ("deprecated", "deprecation"))]
    return any(value not in (None, False, "false", "") for value in said)
