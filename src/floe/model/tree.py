"""Text as plain values with their places, and how such trees are made and copied."""

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


def custom(out: Map, name: str, value: Any, at: Place, key_at: Place | None = None) -> None:
    """Add a custom property; the first of a name stays."""
    entry = Map(key_at or at)
    entry.put("property", name, key_at or at)
    entry.put("value", value, at, key_at or at)
    add(out, "customProperties", entry)


def add(out: Map, key: str, entry: Any, at: Place | None = None) -> None:
    """Append to the list of a mapping, which is made where there is none; what is no list is left for the schema."""
    place: Place = at or getattr(entry, "place", None) or out.place
    if out.get(key) is None:
        out.put(key, List(place), place)
    if isinstance(out[key], List):
        out[key].add(entry, place)


def add_all(out: Map, key: str, entries: List) -> None:
    """Append all items of a list, with their places."""
    for entry, place in zip(entries, entries.item_places, strict=True):
        add(out, key, entry, place)


def made(place: Place, **values: Any) -> Map:
    """A mapping that stands for something written at one place; what is None is left out.

    >>> made(Place("a.yaml", 1, 1), type="foreignKey", to=None)
    {'type': 'foreignKey'}
    """
    out = Map(place)
    for key, value in values.items():
        if value is not None:
            out.put(key, tree(value, place), place)
    return out


def tree(value: Any, place: Place) -> Any:
    """Plain values as a tree that stands at one place; a tree stays as it is."""
    if isinstance(value, Map | List):
        return value
    if isinstance(value, dict):
        return made(place, **value)
    if isinstance(value, list | tuple):
        out = List(place)
        for each_one in value:
            out.add(tree(each_one, place), place)
        return out
    return value


_CONTAINERS = (Map, List)


def copy(value: Any) -> Any:
    """A tree that can be changed without changing the one it was made from."""
    if isinstance(value, Map):
        out = Map(value.place)
        for key, below in value.items():
            out[key] = copy(below) if isinstance(below, _CONTAINERS) else below
        out.value_places, out.key_places = dict(value.value_places), dict(value.key_places)
        return out
    if isinstance(value, List):
        items = List(value.place)
        items.extend(copy(below) if isinstance(below, _CONTAINERS) else below for below in value)
        items.item_places = list(value.item_places)
        return items
    return value


def copied_list(items: List) -> List:
    """The same list once more, so that adding to it leaves the document as it was read."""
    out = List(items.place)
    for item, place in zip(items, items.item_places, strict=True):
        out.add(item, place)
    return out


def maps(value: Any) -> list[Map]:
    """The mappings in what may be a list."""
    return [item for item in value if isinstance(item, Map)] if isinstance(value, List) else []
