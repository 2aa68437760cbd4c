"""E554 below-minimum and above-maximum."""

from datetime import date
from decimal import Decimal as Number
from typing import Any

from floe.data.plan.expectations.expectation import Bad, row_expectation
from floe.data.plan.sql import fits, literal
from floe.model import Field
from floe.model.claim import Claim
from floe.model.types import Atomic, Decimal


@row_expectation("E554", "below-minimum")
def below_minimum(value: str, field: Field) -> Bad | None:
    """A value lies below the contract's minimum, or is not a finite number.

    Why: readers size, bin and divide by what the contract promised.

    Fix: correct the row at its source, or lower the minimum in a new version.
    """
    return _beyond(value, field, ("minimum", "<", ">="), ("exclusiveMinimum", "<=", ">"))


@row_expectation("E554", "above-maximum")
def above_maximum(value: str, field: Field) -> Bad | None:
    """A value lies above the contract's maximum, or is not a finite number.

    Why: readers size, bin and divide by what the contract promised.

    Fix: correct the row at its source, or raise the maximum in a new version.
    """
    return _beyond(value, field, ("maximum", ">", "<="), ("exclusiveMaximum", ">=", "<"))


def _beyond(value: str, field: Field, *bounds: tuple[str, str, str]) -> Bad | None:
    tests = [(field.options[key], bad, good) for key, bad, good in bounds if field.options.get(key) is not None]
    if not tests:
        return None
    unread = next((bound for bound, _, _ in tests if not fits(bound, field.type)), None)
    if unread is not None:
        return Bad("", str(unread), cause=f"the bound '{unread}' is no {field.type}")
    conditions = [f"{value} {bad} {literal(bound, field.type)}" for bound, bad, _ in tests]
    if field.type in (Atomic("float"), Atomic("double")):
        # Spark holds NaN to be greater than everything, so a minimum alone would let it through
        conditions.append(f"isnan({value}) OR abs({value}) = double('Infinity')")
    claims = tuple(claim for bound, _, good in tests if (claim := _claim(field, bound, good)))
    expected = " and ".join(f"{good} {bound}" for bound, _, good in tests)
    return Bad(" OR ".join(conditions), expected, claims if len(claims) == len(tests) else ())


def _claim(field: Field, bound: Any, good: str) -> Claim | None:
    """What bounds of a file prove; only for types whose bounds are exact."""
    kind = "at_least" if good.startswith(">") else "at_most"
    strict = "=" not in good
    match field.type, bound:
        case (Atomic("tinyint" | "smallint" | "int" | "bigint") | Decimal(), int() | Number()) if not isinstance(
            bound, bool
        ):
            return Claim(kind, field.column, bound, strict)
        case Atomic("date"), str():
            try:
                return Claim(kind, field.column, date.fromisoformat(bound), strict)
            except ValueError:
                return None
    return None
