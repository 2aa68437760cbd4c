"""An effective contract for people: a line per value, with the tier and place it came from."""

from collections.abc import Sequence
from typing import Any

from floe.model import Finding, Severity
from floe.reports.style import Style, clean, plural
from floe.reports.text.findings import findings_text

_COLOURS = {"enterprise": "red", "domain": "yellow", "product": "blue", "explicit": "bold", "generated": "dim"}
_WIDEST = 40


def effective_text(
    identity: str,
    parents: Sequence[tuple[str, str]],
    rows: Sequence[tuple[str, Any, str, str]],
    findings: Sequence[Finding],
    style: Style,
) -> str:
    """The contract's name and parents, then its values, then what is wrong with it."""
    said = [(clean(name), _value(value), tier, clean(place)) for name, value, tier, place in rows]
    titles = ("value of", "is", "tier", "from")
    widths = [max(len(row[i]) for row in (titles, *said)) for i in range(4)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (titles, *said)
    ]
    painted = [
        style.paint(line, _COLOURS[row[2]]) if row[2] in _COLOURS else line
        for line, row in zip(lines[1:], said, strict=True)
    ]
    line = " → ".join(f"{tier} {clean(file)}" for tier, file in parents) or "no parents"
    head = f"{clean(identity)}: {plural(len(rows), 'value')}, {line}"
    wrong = findings_text([finding for finding in findings if finding.severity > Severity.INFO], style)
    return "\n".join([head, style.paint(lines[0], "dim"), *painted, *([wrong] if wrong else [])])


def _value(value: Any) -> str:
    text = clean("–" if value in (None, [], {}) else str(value)).replace("\n", " ")
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
