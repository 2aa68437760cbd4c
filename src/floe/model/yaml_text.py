"""YAML text as a tree of values that know their places, and back; nothing is re-typed, nothing explodes. How trees are made and copied."""

import re
from decimal import Decimal
from typing import Any

import yaml
from yaml._yaml import CParser

from floe.model.errors import ContractError
from floe.model.finding import Finding, Place, Severity, Step


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


# a place is made for every value: without the detour over the class, in half the time
_new = tuple.__new__
MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 200
MAX_NODES = 1_000_000

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_REAL = re.compile(r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_EXPONENT = len("e999")
_WORDS: dict[str, Any] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_PLAIN_TAGS = ("!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_CONTROL = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


# a character beyond U+FFFF as JSON escapes it inside quotes, which YAML does not know; an even number of backslashes before it are others
_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


def _one_escape(found: re.Match[str]) -> str:
    r"""The same character by the escape that YAML knows.

    >>> print(_PAIR.sub(_one_escape, r'"\ud83d\ude00"'))
    "\U0001f600"
    """
    high, low = int(found[2], 16) - 0xD800, int(found[3], 16) - 0xDC00
    return f"{found[1]}\\U{0x10000 + (high << 10) + low:08x}"


def parse(data: bytes | str, file: str) -> Any:
    """The one document in a YAML text; ContractError (E509) with its place where it cannot be read."""
    text = _decode(data, file)
    try:
        return _Builder(text, file).build()
    except yaml.MarkedYAMLError as error:
        # libyaml has one class for all that it refuses, and names the problem in its text
        known = _PAIR.sub(_one_escape, text) if "escape code" in str(error.problem) else text
        if known != text:
            return parse(known, file)
        mark = error.problem_mark or error.context_mark
        place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)
        raise _error("yaml-unreadable", place, _problem(error), "Correct the YAML at this place") from None
    except yaml.YAMLError as error:
        raise _unreadable(text, file, error) from None


def _unreadable(text: str, file: str, error: yaml.YAMLError) -> ContractError:
    """A text that YAML refuses as a whole, at the first character that no text should hold."""
    control = _CONTROL.search(text)
    if not control:
        return _error("yaml-unreadable", Place(file, 1, 1), f"The text is not YAML: {error}", "Save it as UTF-8 text")
    before = text[: control.start()]
    line, column = before.count("\n") + 1, control.start() - before.rfind("\n")
    return _error(
        "yaml-unreadable",
        Place(file, line, column),
        f"The text contains the control character U+{ord(control[0]):04X}",
        "Remove it, and save the file as UTF-8 text; a contract is a text file",
    )


def _problem(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "the text is not YAML"
    if "cannot start any token" in problem:
        problem += " (a tab cannot indent YAML; a value that begins with @ or ` needs quotes)"
    return f"YAML cannot be parsed: {problem}"


def _error(name: str, place: Place, message: str, suggestion: str, detail: str = "") -> ContractError:
    finding = Finding("E509", name, Severity.CRITICAL, message, detail, suggestion, place)
    return ContractError(message, suggestion, "E509", (finding,))


def _decode(data: bytes | str, file: str) -> str:
    if len(data) > MAX_BYTES:
        raise _error(
            "file-too-large",
            Place(file, 1, 1),
            f"The file has {len(data):,} bytes, a contract has at most {MAX_BYTES:,}",
            "Split the contract, or check that this is the right file",
        )
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _error(
            "not-text",
            Place(file, line, 1),
            f"The file is not {encoding.removesuffix('-sig').upper()} text (byte {error.start})",
            "Save it as UTF-8 text; a contract is a text file",
        ) from None


class _Frame:
    """A container that is still open."""

    __slots__ = ("anchor", "before", "container", "deepest", "key", "waits")

    def __init__(self, container: Map | List, anchor: str | None, before: int) -> None:
        self.container = container
        self.anchor = anchor
        self.before = before  # values read before it
        self.deepest = 0  # levels below it so far
        self.key: tuple[str, Place] | None = None
        self.waits = isinstance(container, Map)  # for a key


class _Builder:
    """Builds the tree from parser events without recursion, so that no depth can break it."""

    def __init__(self, text: str, file: str) -> None:
        self.parser = CParser(text)
        self.file = file
        self.nodes = 0
        self.anchors: dict[str, tuple[Any, int, int]] = {}  # value, its size and its depth
        self.open: list[_Frame] = []
        self.result: Any = None
        self.documents = 0

    def build(self) -> Any:
        next_event = self.parser.get_event
        steps: dict[Any, Any] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._start,
            yaml.SequenceStartEvent: self._start,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }
        while (kind := type(event := next_event())) is not yaml.StreamEndEvent:
            if step := steps.get(kind):
                step(event)
        return self.result

    def _document(self, event: yaml.DocumentStartEvent) -> None:
        self.documents += 1
        if self.documents > 1:
            message = "The file contains a second document"
            raise self._error("several-documents", event, message, "Keep one contract per file")

    def _place(self, event: yaml.Event) -> Place:
        mark: Any = event.start_mark
        return _new(Place, (self.file, mark.line + 1, mark.column + 1))

    def _error(self, name: str, event: yaml.Event, message: str, suggestion: str) -> ContractError:
        return _error(name, self._place(event), message, suggestion)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        if event.tag:
            self._tagged(event)
        if self.open and self.open[-1].waits:
            return self._key(event)
        value: Any = event.value
        if event.implicit[0]:
            value = _WORDS[value] if value in _WORDS else _number(value)
        if event.anchor:
            self.anchors[event.anchor] = (value, 1, 0)
        return self._add(value, 1, event)

    def _key(self, event: yaml.ScalarEvent) -> None:
        frame, key = self.open[-1], event.value
        if key == "<<" and event.implicit[0]:
            raise self._error(
                "merge-key",
                event,
                "A merge key (<<) adds values that are not written here",
                "Write the values out, or use an anchor and alias for a whole value",
            )
        if key in frame.container:
            first = locate(frame.container, key, key=True)
            message = f"Key '{key}' occurs twice, first in line {first.line if first else 1}"
            raise self._error("duplicate-key", event, message, "Keep one of the two")
        frame.key, frame.waits = (key, self._place(event)), False

    def _start(self, event: yaml.CollectionStartEvent) -> None:
        if event.tag:
            self._tagged(event)
        if self.open and self.open[-1].waits:
            raise self._error("key-not-text", event, "A key is a list or a mapping", "Use text as a key")
        self._deeper(event, 1)
        place = self._place(event)
        container: Map | List = Map(place) if isinstance(event, yaml.MappingStartEvent) else List(place)
        self._add(container, 1, event)
        self.open.append(_Frame(container, event.anchor, self.nodes - 1))

    def _deeper(self, event: yaml.Event, levels: int) -> None:
        if len(self.open) + levels > MAX_DEPTH:
            raise self._error("too-deep", event, f"Nested deeper than {MAX_DEPTH} levels", "Flatten the document")

    def _end(self, _event: yaml.CollectionEndEvent) -> None:
        frame = self.open.pop()
        depth = frame.deepest + 1
        if self.open:
            self.open[-1].deepest = max(self.open[-1].deepest, depth)
        if frame.anchor:
            self.anchors[frame.anchor] = (frame.container, self.nodes - frame.before, depth)

    def _alias(self, event: yaml.AliasEvent) -> None:
        name = event.anchor
        if name not in self.anchors:
            inside = any(frame.anchor == name for frame in self.open)
            message = f"Alias '*{name}' is inside its own anchor" if inside else f"Alias '*{name}' has no anchor"
            raise self._error("bad-alias", event, message, "Write the value out")
        if self.open and self.open[-1].waits:
            raise self._error("key-not-text", event, "A key is an alias", "Write the key out")
        value, size, depth = self.anchors[name]
        self._deeper(event, depth)
        if self.open:
            self.open[-1].deepest = max(self.open[-1].deepest, depth)
        self._add(value, size, event)

    def _add(self, value: Any, size: int, event: yaml.Event) -> None:
        self.nodes += size
        if self.nodes > MAX_NODES:
            message = f"More than {MAX_NODES:,} values after expanding aliases"
            raise self._error("too-many-nodes", event, message, "Split the contract, or write aliases out")
        if not self.open:
            self.result = value
            return
        frame = self.open[-1]
        container, place = frame.container, self._place(event)
        # what `put` and `add` do, without a call for each value of a file
        if isinstance(container, List):
            container.append(value)
            container.item_places.append(place)
        elif frame.key:
            key, key_place = frame.key
            container[key] = value
            container.value_places[key] = place
            container.key_places[key] = key_place
            frame.key, frame.waits = None, True

    def _tagged(self, event: yaml.NodeEvent) -> None:
        tag: str = event.tag  # type: ignore[attr-defined]  # scalars and collections have one
        if tag not in _PLAIN_TAGS:
            shown = tag.replace("tag:yaml.org,2002:", "!!")
            raise self._error("custom-tag", event, f"Tag '{shown}' is not part of a plain document", "Remove the tag")


def plain_value(text: str) -> Any:
    """A text as an unquoted YAML value reads.

    >>> plain_value("5432"), plain_value("true"), plain_value("no")
    (5432, True, 'no')
    """
    value = _WORDS.get(text, text)
    return _number(value) if isinstance(value, str) else value


def _number(text: str) -> Any:
    """A number as written; 010, 1_000, 0x1F, 12:30 and what no machine can hold (1e99999) stay text.

    >>> _number("12"), _number("1.10"), _number("010")
    (12, Decimal('1.10'), '010')
    """
    if not text or text[0] not in "0123456789+-":
        return text
    if _INT.fullmatch(text):
        return int(text) if len(text) < 4000 else text
    if not (parts := _REAL.fullmatch(text)) or len(parts[3] or "") > _EXPONENT:
        return text
    return Decimal(text)


def is_text(text: str) -> bool:
    """Whether a plain scalar of this text reads as text.

    >>> is_text("orders"), is_text("1.10"), is_text("null"), is_text("010")
    (True, False, False, True)
    """
    return text not in _WORDS and isinstance(_number(text), str)


# words and forms that some reader of YAML 1.1 or 1.2 takes for something else than text
_OTHER_WORDS = {"y", "Y", "n", "N", "yes", "no", "on", "off"}
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0[oxb][0-9a-fA-F]+")


class _YamlDumper(yaml.SafeDumper):
    """Block style, lists indented below their key, no anchors."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    style = None
    if any(mark in value for mark in "\r\x85\u2028\u2029"):
        style = '"'  # line ends of other readers, escaped
    elif "\n" in value:
        # empty lines at its end would be lost among those between the parts of the document
        style = '"' if value.endswith("\n\n") or value[0] in " \n\t" else "|"
    elif not is_text(value) or value in _OTHER_WORDS or _NUMBER.fullmatch(value):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style)


def _number_node(dumper: yaml.SafeDumper, value: Decimal) -> yaml.Node:
    if value == value.to_integral_value() and value.adjusted() < 40:
        return dumper.represent_scalar("tag:yaml.org,2002:int", f"{int(value)}")
    text = f"{value:f}" if -40 < value.adjusted() < 40 else f"{value:.{len(value.as_tuple().digits)}E}"
    return dumper.represent_scalar("tag:yaml.org,2002:float", text)


def _mapping(dumper: yaml.SafeDumper, value: dict[str, Any]) -> yaml.Node:
    return dumper.represent_mapping("tag:yaml.org,2002:map", value.items(), flow_style=False if value else None)


def _sequence(dumper: yaml.SafeDumper, value: list[Any]) -> yaml.Node:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=False if value else None)


_YamlDumper.add_representer(str, _text)
_YamlDumper.add_representer(Decimal, _number_node)
_YamlDumper.add_multi_representer(dict, _mapping)
_YamlDumper.add_multi_representer(list, _sequence)


def dump(tree: dict[str, Any]) -> str:
    """The tree as YAML text, with an empty line around each part of the root that takes several lines."""
    chunks = [_chunk({key: value}) for key, value in tree.items()]
    text = ""
    for before, chunk in zip(["", *chunks], chunks, strict=False):
        apart = text and (before.count("\n") > 1 or chunk.count("\n") > 1)
        text += ("\n" if apart else "") + chunk
    return text


def _chunk(part: dict[str, Any]) -> str:
    return yaml.dump(
        part, Dumper=_YamlDumper, sort_keys=False, allow_unicode=True, width=1_000_000, default_flow_style=False
    )


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
