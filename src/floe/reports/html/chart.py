"""The positions of the marks of a chart: numbers for an SVG, which the template `figures.html` draws."""

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from floe.model.figures import Figure, FigurePoint

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 420, 150, 34, 18, 16
_ROW, _VALUES = 30, 60  # the height of a bar with its name, and the room for values at its end


class ChartBar(NamedTuple):
    """A rectangle with what a reader sees while pointing at it; `track` is the width of the bar behind it."""

    x: float
    y: float
    width: float
    height: float
    met: bool
    hint: str
    track: float = 0


class ChartText(NamedTuple):
    """A label."""

    x: float
    y: float
    text: str
    anchor: str = "start"


class ChartLine(NamedTuple):
    """The target."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing of `width` by `height`."""

    height: float
    bars: tuple[ChartBar, ...]
    words: tuple[ChartText, ...]
    lines: tuple[ChartLine, ...]
    axis: str = ""
    width: float = _WIDTH


def chart(figure: Figure, first: str, last: str) -> Chart | None:
    """The chart of a figure over some days; None where there is nothing to draw."""
    if not figure.points:
        return None
    return _columns(figure, first, last) if figure.by_day else _bars(figure)


def _columns(figure: Figure, first: str, last: str) -> Chart:
    """A column per day, the target as a line."""
    start = date.fromisoformat(first)
    days = (date.fromisoformat(last) - start).days + 1
    top, floor = _top(figure), _HEIGHT - _BOTTOM
    step = (_WIDTH - _LEFT - 4) / days
    bars = []
    for point in figure.points:
        day = (date.fromisoformat(point.label) - start).days
        height = max(2.0, floor - _y(point.value, top))  # a day of none is seen too
        x = _LEFT + (day + 0.1) * step
        bars.append(_bar(figure, point, (x, floor - height), (step * 0.8, height)))
    words = (
        ChartText(_LEFT - 4, _TOP + 4, f"{top:g}", "end"),
        ChartText(_LEFT - 4, floor, "0", "end"),
        ChartText(_LEFT, _HEIGHT - 4, first),
        ChartText(_WIDTH, _HEIGHT - 4, last, "end"),
    )
    lines: tuple[ChartLine, ...] = ()
    if figure.limit:
        y = round(_y(figure.limit, top), 1)
        lines = (ChartLine(_LEFT, y, _WIDTH, y),)
    return Chart(_HEIGHT, tuple(bars), words, lines, f"M{_LEFT} {_TOP - 6}V{floor}H{_WIDTH}")


def _bars(figure: Figure) -> Chart:
    """A bar per name, its value at its end, the target as a line."""
    top, room = _top(figure), _WIDTH - _VALUES
    bars, words, lines = [], [], []
    x = round(room * (figure.limit or 0) / top, 1)
    for number, point in enumerate(figure.points):
        y = number * _ROW
        width = max(2.0, room * point.value / top)
        bars.append(_bar(figure, point, (0, y + 15), (width, 10))._replace(track=room))
        words += [
            ChartText(0, y + 11, _short(point.label)),
            ChartText(_WIDTH, y + 24, f"{point.value:g}", "end"),
        ]
        lines.append(ChartLine(x, y + 13, x, y + 27))
    return Chart(len(figure.points) * _ROW, tuple(bars), tuple(words), tuple(lines))


def _bar(figure: Figure, point: FigurePoint, at: tuple[float, float], size: tuple[float, float]) -> ChartBar:
    limit = figure.limit or 0
    met = point.value >= limit if figure.at_least else point.value <= limit
    hint = f"{point.label}: {point.value:g} {figure.unit}".rstrip()
    (x, y), (width, height) = at, size
    return ChartBar(round(x, 1), round(y, 1), round(width, 1), round(height, 1), met, hint)


def _top(figure: Figure) -> float:
    """The end of the scale: a percentage goes to 100, all else a little beyond its greatest value and its target."""
    greatest = max((*(point.value for point in figure.points), figure.limit or 0))
    return 100.0 if figure.unit in ("%", "of 100") else max(1.0, float(f"{greatest:.2g}"), greatest)


def _y(value: float, top: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * min(value, top) / top


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:59]}…"
