"""Thresholds of quality rules as sets of measured values, so that one can be told to lie inside another."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from floe.lang.quantity import parse_quantity
from floe.model import QualityRule

_COUNTED = ("nullValues", "missingValues", "invalidValues", "duplicateValues", "rowCount")
_PERCENT = ("percent", "%", "pct")
_LOW, _HIGH = Decimal("-Infinity"), Decimal("Infinity")


@dataclass(frozen=True, slots=True, order=True)
class ThresholdEdge:
    """A point on the line; `after` is 1 where the edge lies just behind the number, else 0."""

    number: Decimal
    after: int


# what lies between two edges; a list of them in order, none touching
Span = tuple[ThresholdEdge, ThresholdEdge]
Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Threshold:
    """The values that a rule accepts, on one scale."""

    scale: str
    accepted: Spans

    def within(self, other: "Threshold") -> bool:
        """Whether every value accepted here is accepted there."""
        return all(any(a <= low and high <= b for a, b in other.accepted) for low, high in self.accepted)

    @property
    def zero(self) -> bool:
        """Whether nothing but zero is accepted."""
        return self.accepted == (_point(Decimal(0)),)


def threshold(rule: QualityRule) -> Threshold | None:
    """What a rule accepts; None where its operators or arguments cannot be read as numbers."""
    if rule.type == "custom":
        return _floe(rule.implementation) if str(rule.engine).lower() == "floe" else Threshold("none", _everything())
    counted = rule.type == "library" and rule.metric in _COUNTED
    percent = (rule.unit or "").strip().lower() in _PERCENT
    scale = f"rows {rule.metric}" if counted else f"unit {rule.unit or ''}"
    if percent:
        scale = "percent"
    spans = _domain(counted, percent)
    for name, value in rule.operators.items():
        accepted = _operator(name, value)
        if accepted is None:
            return None
        spans = _both(spans, accepted)
    return Threshold(scale, _whole(spans) if counted and not percent else spans)


def _floe(implementation: Any) -> Threshold | None:
    """The bounds of a rule of floe's own; a rule without any accepts everything."""
    match implementation:
        case {"freshness": {"maxDelay": delay}}:
            try:
                length = parse_quantity(delay).seconds
            except ValueError:
                return None
            return None if length is None else Threshold("seconds", ((_at(0), ThresholdEdge(length, 1)),))
        case {"volume": dict() as volume}:
            found = _range(volume.get("minRowsPerDay"), volume.get("maxRowsPerDay"), None, None)
            return (
                None if found is None else Threshold("rows a day", _both(((_at(0), ThresholdEdge(_HIGH, 1)),), found))
            )
        case {"range": dict() as bounds}:
            keys = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
            found = _range(*(bounds.get(key) for key in keys))
            return None if found is None else Threshold("range", found)
    return Threshold("none", _everything())


def _range(low: Any, high: Any, above: Any, below: Any) -> Spans | None:
    """What lies between bounds of which any may be missing; None where one is no number."""
    edges = [(low, 0, "low"), (above, 1, "low"), (high, 1, "high"), (below, 0, "high")]
    spans = _everything()
    for value, after, side in edges:
        if value is None:
            continue
        if not _is_number(value):
            return None
        edge = ThresholdEdge(Decimal(value), after)
        spans = _both(spans, ((edge, _end()),) if side == "low" else ((_start(), edge),))
    return spans


def _domain(counted: bool, percent: bool) -> Spans:
    """The values there can be: no fewer than none, no more than all."""
    if not counted:
        return _everything()
    return ((_at(0), ThresholdEdge(Decimal(100), 1) if percent else _end()),)


def _operator(name: str, value: Any) -> Spans | None:
    if name in ("mustBeBetween", "mustNotBeBetween"):
        if not (isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))):
            return None
        inside = (ThresholdEdge(Decimal(value[0]), 0), ThresholdEdge(Decimal(value[1]), 1))
        if name == "mustNotBeBetween":
            return _around(inside)
        return (inside,) if inside[0] < inside[1] else ()
    if not _is_number(value):
        return None
    return _spans(name, Decimal(value))


def _around(inside: Span) -> Spans:
    return ((_start(), inside[0]), (inside[1], _end()))


def _point(number: Decimal) -> Span:
    return ThresholdEdge(number, 0), ThresholdEdge(number, 1)


def _at(number: int) -> ThresholdEdge:
    return ThresholdEdge(Decimal(number), 0)


def _start() -> ThresholdEdge:
    return ThresholdEdge(_LOW, 0)


def _end() -> ThresholdEdge:
    return ThresholdEdge(_HIGH, 1)


def _everything() -> Spans:
    return ((_start(), _end()),)


def _spans(name: str, number: Decimal) -> Spans:
    match name:
        case "mustBe":
            return (_point(number),)
        case "mustNotBe":
            return _around(_point(number))
        case "mustBeGreaterThan":
            return ((ThresholdEdge(number, 1), _end()),)
        case "mustBeGreaterOrEqualTo" | "mustBeGreaterThanOrEqualTo":
            return ((ThresholdEdge(number, 0), _end()),)
        case "mustBeLessThan":
            return ((_start(), ThresholdEdge(number, 0)),)
    return ((_start(), ThresholdEdge(number, 1)),)


def _both(value: Spans, other: Spans) -> Spans:
    """What lies in both."""
    spans = ((max(a, c), min(b, d)) for a, b in value for c, d in other)
    return tuple(sorted((low, high) for low, high in spans if low < high))


def _whole(spans: Spans) -> Spans:
    """The whole numbers in them: below 1 is at most 0; neighbours are one span."""
    out: list[Span] = []
    for low, high in _rounded(spans):
        if out and out[-1][1].number + 1 >= low.number:
            out[-1] = (out[-1][0], max(out[-1][1], high))
        else:
            out.append((low, high))
    return tuple(out)


def _rounded(spans: Spans) -> Iterator[Span]:
    for low, high in spans:
        first = low.number if not low.number.is_finite() else _up(low)
        last = high.number if not high.number.is_finite() else _down(high)
        if first <= last:
            yield ThresholdEdge(first, 0), ThresholdEdge(last, 1)


def _up(edge: ThresholdEdge) -> Decimal:
    whole = edge.number.to_integral_value("ROUND_CEILING")
    return whole + 1 if edge.after and whole == edge.number else whole


def _down(edge: ThresholdEdge) -> Decimal:
    whole = edge.number.to_integral_value("ROUND_FLOOR")
    return whole - 1 if not edge.after and whole == edge.number else whole


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def shown(rule: QualityRule) -> str:
    """A rule in a few words, for a list of changes."""
    what = rule.metric or rule.name or rule.query or _named(rule.implementation) or rule.type
    operators = ", ".join(f"{name} {_said(value)}" for name, value in rule.operators.items())
    unit = f" {rule.unit}" if rule.unit and operators else ""
    return f"{what} {operators}{unit}".strip()


def _said(value: Any) -> str:
    return f"{value[0]} to {value[1]}" if isinstance(value, list) and len(value) == 2 else str(value)


def _named(implementation: Any) -> str:
    if isinstance(implementation, Mapping):
        return ", ".join(f"{key} {_flat(value)}" for key, value in implementation.items())
    return str(implementation or "")


def _flat(value: Any) -> str:
    return ", ".join(f"{key} {part}" for key, part in value.items()) if isinstance(value, Mapping) else str(value)
