"""E554 too-short, too-long and too-long-for-type."""

from typing import Any, TypeGuard

from floe.data.plan.expectations.expectation import Bad, row_expectation
from floe.model import Field, Severity
from floe.model.types import Array, Atomic, Text


@row_expectation("E554", "too-short")
def too_short(value: str, field: Field) -> Bad | None:
    """A text or list is shorter than the contract's minimum.

    Why: readers cut and index what the contract promised to be there.

    Fix: correct the row at its source, or lower the minimum in a new version.
    """
    least = field.options.get("minItems" if isinstance(field.type, Array) else "minLength")
    return Bad(f"{_length(value, field)} < {least}", _said("at least", least, field)) if _is_count(least) else None


@row_expectation("E554", "too-long")
def too_long(value: str, field: Field) -> Bad | None:
    """A text or list is longer than the contract's maximum.

    Why: readers reserve room for what the contract promised, and cut the rest or fail.

    Fix: correct the row at its source, or raise the maximum in a new version.
    """
    most = field.options.get("maxItems" if isinstance(field.type, Array) else "maxLength")
    if not _is_count(most) or (isinstance(field.type, Text) and most >= field.type.length):
        return None
    return Bad(f"{_length(value, field)} > {most}", _said("at most", most, field))


@row_expectation("E554", "too-long-for-type", Severity.CRITICAL, structural=True)
def too_long_for_type(value: str, field: Field) -> Bad | None:
    """A text is longer than its type char(n) or varchar(n) holds.

    Why: some tables refuse the row, others keep what their type does not allow, and readers cut it.

    Fix: correct the row at its source, or widen the type in a new version.
    """
    if not isinstance(field.type, Text):
        return None
    most = field.type.length
    return Bad(f"{_length(value, field)} > {most}", _said("at most", most, field))


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _said(bound: str, count: Any, field: Field) -> str:
    unit = "item" if isinstance(field.type, Array) else "byte" if field.type == Atomic("binary") else "character"
    return f"{bound} {count} {unit}{'' if count == 1 else 's'} long"


def _length(value: str, field: Field) -> str:
    if isinstance(field.type, Array):
        return f"size({value})"
    return f"length({value})" if field.type == Atomic("binary") else f"char_length({value})"
