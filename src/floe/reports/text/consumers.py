"""Consumers as text."""

from collections.abc import Mapping, Sequence
from typing import Any

from floe.reports.style import Style, clean

_HEAD = ("contract", "versions", "team", "contact", "columns", "through")
# so many columns are named in a line
_NAMED = 4


def consumers_text(rows: Sequence[Mapping[str, Any]], style: Style) -> str:
    """One line per consumer, by contract and team."""
    if not rows:
        return "There are no consumers; `floe consumers add` registers one."
    lines = [_HEAD, *(tuple(map(clean, _cells(row))) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(_HEAD))]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([style.paint(shown[0], "dim"), *shown[1:]])


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        str(row["contract"]),
        str(row["version_range"]),
        str(row["team"]),
        str(row["contact"]),
        columns_said(row["columns"]),
        str(row["through"] or ""),
    )


def columns_said(columns: Sequence[str] | None) -> str:
    """The columns a consumer uses, in a few words."""
    if columns is None:
        return "unknown"
    more = f" and {len(columns) - _NAMED} more" if len(columns) > _NAMED else ""
    return ", ".join(columns[:_NAMED]) + more


def added_text(row: Mapping[str, Any], was: Mapping[str, Any] | None) -> str:
    """What is kept of a consumer now."""
    moved = f", before: {was['version_range']}" if was and was["version_range"] != row["version_range"] else ""
    again = " (changed)" if was else ""
    through = f", through {row['through']}" if row["through"] else ""
    head = f"✓ {row['team']} is a consumer of {row['contract_id']} {row['version_range']}{moved}{again}"
    return clean(f"{head}\n    columns: {columns_said(row['columns'])}{through}; notifications go to {row['contact']}")
