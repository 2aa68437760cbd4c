"""E554 too-short and too-long."""

from floe.data.plan.expectations.expectation import Bad, row_expectation
from floe.model import Field
from floe.model.types import Array, Atomic, Text


@row_expectation("E554", "too-short")
def too_short(value: str, field: Field) -> Bad | None:
    """A text or list is shorter than the contract's minimum.

    Why: readers cut and index what the contract promised to be there.

    Fix: correct the row at its source, or lower the minimum in a new version.
    """
    least = field.options.get("minItems" if isinstance(field.type, Array) else "minLength")
    return Bad(f"{_length(value, field)} < {least}", f">= {least}") if isinstance(least, int) else None


@row_expectation("E554", "too-long")
def too_long(value: str, field: Field) -> Bad | None:
    """A text or list is longer than the contract's maximum.

    Why: readers reserve room for what the contract promised, and cut the rest or fail.

    Fix: correct the row at its source, or raise the maximum in a new version.
    """
    bounds = [field.options.get("maxItems" if isinstance(field.type, Array) else "maxLength")]
    if isinstance(field.type, Text):
        bounds.append(field.type.length)
    most = min((bound for bound in bounds if isinstance(bound, int)), default=None)
    return Bad(f"{_length(value, field)} > {most}", f"<= {most}") if most is not None else None


def _length(value: str, field: Field) -> str:
    if isinstance(field.type, Array):
        return f"size({value})"
    return f"length({value})" if field.type == Atomic("binary") else f"char_length({value})"
