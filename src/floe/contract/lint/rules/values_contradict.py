"""E508 values-contradict."""

import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from floe.contract.lint.rule import rule
from floe.contract.lint.views import is_number
from floe.lang import regex
from floe.model import Field, Message, Severity

_LENGTHS: dict[str, Callable[[Any, Any], bool]] = {"minLength": operator.ge, "maxLength": operator.le}
_BOUNDS: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": operator.ge,
    "maximum": operator.le,
    "exclusiveMinimum": operator.gt,
    "exclusiveMaximum": operator.lt,
}


@rule("E508", "values-contradict", Severity.ERROR, value=Field)
def values_contradict(field: Field) -> Iterator[Message]:
    """A listed value violates the pattern, length or bounds of its field.

    Why: a row with this value always fails, although the list allows it.

    Fix: remove the value, or widen the bound. It is an error if no listed value is left, else a warning.
    """
    if not field.values or not field.options:
        return
    for name, keeps in _tests(field):
        broken = [value for value in field.values if value is not None and not keeps(value)]
        if broken:
            all_broken = len(broken) == sum(value is not None for value in field.values)
            shown = ", ".join(str(value) for value in broken[:3]) + (", …" if len(broken) > 3 else "")
            yield Message(
                f"{'No' if all_broken else 'Not every'} listed value of '{field.path}' satisfies its '{name}'",
                f"{name} is {field.options[name]}, violated by {shown}",
                f"Remove the value, or change '{name}'",
                at=("logicalTypeOptions", name),
                severity=None if all_broken else Severity.WARNING,
            )


def _tests(field: Field) -> Iterator[tuple[str, Callable[[Any], bool]]]:
    options = field.options
    if isinstance(pattern := options.get("pattern"), str) and (finds := _finds(pattern)):
        yield "pattern", finds
    for name, keeps in _LENGTHS.items():
        if is_number(limit := options.get(name)):
            yield name, partial(_long, keeps, limit)
    for name, keeps in _BOUNDS.items():
        if is_number(limit := options.get(name)):
            yield name, partial(_bound, keeps, limit)


def _long(keeps: Callable[[Any, Any], bool], limit: Any, value: Any) -> bool:
    return not isinstance(value, str) or keeps(len(value), limit)


def _bound(keeps: Callable[[Any, Any], bool], limit: Any, value: Any) -> bool:
    return not is_number(value) or keeps(value, limit)


def _finds(pattern: str) -> Callable[[Any], bool] | None:
    """A test by pattern, where the pattern is sound and safe to run here."""
    try:
        parsed = regex.pattern.parse_pattern(pattern)
    except ValueError:
        return None
    if regex.cost.backtracking_risk(parsed) or parsed.python is None:
        return None
    return lambda value: not isinstance(value, str) or len(value) > 1000 or parsed.finds(value) is not False
