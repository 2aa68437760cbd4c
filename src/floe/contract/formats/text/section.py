"""A foreign document taken apart: what is taken keeps its place, what is left over is known."""

from typing import Any

from floe.model import Finding, List, Map, Place, Severity, Step
from floe.model.yaml_text import add_all, copied_list, custom

_KINDS = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", type(None): "empty"}


class DocumentSection:
    """A mapping of the document; keys are taken one by one, and wrong kinds are found, not raised."""

    def __init__(self, node: Map, at: tuple[Step, ...], findings: list[Finding]) -> None:
        self.node = node
        self.at = at
        self.findings = findings
        self.left = dict.fromkeys(node)

    @property
    def place(self) -> Place:
        """Where the mapping stands."""
        return self.node.place

    def place_of(self, key: str) -> Place:
        """Where the value of a key stands; the mapping itself where there is none."""
        return self.node.value_places.get(key, self.node.place)

    def take(self, key: str) -> Any:
        """The value of a key, which is then no longer left over."""
        self.left.pop(key, None)
        return self.node.get(key)

    def text(self, key: str) -> str | None:
        """The value of a key as text; a number counts as written."""
        value = self.take(key)
        if value is None or isinstance(value, str):
            return value or None
        if isinstance(value, dict | list | bool):
            self.wrong(key, "text")
            return None
        return str(value)

    def section(self, key: str) -> "DocumentSection":
        """The mapping below a key; an empty one where there is none."""
        value = self.take(key)
        if value is not None and not isinstance(value, Map):
            self.wrong(key, "a mapping")
        node = value if isinstance(value, Map) else Map(self.place_of(key))
        return DocumentSection(node, (*self.at, key), self.findings)

    def sections(self, key: str) -> list["DocumentSection"]:
        """The mappings in the list below a key."""
        value = self.take(key)
        if value is not None and not isinstance(value, List):
            self.wrong(key, "a list of mappings")
        items = value if isinstance(value, List) else ()
        return [
            DocumentSection(item, (*self.at, key, i), self.findings)
            for i, item in enumerate(items)
            if isinstance(item, Map) or self.wrong_item(key, i, "a mapping")
        ]

    def entries(self, key: str) -> list[tuple[str, Place, "DocumentSection"]]:
        """The named mappings below a key, with their names and where those stand."""
        outer = self.section(key)
        return [(name, outer.node.key_places[name], outer.section(name)) for name in list(outer.node)]

    def names(self, key: str) -> list[tuple[str, Place]]:
        """The texts below a key, one or a list of them, each with its place."""
        value = self.take(key)
        if isinstance(value, str):
            return [(value, self.place_of(key))]
        if value is not None and not isinstance(value, List):
            self.wrong(key, "a list of names")
        items = value if isinstance(value, List) else List(self.place)
        return [
            (item, items.item_places[i])
            for i, item in enumerate(items)
            if isinstance(item, str) or self.wrong_item(key, i, "a name")
        ]

    def move(self, key: str, out: Map, name: str | None = None) -> None:
        """Put the value of a key into an ODCS mapping, with its places; it is left over where one stands there."""
        if (name or key) in out and self.node.get(key) is not None:
            return
        value = self.take(key)
        if isinstance(value, List):
            value = copied_list(value)
        if value is not None:
            out.put(name or key, value, self.node.value_places[key], self.node.key_places[key])

    def keep(self, out: Map, prefix: str = "") -> None:
        """Keep what is left over as custom properties by its own key."""
        for key in list(self.left):
            value = self.take(key)
            if key == "customProperties" and isinstance(value, List):
                add_all(out, "customProperties", value)
                continue
            name = prefix + key[:1].upper() + key[1:] if prefix else key
            custom(out, name, value, self.node.value_places[key], self.node.key_places[key])

    def rest(self) -> Map:
        """What is left over, as a mapping of its own."""
        out = Map(self.place)
        for key in list(self.left):
            self.move(key, out)
        return out

    def wrong(self, key: str, expected: str) -> bool:
        """Find a value of the wrong kind; false, for use in a condition."""
        return self._find((key,), self.place_of(key), self.node.get(key), expected)

    def wrong_item(self, key: str, index: int, expected: str) -> bool:
        """Find an item of the wrong kind; false, for use in a condition."""
        items = self.node[key]
        return self._find((key, index), items.item_places[index], items[index], expected)

    def find(self, finding: Finding) -> None:
        """Add what was found."""
        self.findings.append(finding)

    def missing(self, key: str, example: str) -> None:
        """Find a key that must be there and is not."""
        self.find(
            Finding(
                "E501",
                "missing-field",
                Severity.CRITICAL,
                f"Required field '{key}' is missing",
                suggestion=f"Add '{key}', e.g. {example}",
                place=self.place_of(key),
                path=(*self.at, key),
            )
        )

    def _find(self, path: tuple[Step, ...], place: Place, value: Any, expected: str) -> bool:
        what = next((name for kind, name in _KINDS.items() if isinstance(value, kind)), "a number")
        self.find(
            Finding(
                "E501",
                "invalid-value",
                Severity.CRITICAL,
                f"'{path[0]}' is {what} where {expected} is expected",
                suggestion=f"Write {expected} here",
                place=place,
                path=(*self.at, *path),
            )
        )
        return False
