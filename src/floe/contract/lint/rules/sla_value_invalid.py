"""E504 sla-value-invalid."""

from collections.abc import Iterator
from decimal import Decimal

from floe.contract.lint.rule import rule
from floe.contract.lint.service_levels import KIND
from floe.contract.lint.views import SlaOf, fold, is_open, shown
from floe.lang.dates import is_time, parse_day
from floe.lang.quantity import parse_quantity
from floe.model import Message, Severity, Sla

_SAY = {
    "duration": "Write a duration, e.g. value 6 with unit h, or 'PT6H'",
    "percent": "Write a percentage from 0 to 100, e.g. value 99.9 with unit percent",
    "date": "Write a date or timestamp, e.g. 2026-05-12 or 2026-05-12T09:30:10Z",
    "time": "Write a time of day, e.g. 09:00-08:00",
    "rate": "Write a number, with a unit such as d for a duration",
}


@rule("E504", "sla-value-invalid", Severity.ERROR, value=SlaOf)
def sla_value_invalid(part: SlaOf) -> Iterator[Message]:
    """A service level has a value or unit that floe cannot read.

    Why: floe cannot decide whether the service level is met, and does not guess.

    Fix: write a number and a unit (6, h), a duration (PT6H, 6h), a percentage (99.9%), or a date (2026-05-12).
    """
    sla = part.noun
    kind = KIND.get(fold(sla.property), "")
    if is_open(sla.value) or is_open(sla.unit):
        return
    if problem := _problem(sla, kind):
        yield Message(
            f"Value of '{sla.property}' cannot be read as a {kind}"
            if kind != "rate"
            else f"Value of '{sla.property}' cannot be read",
            problem,
            _SAY[kind],
            at=("unit",) if "unit" in problem.split("'")[0] and "unit" in sla.node else ("value",),
            severity=Severity.WARNING if kind == "rate" else None,
        )


def _problem(sla: Sla, kind: str) -> str:
    match kind:
        case "duration" | "percent":
            return _quantity_problem(sla, kind)
        case "date":
            return "" if parse_day(sla.value) else f"value is {shown(sla.value)}"
        case "time":
            return "" if is_time(sla.value) else f"value is {shown(sla.value)}"
        case "rate":
            number = isinstance(sla.value, int | Decimal) and not isinstance(sla.value, bool)
            return "" if number or _readable(sla) else f"value is {shown(sla.value)}"
    return ""


def _quantity_problem(sla: Sla, kind: str) -> str:
    try:
        quantity = parse_quantity(sla.value, sla.unit)
    except ValueError as error:
        return str(error)
    if kind == "duration":
        return "" if quantity.seconds is not None else f"value {shown(sla.value)} has no unit of time"
    if quantity.seconds is not None:
        return f"value {shown(sla.value)} is a duration"
    return "" if quantity.amount <= 100 else f"value {shown(sla.value)} is more than 100 percent"


def _readable(sla: Sla) -> bool:
    try:
        return bool(parse_quantity(sla.value, sla.unit))
    except ValueError:
        return False
