"""Key figures as one HTML page with charts that needs nothing else."""

from collections.abc import Mapping, Sequence
from datetime import date
from html import escape
from typing import Any

from floe.model.figures import Figure, FigurePoint
from floe.reports.style import clean
from floe.reports.text.figures import value_text

_STYLE = """
:root{color-scheme:light dark;--line:#8884;--soft:#8882;--red:#c62828;--green:#2e7d32;--yellow:#b26a00}
@media (prefers-color-scheme:dark){:root{--red:#ff8a80;--green:#81c784;--yellow:#ffcc66}}
body{font:15px/1.45 system-ui,sans-serif;max-width:76rem;margin:0 auto;padding:1.2rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1rem;margin:0 0 .3rem}p{margin:.2rem 0 1rem}
main{display:grid;grid-template-columns:repeat(auto-fit,minmax(21rem,1fr));gap:1rem}
section{border:1px solid var(--line);border-top:.35rem solid;border-radius:.4rem;padding:.8rem 1rem;min-width:0}
.met{border-top-color:var(--green)}.missed{border-top-color:var(--red)}.unknown{border-top-color:var(--yellow)}
b{font-size:1.7rem}b.met{color:var(--green)}b.missed{color:var(--red)}b.unknown{color:var(--yellow)}
small{display:block;opacity:.75;overflow-wrap:anywhere}svg{width:100%;height:auto;margin-top:.5rem}
text{font:11px system-ui,sans-serif;fill:currentColor}.good{fill:var(--green)}.bad{fill:var(--red)}.back{fill:var(--soft)}
line{stroke:currentColor;stroke-dasharray:4 3;opacity:.7}path{stroke:var(--line);fill:none}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 420, 150, 34, 18, 16


def figures_html(said: Mapping[str, Any], figures: Sequence[Figure]) -> str:
    """The page; every name of a contract is escaped."""
    counts = said["summary"]
    title = f"floe figures: {counts['met']} met, {counts['missed']} missed, {counts['unknown']} unknown"
    span = (said["first"], said["last"])
    cards = "\n".join(_card(one, shape, span) for one, shape in zip(figures, said["figures"], strict=True))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head>\n<body><h1>{_text(title)}</h1>"
        f"<p>{span[0]} to {span[1]}, {said['days']} days. A dashed line is the target.</p>\n<main>{cards}</main></body></html>"
    )


def _card(figure: Figure, shape: Mapping[str, Any], span: tuple[str, str]) -> str:
    chart = (_columns(figure, span) if figure.by_day else _bars(figure)) if figure.points else ""
    return (
        f'<section class="{shape["status"]}"><h2>{_text(figure.title)}</h2>'
        f'<b class="{shape["status"]}">{_text(value_text(shape))}</b> target {_text(figure.target)}'
        f"<small>{_text(figure.detail)}</small>{chart}</section>"
    )


def _columns(figure: Figure, span: tuple[str, str]) -> str:
    """A column per day, the target as a line."""
    first, days = date.fromisoformat(span[0]), (date.fromisoformat(span[1]) - date.fromisoformat(span[0])).days + 1
    top = _top(figure)
    step = (_WIDTH - _LEFT - 4) / days
    marks = []
    for point in figure.points:
        number = (date.fromisoformat(point.label) - first).days
        x, y = _LEFT + number * step, _y(point.value, top)
        tall = max(2.0, _HEIGHT - _BOTTOM - y)  # a day of none is seen too
        marks.append(
            f'<rect class="{_colour(figure, point)}" x="{x + step * 0.1:.1f}" y="{_HEIGHT - _BOTTOM - tall:.1f}"'
            f' width="{step * 0.8:.1f}" height="{tall:.1f}"><title>{point.label}: {point.value:g} {_text(figure.unit)}</title></rect>'
        )
    axis = f'<path d="M{_LEFT} {_TOP - 6}V{_HEIGHT - _BOTTOM}H{_WIDTH}"/>'
    words = (
        _word(_LEFT - 4, _TOP + 4, f"{top:g}", "end"),
        _word(_LEFT - 4, _HEIGHT - _BOTTOM, "0", "end"),
        _word(_LEFT, _HEIGHT - 4, span[0]),
        _word(_WIDTH, _HEIGHT - 4, span[1], "end"),
    )
    line = ""
    if figure.limit:
        y = _y(figure.limit, top)
        line = f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return _svg(figure, _HEIGHT, "".join((*marks, axis, *words, line)))


def _bars(figure: Figure) -> str:
    """A bar per name, its value at its end, the target as a line."""
    top, row = _top(figure), 30
    made = []
    for number, point in enumerate(figure.points):
        y = number * row
        wide = max(2.0, (_WIDTH - 60) * point.value / top)
        made.append(
            _word(0, y + 11, _short(point.label))
            + f'<rect class="back" x="0" y="{y + 15}" width="{_WIDTH - 60}" height="10"/>'
            + f'<rect class="{_colour(figure, point)}" x="0" y="{y + 15}" width="{wide:.1f}" height="10">'
            + f"<title>{_text(point.label)}: {point.value:g} {_text(figure.unit)}</title></rect>"
            + _word(_WIDTH, y + 24, f"{point.value:g}", "end")
        )
    x = (_WIDTH - 60) * (figure.limit or 0) / top
    line = f'<line x1="{x:.1f}" x2="{x:.1f}" y1="12" y2="{len(figure.points) * row}"/>'
    return _svg(figure, len(figure.points) * row, "".join((*made, line)))


def _top(figure: Figure) -> float:
    """The end of the scale: a percentage goes to 100, all else a little beyond its greatest value and its target."""
    greatest = max((*(point.value for point in figure.points), figure.limit or 0))
    return 100.0 if figure.unit in ("%", "of 100") else max(1.0, float(f"{greatest:.2g}"), greatest)


def _y(value: float, top: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * min(value, top) / top


def _colour(figure: Figure, point: FigurePoint) -> str:
    limit = figure.limit or 0
    return "good" if (point.value >= limit if figure.at_least else point.value <= limit) else "bad"


def _word(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{_text(text)}</text>'


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:59]}…"


def _svg(figure: Figure, height: int, inside: str) -> str:
    head = f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{_text(figure.title)}">'
    return f"{head}{inside}</svg>"


def _text(text: str) -> str:
    return escape(clean(text))
