"""Key figures for people."""

from collections.abc import Mapping
from typing import Any

from floe.reports.style import Style, clean

_MARKS = {"met": ("✓", "green"), "missed": ("✗", "red"), "unknown": ("?", "yellow")}


def figures_text(said: Mapping[str, Any], style: Style) -> str:
    """One line per figure: its value, its target, what it comes from."""
    rows = said["figures"]
    wide = max(len(row["title"]) for row in rows)
    values = [value_text(row) for row in rows]
    room = max(map(len, values))
    lines = [f"{said['first']} to {said['last']} ({said['days']} days)"]
    for one, value in zip(rows, values, strict=True):
        mark = style.paint(*_MARKS[one["status"]])
        target = f"target {one['target']}"
        lines.append(f"{mark} {one['title']:<{wide}}  {value:>{room}}  {target:<18}  {clean(one['detail'])}")
    counts = said["summary"]
    lines.append(f"{counts['met']} met, {counts['missed']} missed, {counts['unknown']} unknown")
    return "\n".join(lines)


def value_text(row: Mapping[str, Any]) -> str:
    """A value with its unit, or unknown."""
    return "unknown" if row["value"] is None else f"{row['value']:g} {row['unit']}".rstrip()
