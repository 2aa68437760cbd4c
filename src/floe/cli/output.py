"""How a command speaks: JSON for programs, colour for terminals, progress on the error stream."""

import os
import sys
from typing import Any

from floe.lang.json_text import dumps
from floe.reports.style import Style, clean


def style() -> Style:
    """Colours only on a terminal."""
    return Style(sys.stdout.isatty() and "NO_COLOR" not in os.environ)


def say(text: str) -> None:
    """A sign of life for who waits; never part of the answer."""
    over = "\r\x1b[2K" if sys.stderr.isatty() else ""  # clears a line of progress
    print(f"{over}{clean(text)}", file=sys.stderr, flush=True)


def print_json(data: Any) -> None:
    """An answer for programs."""
    print(dumps(data, indent=2))
