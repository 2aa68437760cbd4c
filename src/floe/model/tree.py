"""Text as plain values with their places."""

from typing import Any, NamedTuple

Step = str | int


class Place(NamedTuple):
    """A position in a file; lines and columns count from one."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Map(dict[str, Any]):
    """A mapping that knows the place of itself, its keys and its values."""

    __slots__ = ("key_places", "place", "value_places")

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        self.key_places: dict[str, Place] = {}
        self.value_places: dict[str, Place] = {}

    def put(self, key: str, value: Any, at: Place | None = None, key_at: Place | None = None) -> None:
        """Set a value with its place."""
        self[key] = value
        self.value_places[key] = at or self.place
        self.key_places[key] = key_at or at or self.place


class List(list[Any]):
    """A sequence that knows the place of itself and its items."""

    __slots__ = ("item_places", "place")

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        self.item_places: list[Place] = []

    def add(self, value: Any, at: Place | None = None) -> None:
        """Append a value with its place."""
        self.append(value)
        self.item_places.append(at or self.place)


def locate(node: Any, *path: Step, key: bool = False) -> Place | None:
    """The place of the value (or key) at a path; of the nearest container that exists where the path ends early."""
    place: Place | None = getattr(node, "place", None)
    for index, step in enumerate(path):
        last = index == len(path) - 1
        if isinstance(node, Map) and step in node:
            place = (node.key_places if key and last else node.value_places)[str(step)]
        elif isinstance(node, List) and isinstance(step, int) and step < len(node):
            place = node.item_places[step]
        else:
            return place
        node = node[step]
    return place


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
