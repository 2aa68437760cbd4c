"""E554 below-minimum and above-maximum."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal as Number
from typing import Any

from floe.engine.plan.expectations.expectation import Bad, row_expectation, zone_of
from floe.lang.sql.literals import compared, fits, moment
from floe.model import Field
from floe.model.claim import Claim
from floe.model.types import Atomic, Decimal, Family

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Delta keeps milliseconds of a timestamp in its statistics
_CUT = timedelta(milliseconds=1)


@row_expectation("E554", "below-minimum")
def below_minimum(value: str, field: Field) -> Bad | None:
    """A value is below the contract's minimum, or is not a finite number.

    Why: readers size, bin and divide by the minimum.

    Fix: correct the row at its source, or lower the minimum in a new version.
    """
    return _beyond(value, field, ("minimum", "<", ">="), ("exclusiveMinimum", "<=", ">"))


@row_expectation("E554", "above-maximum")
def above_maximum(value: str, field: Field) -> Bad | None:
    """A value is above the contract's maximum, or is not a finite number.

    Why: readers size, bin and divide by the maximum.

    Fix: correct the row at its source, or raise the maximum in a new version.
    """
    return _beyond(value, field, ("maximum", ">", "<="), ("exclusiveMaximum", ">=", "<"))


def _beyond(value: str, field: Field, *bounds: tuple[str, str, str]) -> Bad | None:
    tests = [(field.options[key], bad, good) for key, bad, good in bounds if field.options.get(key) is not None]
    if not tests:
        return None
    unread = next((bound for bound, _, _ in tests if not fits(bound, field.type)), None)
    if unread is not None:
        return Bad("", str(unread), cause=f"the bound '{unread}' is not of type {field.type}")
    zone = zone_of(field)
    if zone is None:
        return Bad("", "", cause=f"there is no time zone '{field.options.get('defaultTimezone')}'")
    conditions = [compared(value, bad, bound, field.type, zone) for bound, bad, _ in tests]
    conditions += [unfinite] if (unfinite := not_finite(value, field)) else []
    claims = tuple(claim for bound, _, good in tests if (claim := _claim(field, bound, good)))
    expected = " and ".join(f"{good} {bound}" for bound, _, good in tests)
    return Bad(" OR ".join(conditions), expected, claims if len(claims) == len(tests) else ())


def not_finite(value: str, field: Field) -> str | None:
    """What is true for NaN and infinity, where a type has them: Spark holds NaN to be greater than everything."""
    if field.type in (Atomic("float"), Atomic("double")):
        return f"isnan({value}) OR abs({value}) = double('Infinity')"
    if field.type == Family("number"):
        return f"isnan(CAST({value} AS DOUBLE)) OR abs(CAST({value} AS DOUBLE)) = double('Infinity')"
    return None


def _claim(field: Field, bound: Any, good: str) -> Claim | None:
    """What bounds of a file prove; only for types whose bounds are exact, or whose error is known."""
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
        case Atomic("timestamp"), str():
            return _moment_claim(field, bound, kind, strict)
    return None


def _moment_claim(field: Field, bound: str, kind: str, strict: bool) -> Claim | None:
    """A claim that stays true where the statistics were cut to milliseconds, towards 1970 or downwards."""
    at = moment(bound, zone_of(field) or UTC)
    if at is None:
        return None
    try:
        if kind == "at_most":
            return Claim(kind, field.column, at - _CUT, strict)
        return Claim(kind, field.column, at if at > _EPOCH else at + _CUT, strict)
    except OverflowError:
        return None
