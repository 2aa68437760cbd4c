"""A bar chart as SVG, in plain Python: two bars per name, for a light or a dark page."""

from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

LEFT, RIGHT, TOP, ROW, BAR, WIDTH = 215, 60, 66, 38, 13, 760
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .soft { fill: #59636e; font-size: 12px }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  .first { fill: #2f6fb3 } .second { fill: #a9c4e0 }
  .own.first { fill: #d4652f } .own.second { fill: #eebb9f }
  .page { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .soft { fill: #9198a1 } .grid { stroke: #3d444d } .page { fill: #0d1117 }
    .first { fill: #5b9bdc } .second { fill: #2d4f74 } .own.first { fill: #f08a56 } .own.second { fill: #7a452b }
  }
"""


class Bars(NamedTuple):
    """A name and its two values; our own stands out."""

    name: str
    first: float
    second: float
    own: bool = False


def chart(title: str, names: tuple[str, str], bars: Sequence[Bars]) -> str:
    """The picture, its greatest value at the right."""
    most = max(max(one.first, one.second) for one in bars)
    step = next(step for step in (1, 2, 5, 10, 20, 50) if most / step <= 10)
    scale = (WIDTH - LEFT - RIGHT) / (most or 1)
    height = TOP + ROW * len(bars) + 30
    parts = [f'<text class="title" x="16" y="24">{escape(title)}</text>', *_legend(names)]
    for value in range(0, int(most) + 1, step):
        x = LEFT + value * scale
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{height - 26}"/>')
        parts.append(f'<text class="soft" x="{x:.1f}" y="{height - 10}" text-anchor="middle">{value}×</text>')
    for number, one in enumerate(bars):
        parts += _row(one, TOP + ROW * number, scale)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape(title)}">\n<style>{STYLE}</style>\n'
        f'<rect class="page" width="{WIDTH}" height="{height}"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _legend(names: tuple[str, str]) -> list[str]:
    parts, x = [], 16
    for kind, name in zip(("first", "second"), names, strict=True):
        parts.append(f'<rect class="{kind}" x="{x}" y="36" width="12" height="12" rx="2"/>')
        parts.append(f'<text class="soft" x="{x + 18}" y="46">{escape(name)}</text>')
        x += 40 + 7 * len(name)
    return parts


def _row(one: Bars, y: float, scale: float) -> list[str]:
    own = "own " if one.own else ""
    parts = [f'<text x="{LEFT - 10}" y="{y + BAR + 5}" text-anchor="end">{escape(one.name)}</text>']
    for kind, value, top in (("first", one.first, y), ("second", one.second, y + BAR + 2)):
        wide = max(value * scale, 1)
        parts.append(
            f'<rect class="{own}{kind}" x="{LEFT}" y="{top}" width="{wide:.1f}" height="{BAR}" rx="2"/>'
            f'<text class="soft" x="{LEFT + wide + 6:.1f}" y="{top + 11}">{value:.1f}</text>'
        )
    return parts
