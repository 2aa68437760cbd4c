"""E554 not-multiple."""

from decimal import Decimal as Number

from floe.engine.plan.expectations.expectation import Bad, row_expectation
from floe.engine.plan.expectations.out_of_range import not_finite
from floe.lang.sql.literals import fits, literal
from floe.model import Field
from floe.model.types import Atomic, Decimal, Family

# powers of two and five that a BIGINT holds, and that are more than the digits of a double
_MOST_TWOS, _MOST_FIVES = 62, 26
_POWERS_OF_FIVE = f"array({', '.join(f'{5**power}L' for power in range(_MOST_FIVES + 1))})"


@row_expectation("E554", "not-multiple")
def not_multiple(value: str, field: Field) -> Bad | None:
    """A number is not a multiple of the contract's multipleOf.

    Why: readers count in these steps, such as cents or boxes of twelve.

    Fix: correct the row at its source, or require a smaller step in a new version.
    """
    step = field.options.get("multipleOf")
    if step is None:
        return None
    exact = Decimal(38, 18)
    if not fits(step, exact) or float(step) <= 0:
        return Bad("", str(step), cause=f"'multipleOf' must be a number above zero, it is '{step}'")
    whole = f"{value} % {literal(step, exact)} <> 0"
    match field.type:
        case Atomic("tinyint" | "smallint" | "int" | "bigint") | Decimal() | Family("integer" | "decimal"):
            bad = whole
        case Atomic("float" | "double"):
            bad = _floating(value, field, step)
        case Family("number"):
            bad = f"CASE WHEN typeof({value}) LIKE 'decimal%' THEN {whole} ELSE {_floating(value, field, step)} END"
        case _:
            return Bad("", str(step), cause=f"'multipleOf' applies to numbers, the type is {field.type}")
    # a value that the check cannot answer for is no multiple; where there is no value, there is nothing to answer for
    return Bad(f"{value} IS NOT NULL AND coalesce({bad}, true)", f"a multiple of {step}")


def _floating(value: str, field: Field, step: object) -> str:
    return f"{not_finite(value, field)} OR {_as_written(value, step)}"


def _as_written(value: str, step: object) -> str:
    """A double is taken as it is written: digits and a power of ten, whatever its size.

    The step is rest * 2^twos * 5^fives * 10^exponent. So digits * 10^power is a multiple of it where rest divides the
    digits, and where the digits have the twos and the fives that 10^(power - exponent) lacks. A double has 17 digits at
    most: a power of two or five that is cut to what a BIGINT holds is still more than they can have.
    """
    _, figures, exponent = Number(str(step).strip()).as_tuple()
    rest, twos, fives = int("".join(map(str, figures))), 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    written = f"CAST({value} AS STRING)"
    front = f"substring_index({written}, 'E', 1)"
    digits = f"try_cast(replace({front}, '.', '') AS BIGINT)"
    said = f"if({written} LIKE '%E%', try_cast(substring_index({written}, 'E', -1) AS INT), 0)"
    tens = f"({said} - length(substring_index({front}, '.', -1)) - ({exponent}))"
    tests = [
        f"{digits} % shiftleft(1L, {_lacking(tens, twos, _MOST_TWOS)}) <> 0",
        f"{digits} % element_at({_POWERS_OF_FIVE}, 1 + {_lacking(tens, fives, _MOST_FIVES)}) <> 0",
    ]
    tests += [f"{digits} % {rest}BD <> 0"] if rest > 1 else []
    return f"({' OR '.join(tests)})"


def _lacking(tens: str, wanted: int, most: int) -> str:
    """How many of a prime factor the digits must have, where the tens have the others."""
    return f"least({most}, greatest(0, {wanted} - {tens}))"
