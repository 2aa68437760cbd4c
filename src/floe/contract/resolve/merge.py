"""One tree laid over another: the upper wins, field by field, and every value keeps its place."""

import json
from collections.abc import Callable, Hashable
from fnmatch import fnmatchcase
from typing import Any

from floe.contract.formats.odcs import property_type
from floe.model import Finding, List, Map, Place, Severity
from floe.model.service_level import level_name
from floe.model.types import Atomic, Family, Struct, Text, Type
from floe.model.yaml_text import copy

_VERSION = "v3.1.0"
_TYPED = ("logicalType", "physicalType")
_SHAPE = ("logicalType", "physicalType", "logicalTypeOptions", "items", "map", "properties")
# what stands for itself: a rule, a server or a custom property is taken whole from the upper
_WHOLE = ("quality", "servers", "customProperties", "relationships", "authoritativeDefinitions", "implementation")
_TOGETHER = {"slaProperties": ("value", "valueExt", "unit"), "enum": ()}
Key = Callable[[Map], Hashable]


def _by(*names: str) -> Key:
    return lambda node: next((str(node[name]) for name in names if node.get(name)), None)


def rule_key(node: Map) -> Hashable:
    """What makes two quality rules one: their id or name, else what they measure."""
    named = node.get("id") or node.get("name")
    what = [node.get(key) for key in ("metric", "rule", "arguments", "query", "implementation")]
    return str(named) if named else json.dumps(what, sort_keys=True, default=str)


def _level_key(node: Map) -> Hashable:
    return level_name(str(node.get("property"))), str(node.get("driver") or "")


_KEYS: dict[str, Key] = {
    "schema": _by("name", "physicalName"),
    "properties": _by("name"),
    "slaProperties": _level_key,
    "servers": _by("server"),
    "customProperties": _by("property"),
    "members": _by("username", "name"),
    "roles": _by("role"),
    "support": _by("channel"),
    "quality": rule_key,
    "relationships": lambda node: json.dumps([node.get("from"), node.get("to")], default=str),
    "authoritativeDefinitions": lambda node: (str(node.get("type")), str(node.get("url"))),
}


class Merge:
    """A merge under way, and the contradictions it met."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def maps(self, base: Map, over: Map, kind: str = "", path: str = "") -> Map:
        """A mapping over another; `kind` is the list it stands in, `path` what messages call it."""
        if kind in _WHOLE:
            return over
        unwanted = self._unwanted(base, over, kind, path)
        out = Map(over.place)
        for key in (*over, *(key for key in base if key not in over)):
            node = over if over.get(key) is not None or key not in base else base
            if node is base and key in unwanted:
                continue
            value = node[key]
            if key in base and key in over and node is over:
                value = self._values(base[key], over[key], key, path)
            out.put(key, value, node.value_places[key], node.key_places[key])
        return out

    def _unwanted(self, base: Map, over: Map, kind: str, path: str) -> tuple[str, ...]:
        """What of the lower would not go with what the upper says."""
        if kind == "slaProperties" and "value" in over:
            return _TOGETHER[kind]
        if kind != "properties" or not any(key in over for key in _TYPED) or not any(key in base for key in _TYPED):
            return ()
        lower, upper = property_type(base, _VERSION), property_type(over, _VERSION)
        if _agree(lower, upper):
            return ()
        self.findings.append(_contradiction(path, (lower, base), (upper, over)))
        return _SHAPE

    def _values(self, base: Any, over: Any, key: str, path: str) -> Any:
        if isinstance(base, Map) and isinstance(over, Map) and key not in _WHOLE:
            return self.maps(base, over, "properties" if key == "items" else key, path)
        if isinstance(base, List) and isinstance(over, List) and key in _KEYS:
            return self.lists(base, over, key, path)
        return over

    def lists(self, base: List, over: List, kind: str, path: str) -> List:
        """A list over another, entry by entry by their names: the upper's order first, then what only the lower has."""
        key, out, met = _KEYS[kind], List(over.place), set()
        lower = {key(value): value for value in base if isinstance(value, Map)}
        for item, place in zip(over, over.item_places, strict=True):
            name = key(item) if isinstance(item, Map) else None
            mine, value = lower.get(name), item
            met.add(name)
            below = f"{path}.{name}" if path else str(name)
            if isinstance(mine, Map) and isinstance(item, Map):
                value = self.maps(mine, item, kind, below)
            if kind == "schema" and isinstance(item, Map):
                value = self._patterns(base, value, below)
            out.add(value, place)
        for item, place in zip(base, base.item_places, strict=True):
            if isinstance(item, Map) and key(item) not in met:
                out.add(item, place)
        return out

    def _patterns(self, base: List, dataset: Map, path: str) -> Map:
        """A dataset over those of the lower whose name is a pattern that it fits."""
        for value in base:
            name = str(value.get("name")) if isinstance(value, Map) else ""
            if isinstance(value, Map) and is_pattern(value) and fnmatchcase(str(dataset.get("name")), name):
                dataset = self.maps(value, dataset, "schema", path)
        return dataset


def is_pattern(entry: Map) -> bool:
    """Whether a dataset stands for every one whose name it fits, e.g. `*` or `fact_*`."""
    return any(mark in str(entry.get("name")) for mark in "*?")


def merge(base: Map, over: Map) -> tuple[Map, list[Finding]]:
    """A document over another, and where the two contradict each other; neither is changed."""
    under_way = Merge()
    return copy(under_way.maps(base, over)), under_way.findings


def _agree(value: Type, other: Type) -> bool:
    """Whether two types can be one: the same, one a family that holds the other, or texts of any length."""
    match value, other:
        case ((Text() | Atomic("string")), (Text() | Atomic("string"))):
            return True
        case Struct(), Struct():
            return True  # their members are compared one by one
    return (
        value == other
        or (isinstance(value, Family) and value.has(other))
        or (isinstance(other, Family) and other.has(value))
    )


def _contradiction(path: str, lower: tuple[Type, Map], upper: tuple[Type, Map]) -> Finding:
    (base, base_node), (over, over_node) = lower, upper
    return Finding(
        "E508",
        "merge-contradicts",
        Severity.ERROR,
        f"Column '{path}' has two types",
        f"'{over}' at {_type_place(over_node)}, '{base}' at {_type_place(base_node)}",
        f"Use the same type in both files, or remove it from one; until then floe uses '{over}'",
        _type_place(over_node),
        (),
    )


def _type_place(node: Map) -> Place:
    return next((node.value_places[key] for key in reversed(_TYPED) if key in node), node.place)
