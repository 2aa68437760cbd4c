"""C7 field-made-required, C8 field-made-optional, D20 element-made-required and element-made-optional."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.lattice import ALLOWED, NOT_APPLICABLE, REJECTED
from floe.contract.compat.pairs import FieldPair
from floe.model import Field
from floe.model.change import FORMATS, Bump, Impact

_OUTSIDE = ("column", "member")


@change(
    "field-made-required", "C7", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, value=FieldPair, basis="given"
)
def field_made_required(field: FieldPair) -> Iterator[Delta]:
    """An optional field is now required.

    Why: every writer that leaves it null is refused.

    Fix: fill the field first, then require it in a MAJOR version.
    """
    if field.place in _OUTSIDE and _flags(field) == (False, True):
        yield Delta(old="optional", new="required", about=field.new)


@change(
    "field-made-optional", "C8", bump=Bump.MINOR, reader=Impact.BREAK, writer=Impact.OK, value=FieldPair, basis="given"
)
def field_made_optional(field: FieldPair) -> Iterator[Delta]:
    """A required field is now optional.

    Why: readers that never received a null receive one, in joins, sums and models.

    Fix: notify readers before the first null is written.
    """
    if field.place in _OUTSIDE and _flags(field) == (True, False):
        yield Delta(old="required", new="optional", dangerous=True, about=field.new)


@change(
    "element-made-required",
    "D20",
    bump=Bump.MAJOR,
    reader=Impact.OK,
    writer=Impact.BREAK,
    value=FieldPair,
    basis="given",
)
def element_made_required(field: FieldPair) -> Iterator[Delta]:
    """Elements of an array or values of a map can no longer be null.

    Why: every writer that leaves one null is refused.

    Fix: fill them first, then require them in a MAJOR version.
    """
    if field.place not in _OUTSIDE and _flags(field) == (False, True):
        formats = dict.fromkeys(FORMATS, NOT_APPLICABLE) | {"avro": REJECTED}
        yield Delta(old="optional", new="required", klass="tighten", formats=formats, about=field.new)


@change(
    "element-made-optional",
    "D20",
    bump=Bump.MINOR,
    reader=Impact.BREAK,
    writer=Impact.OK,
    value=FieldPair,
    basis="given",
)
def element_made_optional(field: FieldPair) -> Iterator[Delta]:
    """Elements of an array or values of a map can now be null.

    Why: readers that never received a null among them receive one.

    Fix: notify readers before the first null is written.
    """
    if field.place not in _OUTSIDE and _flags(field) == (True, False):
        formats = dict.fromkeys(FORMATS, NOT_APPLICABLE) | {"avro": ALLOWED}
        yield Delta(old="required", new="optional", klass="loosen", dangerous=True, formats=formats, about=field.new)


def _flags(field: FieldPair) -> tuple[bool, bool] | None:
    return (_required(both[0], field.place), _required(both[1], field.place)) if (both := field.both) else None


def _required(field: Field, place: str) -> bool:
    """Whether a field must be filled; the key of a map must unless it is said to be optional."""
    return field.node.get("required") is not False if place == "key" else field.required
