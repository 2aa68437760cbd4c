"""E501 date-invalid."""

from collections.abc import Iterator
from typing import Any

from floe.contract.lint.dates import custom_entries, members
from floe.contract.lint.rule import rule
from floe.lang.dates import parse_day
from floe.model import Contract, Field, Message, Severity, Step
from floe.model.types import Atomic, Family

_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_DATED = (Atomic("date"), Atomic("timestamp"), Atomic("timestamp_ntz"), Family("date"))


@rule("E501", "date-invalid", Severity.WARNING, value=(Contract, Field))
def date_invalid(part: Contract | Field) -> Iterator[Message]:
    """A date does not exist, or is not written as ISO 8601.

    Why: other programs read it as another day, or fail.

    Fix: write it as 2026-05-12, or with a time as 2026-05-12T09:30:10Z. An unreadable date of the lifecycle or bound of
    a column is an error.
    """
    found = _bounds(part) if isinstance(part, Field) else (*_people(part), *_lifecycle(part), *_created(part))
    for at, value, grave in found:
        if value is not None and "${" not in str(value) and parse_day(value) is None:
            yield Message(
                f"'{at[-1]}' is not a date",
                f"{at[-1]} is {str(value)[:60]}",
                "Write the date as 2026-05-12",
                at=at,
                severity=Severity.ERROR if grave else None,
            )


def _bounds(field: Field) -> Iterator[tuple[tuple[Step, ...], Any, bool]]:
    if field.options and field.type in _DATED:
        bounds = ((key, field.options.get(key)) for key in _BOUNDS)
        yield from ((("logicalTypeOptions", key), value, True) for key, value in bounds if isinstance(value, str))


def _people(contract: Contract) -> Iterator[tuple[tuple[Step, ...], Any, bool]]:
    for at, member in members(contract):
        yield from (((*at, key), member.get(key), False) for key in ("dateIn", "dateOut"))


def _lifecycle(contract: Contract) -> Iterator[tuple[tuple[Step, ...], Any, bool]]:
    for at, name, value in custom_entries(contract):
        if name == "effectiveFrom":
            yield at, value, True
        elif name == "deprecation" and isinstance(value, dict):
            keys = ("announced", "sunsetDate", "sunset_date", "retiredDate")
            yield from (((*at, key), value.get(key), True) for key in keys)


def _created(contract: Contract) -> Iterator[tuple[tuple[Step, ...], Any, bool]]:
    yield ("contractCreatedTs",), contract.node.get("contractCreatedTs"), False
