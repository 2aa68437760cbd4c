"""The outbox as a table."""

from collections.abc import Mapping
from typing import Any

from floe.reports.style import Style, clean, plural

_HEAD = ("id", "sink", "key", "state", "attempts", "put (UTC)", "next try (UTC)")


def outbox_text(found: Mapping[str, Any], style: Style) -> str:
    """The counts, then one line per message with its error below."""
    count = found["count"]
    said = ", ".join(f"{count[state]:,} {state}" for state in ("waiting", "dead", "sent"))
    said += f", {count['dropped']:,} dropped" if count["dropped"] else ""
    lines = [f"Outbox: {said}"]
    rows = [_row(value) for value in found["messages"]]
    if not rows:
        return lines[0]
    widths = [max(len(row[i]) for row in (_HEAD, *rows)) for i in range(len(_HEAD))]
    lines.append(style.paint(_line(_HEAD, widths), "dim"))
    for row, one in zip(rows, found["messages"], strict=True):
        lines.append(style.paint(_line(row, widths), "red") if one["state"] == "dead" else _line(row, widths))
        if one["error"]:
            lines.append(f"    {clean(one['error'])}")
    return "\n".join(lines)


def _row(row: Mapping[str, Any]) -> tuple[str, ...]:
    later = _when(row["next_at"]) if row["state"] == "waiting" else "–"
    words = (str(row["id"]), clean(row["sink"]), clean(row["key"]), row["state"], str(row["attempts"]))
    return (*words, _when(row["created_at"]), later)


def _when(at: str) -> str:
    return at.replace("T", " ")[:19]


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def round_text(done: Mapping[str, Any], style: Style) -> str:
    """The result of sending."""
    if done["busy"]:
        return "Another worker is sending."
    bad = done["failed"] or done["dead"] or done["dropped"]
    mark = style.paint("!", "yellow") if bad else style.paint("✓", "green")
    words = [f"{plural(done['sent'], 'message')} sent"]
    words += [f"{done[name]:,} {said}" for name, said in _BAD.items() if done[name]]
    return "\n".join([f"{mark} {', '.join(words)}", *(f"    {clean(line)}" for line in done["said"])])


_BAD = {"failed": "to be retried", "dead": "dead", "dropped": "dropped"}
