"""What is in quarantine, for people."""

from collections.abc import Sequence
from typing import Any

from floe.tell.report.style import Style, clean, plural


def quarantine_text(found: Sequence[Any], style: Style) -> str:
    """One line per run, with the rows by what they break."""
    if not found:
        return "Nothing is in quarantine."
    lines = []
    for one in found:
        codes = ", ".join(f"{code} {count:,}" for code, count in sorted(one.codes.items()))
        lines.append(
            f"{clean(one.table)}  {one.at}  run {one.run_id}  {style.paint(plural(one.rows, 'row'), 'yellow')}  {codes}"
        )
    return "\n".join(lines)
