"""YAML text as a tree of values that know their places; nothing is re-typed, nothing explodes."""

import re
from decimal import Decimal
from typing import Any

import yaml
from yaml._yaml import CParser

from floe.model import ContractError, Finding, List, Map, Place, Severity

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


def parse(data: bytes | str, file: str) -> Any:
    """The one document in a YAML text; ContractError (E509) with its place where it cannot be read."""
    text = _decode(data, file)
    try:
        return _Builder(text, file).build()
    except yaml.MarkedYAMLError as error:
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
        f"The text holds the control character U+{ord(control[0]):04X}",
        "Remove it, and save the file as UTF-8 text; a contract is no binary file",
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
            "Save it as UTF-8 text; a contract is no binary file",
        ) from None


class _Builder:
    """Builds the tree from parser events without recursion, so that no depth can break it."""

    def __init__(self, text: str, file: str) -> None:
        self.parser = CParser(text)
        self.file = file
        self.nodes = 0
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.open: list[tuple[Map | List, str | None, int]] = []  # container, its anchor, nodes before it
        self.keys: list[tuple[str, Place] | None] = []
        self.result: Any = None
        self.documents = 0

    def build(self) -> Any:
        while not isinstance(event := self.parser.get_event(), yaml.StreamEndEvent):
            match event:
                case yaml.ScalarEvent():
                    self._scalar(event)
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self._start(event)
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    self._end()
                case yaml.AliasEvent():
                    self._alias(event)
                case yaml.DocumentStartEvent():
                    self.documents += 1
                    if self.documents > 1:
                        raise self._error(
                            "several-documents",
                            event,
                            "A second document begins in this file",
                            "Keep one contract per file",
                        )
        return self.result

    def _place(self, event: yaml.Event) -> Place:
        mark: Any = event.start_mark
        return Place(self.file, mark.line + 1, mark.column + 1)

    def _error(self, name: str, event: yaml.Event, message: str, suggestion: str) -> ContractError:
        return _error(name, self._place(event), message, suggestion)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        self._tagged(event)
        place = self._place(event)
        if self.open and isinstance(self.open[-1][0], Map) and self.keys[-1] is None:
            return self._key(event, place)
        value = _WORDS.get(event.value, event.value) if event.implicit[0] else event.value
        if event.implicit[0] and isinstance(value, str):
            value = _number(value)
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)
        return self._add(value, place, 1, event)

    def _key(self, event: yaml.ScalarEvent, place: Place) -> None:
        container = self.open[-1][0]
        if event.value == "<<" and event.implicit[0]:
            raise self._error(
                "merge-key",
                event,
                "A merge key (<<) mixes in values that are not written here",
                "Write the values out, or use an anchor and alias for a whole value",
            )
        if event.value in container:
            first = container.key_places[event.value]  # type: ignore[union-attr]  # only a Map waits for a key
            raise self._error(
                "duplicate-key",
                event,
                f"Key '{event.value}' stands twice, first in line {first.line}",
                "Keep one of the two",
            )
        self.keys[-1] = (event.value, place)

    def _start(self, event: yaml.CollectionStartEvent) -> None:
        self._tagged(event)
        if self.open and isinstance(self.open[-1][0], Map) and self.keys[-1] is None:
            raise self._error("key-not-text", event, "A key is a list or a mapping", "Use text as a key")
        if len(self.open) >= MAX_DEPTH:
            raise self._error("too-deep", event, f"Nested deeper than {MAX_DEPTH} levels", "Flatten the document")
        place = self._place(event)
        container: Map | List = Map(place) if isinstance(event, yaml.MappingStartEvent) else List(place)
        self._add(container, place, 1, event)
        self.open.append((container, event.anchor, self.nodes - 1))
        self.keys.append(None)

    def _end(self) -> None:
        container, anchor, before = self.open.pop()
        self.keys.pop()
        if anchor:
            self.anchors[anchor] = (container, self.nodes - before)

    def _alias(self, event: yaml.AliasEvent) -> None:
        if event.anchor not in self.anchors:
            inside = any(anchor == event.anchor for _, anchor, _ in self.open)
            message = (
                f"Alias '*{event.anchor}' stands inside its own anchor"
                if inside
                else f"Alias '*{event.anchor}' has no anchor"
            )
            raise self._error("bad-alias", event, message, "Write the value out")
        value, size = self.anchors[event.anchor]
        if self.open and isinstance(self.open[-1][0], Map) and self.keys[-1] is None:
            raise self._error("key-not-text", event, "A key is an alias", "Write the key out")
        self._add(value, self._place(event), size, event)

    def _add(self, value: Any, place: Place, size: int, event: yaml.Event) -> None:
        self.nodes += size
        if self.nodes > MAX_NODES:
            raise self._error(
                "too-many-nodes",
                event,
                f"More than {MAX_NODES:,} values once aliases are expanded",
                "Split the contract, or write aliases out",
            )
        if not self.open:
            self.result = value
        elif isinstance(container := self.open[-1][0], List):
            container.add(value, place)
        elif key := self.keys[-1]:
            container.put(key[0], value, place, key[1])
            self.keys[-1] = None

    def _tagged(self, event: yaml.NodeEvent) -> None:
        tag: str | None = getattr(event, "tag", None)
        if tag and tag not in _PLAIN_TAGS:
            shown = tag.replace("tag:yaml.org,2002:", "!!")
            raise self._error("custom-tag", event, f"Tag '{shown}' is not part of a plain document", "Remove the tag")


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
