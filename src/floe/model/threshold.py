"""What a quality rule asks of a number: ODCS's operators, compared exactly."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

_ONE: dict[str, tuple[str, Callable[[Fraction, Fraction], bool]]] = {
    "mustBe": ("=", lambda value, bound: value == bound),
    "mustNotBe": ("≠", lambda value, bound: value != bound),
    "mustBeGreaterThan": (">", lambda value, bound: value > bound),
    "mustBeGreaterOrEqualTo": ("≥", lambda value, bound: value >= bound),
    "mustBeGreaterThanOrEqualTo": ("≥", lambda value, bound: value >= bound),
    "mustBeLessThan": ("<", lambda value, bound: value < bound),
    "mustBeLessOrEqualTo": ("≤", lambda value, bound: value <= bound),
    "mustBeLessThanOrEqualTo": ("≤", lambda value, bound: value <= bound),
}
_TWO = {"mustBeBetween": True, "mustNotBeBetween": False}


def problem(operators: Mapping[str, Any]) -> str | None:
    """Why a threshold cannot be judged; None where it can."""
    if not operators:
        return "the rule has no threshold"
    for name, bound in operators.items():
        wanted = 2 if name in _TWO else 1
        bounds = bound if isinstance(bound, list) else [bound]
        if len(bounds) != wanted or any(
            isinstance(bound, bool) or not isinstance(bound, int | Decimal) for bound in bounds
        ):
            return f"'{name}' needs {'two numbers' if wanted == 2 else 'a number'}"
    return None


def holds(operators: Mapping[str, Any], value: Fraction) -> bool:
    """Whether a number keeps every operator; `between` includes both ends.

    >>> holds({"mustBe": 0}, Fraction(0)), holds({"mustBeBetween": [1, 3]}, Fraction(3))
    (True, True)
    >>> holds({"mustBeLessThan": Decimal("0.1")}, Fraction(1, 10))
    False
    """
    return all(_keeps(name, bound, value) for name, bound in operators.items())


def _keeps(name: str, bound: Any, value: Fraction) -> bool:
    if name in _TWO:
        low, high = (Fraction(value) for value in bound)
        return (low <= value <= high) is _TWO[name]
    return _ONE[name][1](value, Fraction(bound))


def described(operators: Mapping[str, Any], unit: str | None) -> str:
    """A threshold in a few signs.

    >>> described({"mustBeLessThan": 5}, "percent"), described({"mustBeBetween": [1, 3]}, None)
    ('< 5 %', 'between 1 and 3')
    """
    said = [_sign(name, bound) for name, bound in operators.items()]
    return " and ".join(said) + (" %" if unit == "percent" else "")


def _sign(name: str, bound: Any) -> str:
    if name in _TWO:
        return f"{'' if _TWO[name] else 'not '}between {bound[0]} and {bound[1]}"
    return f"{_ONE[name][0]} {bound}"
