"""A diff for people: old and new side by side, worst first."""

from floe.model.change import ROLLOUT, Bump, Change, Diff
from floe.tell.report.style import Style, clean, plural

_COLOURS = {Bump.MAJOR: "red", Bump.MINOR: "yellow", Bump.PATCH: "blue", Bump.NONE: "dim"}


def diff_text(diff: Diff, style: Style) -> str:
    """The bump and what it means first, then a line per change."""
    rollout, impact = ROLLOUT[diff.bump]
    head = f"{clean(diff.contract)} {diff.old} → {diff.new}: "
    if not diff.changes:
        return head + style.paint("no change", "green")
    head += f"{style.paint(str(diff.bump), _COLOURS[diff.bump])}, {plural(len(diff.changes), 'change')}; rollout {rollout}, consumers: {impact}"
    rows = [
        (str(c.bump), c.row, c.change, clean(c.path), _value(c.old), _value(c.new), _impacts(c)) for c in diff.changes
    ]
    titles = ("bump", "row", "change", "where", "old", "new", "reader / writer")
    widths = [max(len(row[i]) for row in (titles, *rows)) for i in range(len(titles))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (titles, *rows)
    ]
    painted = [style.paint(line, _COLOURS[change.bump]) for line, change in zip(lines[1:], diff.changes, strict=True)]
    return "\n".join([head, style.paint(lines[0], "dim"), *painted])


def _impacts(change: Change) -> str:
    return f"{change.reader} / {change.writer}" + (", dangerous" if change.dangerous else "")


def _value(value: object) -> str:
    text = "–" if value is None else clean(str(value)).replace("\n", " ")
    return text if len(text) <= 40 else text[:39] + "…"
