"""Where every value of an effective contract came from."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from floe.model import List, Map, Place, Step, dotted

_NESTED = (Map, List)
_NAMES = ("name", "property", "server", "username", "role", "channel", "id", "metric")


@dataclass(frozen=True, slots=True)
class Origin:
    """A value with its path, its path by names, and the tier and place it came from."""

    path: tuple[Step, ...]
    name: str
    value: Any
    tier: str
    place: Place

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        place = self.place
        shape = {"path": dotted(self.path), "name": self.name, "value": self.value, "tier": self.tier}
        return {**shape, "file": place.file, "line": place.line, "column": place.column}


def origins(tree: Map, tiers: Mapping[str, str]) -> Iterator[Origin]:
    """Every value of a tree that holds no others, in the order of the tree."""
    yield from _below(tree, (), "", tiers)


def places(tree: Map, tiers: Mapping[str, str], relative: Callable[[str], str]) -> dict[str, list[str]]:
    """Tier and place of every value by its path: what `origins` says, in little time for artifacts of many contracts."""
    out: dict[str, list[str]] = {}
    _places(
        tree, "", out, lambda place: [tiers.get(place.file, "default"), f"{relative(place.file)}:{place[1]}:{place[2]}"]
    )
    return out


def _places(node: Any, path: str, out: dict[str, list[str]], said: Callable[[Place], list[str]]) -> None:
    if isinstance(node, Map):
        at = node.value_places
        for key, value in node.items():
            below = f"{path}.{key}" if path else key
            if value and isinstance(value, _NESTED):
                _places(value, below, out, said)
            else:
                out[below] = said(at[key])
        return
    for i, (value, place) in enumerate(zip(node, node.item_places, strict=True)):
        if value and isinstance(value, _NESTED):
            _places(value, f"{path}[{i}]", out, said)
        else:
            out[f"{path}[{i}]"] = said(place)


def _below(node: Any, path: tuple[Step, ...], name: str, tiers: Mapping[str, str]) -> Iterator[Origin]:
    if isinstance(node, Map):
        steps: Any = ((key, value, node.value_places[key], key) for key, value in node.items())
    else:
        steps = ((i, item, node.item_places[i], _called(item, i)) for i, item in enumerate(node))
    for step, value, place, word in steps:
        below = f"{name}.{word}" if name else str(word)
        if isinstance(value, Map | List) and value:
            yield from _below(value, (*path, step), below, tiers)
        else:
            yield Origin((*path, step), below, value, tiers.get(place.file, "default"), place)


def _called(value: Any, index: int) -> str:
    if isinstance(value, Map):
        return next((str(value[key]) for key in _NAMES if isinstance(value.get(key), str)), str(index))
    return str(index)
