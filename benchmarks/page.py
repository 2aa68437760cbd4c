"""Tables of results: printed, and written between their marks on a page."""

import os
import platform
import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown that also reads well in a terminal; the first and the last column stand left."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(head))]
    widths[-1] = len(head[-1])  # words may run on
    sides = ["<" if n in (0, len(head) - 1) else ">" for n in range(len(head))]
    rule = [f"{'-' * (width - 1)}{'-' if side == '<' else ':'}" for width, side in zip(widths, sides, strict=True)]
    cells = [[f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in [cells[0], rule, *cells[1:]])


def section(command: str, said: str, shown: str) -> str:
    """A table with the command that made it, the day and the machine."""
    return f"```\n{command}\n```\n\n{said}; {machine()}.\n\n{shown}"


def fill(page: Path, mark: str, text: str) -> None:
    """Put a text between the marks of its name on a page."""
    begin, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
    said = page.read_text()
    if begin not in said or end not in said:
        raise SystemExit(f"{page} has no place for '{mark}': write '{begin}' and '{end}' where it belongs")
    between = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    page.write_text(between.sub(lambda _: f"{begin}\n\n{text}\n\n{end}", said))


def machine() -> str:
    """What it was measured on, in one line."""
    facts = Path("/proc/meminfo")
    memory = f"{int(facts.read_text().split()[1]) / 2**20:.0f} GB, " if facts.exists() else ""
    return (
        f"{os.cpu_count()} cores ({_processor()}), {memory}{platform.system()}, "
        f"Python {platform.python_version()}, pyspark {version('pyspark')}"
    )


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    named = re.search(r"model name\s*: (.*)", facts.read_text()) if facts.exists() else None
    return named[1] if named else platform.processor() or platform.machine()
