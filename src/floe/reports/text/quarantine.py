"""What is in quarantine, for people."""

from collections.abc import Sequence
from typing import Any

from floe.reports.style import Style, clean, plural


def quarantine_text(found: Sequence[Any], style: Style) -> str:
    """One line per run, with the rows by what they break."""
    if not found:
        return "The quarantine is empty."
    lines = []
    for value in found:
        codes = ", ".join(f"{code} {count:,}" for code, count in sorted(value.codes.items()))
        lines.append(
            f"{clean(value.table)}  {value.at}  run {value.run_id}  {style.paint(plural(value.rows, 'row'), 'yellow')}  {codes}"
        )
    return "\n".join(lines)
