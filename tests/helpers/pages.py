"""What the documentation pages hold, for the tests that run it."""

import re
from pathlib import Path
from typing import NamedTuple


class Fence(NamedTuple):
    """A fenced block: its page, the words after the backticks, its text."""

    page: str
    words: tuple[str, ...]
    text: str


def fences(page: Path) -> list[Fence]:
    found = re.findall(r"^```([^\n]*)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    return [Fence(page.name, tuple(words.split()), text) for words, text in found]
