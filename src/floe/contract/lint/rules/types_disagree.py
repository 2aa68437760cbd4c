"""E508 types-disagree."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Field, Message, Severity
from floe.model.types import Array, Atomic, Decimal, Family, MapOf, Struct, Type

_HELD = {
    "number": "tinyint smallint int bigint float double integer number decimal",
    "time": "date timestamp timestamp_ntz time",
    "boolean": "boolean",
    "interval": "interval",
    "object": "object",
    "map": "map",
    "array": "array",
}
_KINDS = {name: kind for kind, names in _HELD.items() for name in names.split()}
# what a logical type may be stored as; text, bytes and variants may hold anything
_STORED: dict[str, tuple[str, ...]] = {
    "string": ("interval",),
    "integer": ("number",),
    "number": ("number",),
    "boolean": ("boolean", "number"),
    "date": ("time", "number"),
    "timestamp": ("time", "number"),
    "time": ("time", "number", "interval"),
    "object": ("object", "map"),
    "map": ("object", "map"),
    "array": ("array",),
    "vector": ("array",),
}


@rule("E508", "types-disagree", Severity.WARNING, value=Field)
def types_disagree(field: Field) -> Iterator[Message]:
    """The logical type and the physical type of a field contradict each other.

    Why: readers of the contract expect the logical type, and the table has the physical type, which floe uses.

    Fix: correct one of the two. Text, bytes and variants may represent any logical type; whole numbers may represent
    dates and flags.
    """
    stored = _STORED.get(field.logical_type or "")
    if not stored or not field.physical_type or field.type_error or field.fields:
        return
    kind = _kind(field.type)
    if kind and kind not in stored:
        yield Message(
            f"'{field.path}' has the logical type '{field.logical_type}' but the physical type '{field.physical_type}'",
            "floe uses the physical type",
            "Correct one of the two",
            at=("physicalType",),
            alike=f"{field.logical_type} {field.physical_type}",
        )


def _kind(type_: Type) -> str | None:
    """What a physical type holds; None where it may hold anything, or is left open."""
    match type_:
        case Atomic(name) | Family(name):
            return _KINDS.get(name)
        case Decimal():
            return "number"
        case Array():
            return "array"
        case MapOf():
            return "map"
        case Struct():
            return "object"
    return None
