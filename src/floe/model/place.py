"""Where in a file a value stands, and the path that leads to it."""

from typing import NamedTuple

Step = str | int


class Place(NamedTuple):
    """A position in a file; lines and columns count from one."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def dotted(path: tuple[Step, ...]) -> str:
    """A path as people write it.

    >>> dotted(("schema", 0, "properties", 2, "name"))
    'schema[0].properties[2].name'
    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text
