"""Colours, where the reader is a terminal."""

import re

from floe.model import Severity

# what a line begins with that GitHub or Azure take for a command, wherever it is printed
_COMMAND = re.compile(r"^\s*(?:::|##\[)", re.MULTILINE)
_COLOURS = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "dim": "2", "bold": "1"}
_MARKS = {
    Severity.CRITICAL: ("✗", "red"),
    Severity.ERROR: ("✗", "red"),
    Severity.WARNING: ("!", "yellow"),
    Severity.INFO: ("·", "blue"),
}


class Style:
    """Paints text, or leaves it as it is."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def paint(self, text: str, name: str) -> str:
        """Text in a colour."""
        return f"\x1b[{_COLOURS[name]}m{text}\x1b[0m" if self.colour else text

    def mark(self, severity: Severity) -> str:
        """The sign before a message of this severity."""
        sign, colour = _MARKS[severity]
        return self.paint(sign, colour)


def clean(text: str) -> str:
    """Text from a contract without characters that could steer a terminal, and without lines that command a CI runner."""
    text = _COMMAND.sub(lambda found: found[0].replace(":", "\\x3a").replace("#", "\\x23"), text)
    return "".join(char if char.isprintable() or char == "\n" else f"\\x{ord(char):02x}" for char in text)


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "finding"), plural(2, "finding")
    ('1 finding', '2 findings')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
