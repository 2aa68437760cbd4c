"""E554 not-multiple."""

from decimal import Decimal as Number

from floe.engine.plan.expectations.expectation import Bad, row_expectation
from floe.engine.plan.expectations.out_of_range import not_finite
from floe.lang.sql.literals import fits, literal
from floe.model import Field
from floe.model.types import Atomic, Decimal, Family

_FINE = "DECIMAL(38,18)"
_POWER = 40  # of ten, that doubles from 1e38 on have at least in units of 10^-18


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
        return Bad("", str(step), cause=f"'multipleOf' asks for a number above zero, it is '{step}'")
    by = literal(step, exact)
    match field.type:
        case Atomic("tinyint" | "smallint" | "int" | "bigint") | Decimal() | Family("integer" | "decimal"):
            return Bad(f"{value} % {by} <> 0", f"a multiple of {step}")
        case Atomic("float" | "double") | Family("number"):
            sized = f"CASE WHEN abs({value}) < 1e20 THEN {_decimal(value, _FINE, by)}"
            sized += (
                f" WHEN abs({value}) < 1e38 THEN {_decimal(value, 'DECIMAL(38,0)', by)} ELSE {_huge(value, step)} END"
            )
            return Bad(f"{not_finite(value, field)} OR {sized}", f"a multiple of {step}")
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


def _decimal(value: str, type_: str, by: str) -> str:
    """A double is taken as it is written; one that the decimal does not hold has more digits than any multiple."""
    exact = f"try_cast({value} AS {type_})"
    return f"({exact} <> {value} OR {exact} % {by} <> 0)"


def _huge(value: str, step: object) -> str:
    """Doubles from 1e38 on, written as digits and a power of ten of at least 22.

    digits * 10^power is a multiple of step where the step, counted in units of 10^-18, divides digits * 10^(power + 18):
    its parts of two and five divide the power of ten, as far as that reaches, and the digits must hold all the rest.
    """
    rest = int(Number(str(step)).scaleb(18))
    twos, fives = 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    written = f"CAST({value} AS STRING)"
    front = f"substring_index({written}, 'E', 1)"
    digits = f"try_cast(replace({front}, '.', '') AS BIGINT)"
    power = f"try_cast(substring_index({written}, 'E', -1) AS INT) - length(substring_index({front}, '.', -1))"
    found = [f"{digits} % {rest}BD <> 0"] if rest > 1 else []
    if twos > _POWER:
        found.append(f"{digits} % shiftleft(1L, least(62, greatest(0, {twos - 18} - ({power})))) <> 0")
    if fives > _POWER:
        found.append(f"{digits} % try_cast(pow(5, greatest(0, {fives - 18} - ({power}))) AS BIGINT) <> 0")
    return f"coalesce({' OR '.join(found)}, true)" if found else "false"
