"""E554 not-multiple."""

from floe.data.plan.expectations.expectation import Bad, row_expectation
from floe.data.plan.expectations.out_of_range import not_finite
from floe.data.plan.sql import fits, literal
from floe.model import Field
from floe.model.types import Atomic, Decimal, Family

_FINE = "DECIMAL(38,18)"


@row_expectation("E554", "not-multiple")
def not_multiple(value: str, field: Field) -> Bad | None:
    """A number is no whole multiple of what the contract says.

    Why: readers count in these steps, such as cents or boxes of twelve.

    Fix: correct the row at its source, or promise a smaller step in a new version.
    """
    step = field.options.get("multipleOf")
    if step is None:
        return None
    exact = Decimal(38, 18)
    if not fits(step, exact) or float(step) <= 0:
        return Bad("", str(step), cause=f"'multipleOf' asks for a number above zero, it is '{step}'")
    by = literal(step, exact)
    match field.type:
        case Atomic("tinyint" | "smallint" | "int" | "bigint") | Decimal() | Family("integer" | "decimal"):
            return Bad(f"{value} % {by} <> 0", f"a multiple of {step}")
        case Atomic("float" | "double") | Family("number"):
            # a double is taken as it is written, as far as a decimal holds it
            large = f"try_cast({value} AS DECIMAL(38,0)) % {by} <> 0"
            small = f"try_cast({value} AS {_FINE}) % {by} <> 0"
            sized = f"CASE WHEN abs({value}) < 1e15 THEN {small} ELSE coalesce({large}, false) END"
            return Bad(f"{not_finite(value, field)} OR {sized}", f"a multiple of {step}")
    return Bad("", str(step), cause=f"'multipleOf' is about numbers, the type is {field.type}")
