"""E554 too-short, too-long and too-long-for-type."""

from typing import Any, TypeGuard

from floe.engine.plan.expectations.expectation import Bad, row_expectation
from floe.model import Field, Severity
from floe.model.types import Array, Atomic, Family, MapOf, Struct, Text


@row_expectation("E554", "too-short")
def too_short(value: str, field: Field) -> Bad | None:
    """A text, array or map is shorter than the contract's minimum length.

    Why: readers cut and index by this length.

    Fix: correct the row at its source, or lower the minimum in a new version.
    """
    least = _option(field, "min")
    if not _is_count(least):
        return None
    return _unmeasured(field, least) or Bad(f"{_length(value, field)} < {least}", _said("at least", least, field))


@row_expectation("E554", "too-long")
def too_long(value: str, field: Field) -> Bad | None:
    """A text, array or map is longer than the contract's maximum length.

    Why: readers reserve space for this length, and cut longer values or fail.

    Fix: correct the row at its source, or raise the maximum in a new version.
    """
    most = _option(field, "max")
    if not _is_count(most) or (isinstance(field.type, Text) and most >= field.type.length):
        return None
    return _unmeasured(field, most) or Bad(f"{_length(value, field)} > {most}", _said("at most", most, field))


@row_expectation("E554", "too-long-for-type", Severity.CRITICAL, structural=True)
def too_long_for_type(value: str, field: Field) -> Bad | None:
    """A text is longer than its type char(n) or varchar(n) allows.

    Why: some tables refuse the row, others store what their type does not allow, and readers cut it.

    Fix: correct the row at its source, or widen the type in a new version.
    """
    if not isinstance(field.type, Text):
        return None
    most = field.type.length
    return Bad(f"{_length(value, field)} > {most}", _said("at most", most, field))


def _option(field: Field, end: str) -> Any:
    """How long it may be: `minItems`, `minProperties` or `minLength`, by what it is."""
    words = {Array: "Items", MapOf: "Properties", Struct: "Properties", Family: "Properties"}
    found = field.options.get(f"{end}{words.get(type(field.type), 'Length')}")
    return found if found is not None or not isinstance(field.type, Family) else field.options.get(f"{end}Items")


def _unmeasured(field: Field, count: Any) -> Bad | None:
    """A struct has all its members in every row, so they cannot be counted."""
    if isinstance(field.type, Struct | Family):
        return Bad("", str(count), cause=f"a struct such as {field.type} has all its members in every row")
    return None


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _said(bound: str, count: Any, field: Field) -> str:
    unit = "byte" if field.type == Atomic("binary") else "character"
    if isinstance(field.type, Array | MapOf):
        unit = "item"
    return f"{bound} {count} {unit}{'' if count == 1 else 's'} long"


def _length(value: str, field: Field) -> str:
    # `size` of null is -1 without ANSI mode, `array_size` is null
    if isinstance(field.type, Array):
        return f"array_size({value})"
    if isinstance(field.type, MapOf):
        return f"array_size(map_keys({value}))"
    return f"length({value})" if field.type == Atomic("binary") else f"char_length({value})"
