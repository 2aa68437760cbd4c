"""A YAML text changed in one place; everything else stays: comments, order, quoting, line ends.

ruamel.yaml reads where each value begins and ends, and only the change is spliced into the text. ruamel.yaml can also write
a whole document back with its comments, but not as it was: it indents every list alike, drops spaces in braces and joins
lines, in 41 of the 119 examples of the standard. Every change is checked before it is returned: the reader of contracts reads
the new text, which must hold what the old one held and this change.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from floe.model import ContractError, List, Map, Place, SettingError, yaml_text

# what YAML takes as the end of a line
_LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_DASH = re.compile(r"^([ ]*)-(?=\s)", re.MULTILINE)
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./@-]*")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

_Path = tuple[str | int, ...]


class NewKey(NamedTuple):
    """A key to write into a mapping: on a line of its own below another key, or before it within braces."""

    beside: Place
    key: str
    value: str


class _Pair(NamedTuple):
    """A key and its value as they are written: nodes of ruamel.yaml."""

    mapping: Any
    key: Any
    value: Any

    @property
    def has_alias(self) -> bool:
        """The value is an alias: its node is the anchored one, which stands elsewhere."""
        return bool(self.value.start_mark.index < self.key.end_mark.index)


def replace_scalar(text: str, place: Place, old: str, new: str) -> str:
    r"""The text with the plain or quoted value at a place replaced; ContractError where it is not written there.

    >>> replace_scalar("a: 1\nversion: '1.0.0'  # keep\n", Place("x", 2, 10), "1.0.0", "1.1.0")
    "a: 1\nversion: '1.1.0'  # keep\n"
    """
    start = _offset(text, place)
    for pair in _pairs(_compose(text, place.file)):
        if pair.value.start_mark.index != start or pair.has_alias:
            continue
        end = pair.value.end_mark.index - (1 if pair.value.style in ("'", '"') else 0)
        if text[end - len(old) : end] == old:
            changed = f"{text[: end - len(old)]}{new}{text[end:]}"
            removed, added = _difference(text, changed, place.file)
            if len(removed) == len(added) == 1 and removed.keys() == added.keys():
                return changed
    raise ContractError(
        f"{place}: '{old}' was not found at this place",
        "Write the value without an alias, or convert the contract to ODCS first (floe convert)",
        "E501",
    )


def add_keys(text: str, source: str, keys: Sequence[NewKey]) -> str:
    """The text with more keys in its mappings; ContractError where that would change anything else."""
    pairs = {pair.key.start_mark.index: pair for pair in _pairs(_compose(text, source))}
    changed = text
    for new in sorted(keys, key=lambda key: key.beside[1:], reverse=True):
        offset = _offset(text, new.beside)
        if pair := pairs.get(offset):
            changed = _with_key(changed, pair, new, _newline(text))
    removed, added = _difference(text, changed, source)
    wanted = sorted((new.key, new.value) for new in keys)
    if removed or sorted((path[-1], value) for path, value in added.items()) != wanted:
        raise ContractError(
            f"{source}: {wanted[0][0]} cannot be written into this text", "Write it without aliases", "E501"
        )
    return changed


def _with_key(text: str, pair: _Pair, new: NewKey, newline: str) -> str:
    """The text, whose beginning up to this pair is as it was composed, with a key beside it."""
    entry = f"{new.key}: {_scalar(new.value)}"
    start = pair.key.start_mark.index
    if pair.mapping.flow_style:
        return f"{text[:start]}{entry}, {text[start:]}"
    end = _line_end(text, _end_of_value(text, pair))
    return f"{text[:end]}{newline}{' ' * (new.beside.column - 1)}{entry}{text[end:]}"


def append(text: str, source: str, key: str, entry: Mapping[str, str]) -> str:
    """The text with one more entry in the list below a key at its root; SettingError where that cannot be done."""
    tree = yaml_text.parse(text, source)
    if tree is None:
        tree = Map(Place(source, 1, 1))
    if not isinstance(tree, Map):
        raise SettingError(f"{source} is not a mapping of settings", f"Add {key} by hand")
    known = tree.get(key) or []
    if not isinstance(known, list):
        raise SettingError(
            f"{source}:{tree.key_places[key].line}: '{key}' is no list", f"Write it as '{key}:' with a line '- …' each"
        )
    written = f"{{{', '.join(f'{name}: {_scalar(value)}' for name, value in entry.items())}}}"
    changed = _appended(text, source, key, written, bool(known))
    again = yaml_text.parse(changed, source)
    entries = list(again.get(key) or [])
    if entry in entries:
        entries.remove(entry)
    if len(entries) + 1 != len(again.get(key) or []) or {**again, key: entries} != {**tree, key: list(known)}:
        raise SettingError(f"{source}: '{key}' cannot be changed", f"Write it as '{key}:' with a line '- …' each")
    return changed


def _appended(text: str, source: str, key: str, entry: str, filled: bool) -> str:
    newline = _newline(text)
    root = _compose(text, source)
    pair = next((pair for pair in _pairs(root) if pair.mapping is root and pair.key.value == key), None)
    if pair is None:
        if root is not None and root.flow_style:
            return _first_in(text, "{", root, f"{key}: [{entry}]")
        before = text if not text or _LINE_END.fullmatch(text[-1]) else text + newline
        return f"{before}{key}:{newline}  - {entry}{newline}"
    if not filled and not root.flow_style:
        return _below_empty(text, pair, entry, newline)
    if root.flow_style or pair.value.flow_style:
        return _first_in(text, "[", pair.value, entry)
    return _below_last(text, pair.value, entry, newline)


def _first_in(text: str, bracket: str, node: Any, entry: str) -> str:
    """An entry written first within brackets; last it might stand behind a comma or a comment."""
    at = text.find(bracket, node.start_mark.index) + 1
    return f"{text[:at]}{entry}{', ' if node.value else ''}{text[at:]}"


def _below_empty(text: str, pair: _Pair, entry: str, newline: str) -> str:
    """An entry below a key whose value is nothing, or brackets around nothing."""
    colon = text.index(":", pair.key.end_mark.index) + 1
    start, end = pair.value.start_mark.index, pair.value.end_mark.index
    if start < end:
        text = text[:start].rstrip(" \t") + text[end:]
    end = _line_end(text, colon)
    return f"{text[:end]}{newline}  - {entry}{text[end:] or newline}"


def _below_last(text: str, node: Any, entry: str, newline: str) -> str:
    """An entry on a line of its own below the last one of a list."""
    line = text.rfind("\n", 0, node.start_mark.index) + 1
    dash = _DASH.search(text, line)
    indent = dash[1] if dash else ""
    end = _end_of_list(text, node.end_mark.index, len(indent))
    ended = "" if _LINE_END.fullmatch(text[end - 1]) else newline
    return f"{text[:end]}{ended}{indent}- {entry}{newline}{text[end:]}"


def insert_lines(text: str, below: Mapping[int, Sequence[str]]) -> str:
    r"""The text with more lines below some of its own, which count from one.

    >>> insert_lines("a: 1\nb: 2\n", {1: ["# why"]})
    'a: 1\n# why\nb: 2\n'
    """
    lines = text.splitlines(keepends=True)
    return "".join(
        line + "".join(f"{more}\n" for more in below.get(number, ())) for number, line in enumerate(lines, 1)
    )


def _compose(text: str, source: str) -> Any:
    """The root node of ruamel.yaml; None for a text without a value."""
    try:
        return YAML(typ="safe", pure=True).compose(text)
    except YAMLError:
        raise ContractError(f"{source}: this YAML cannot be changed by floe", "Change it by hand", "E501") from None


def _pairs(root: Any) -> Iterator[_Pair]:
    """Every key of a tree with its value; what an alias repeats comes once."""
    left, seen = [root], set()
    while left:
        node = left.pop()
        if id(node) in seen or not isinstance(getattr(node, "value", None), list):
            continue
        seen.add(id(node))
        for child in node.value:
            if isinstance(child, tuple):
                yield _Pair(node, *child)
                left.append(child[1])
            else:
                left.append(child)


def _difference(before: str, after: str, source: str) -> tuple[dict[_Path, Any], dict[_Path, Any]]:
    """What the reader of contracts finds in the first text alone, and in the second alone."""
    old, new = (dict(_leaves(yaml_text.parse(text, source), ())) for text in (before, after))
    missing = object()
    removed = {path: value for path, value in old.items() if new.get(path, missing) != value}
    added = {path: value for path, value in new.items() if old.get(path, missing) != value}
    return removed, added


def _leaves(value: Any, path: _Path) -> Iterator[tuple[_Path, Any]]:
    if isinstance(value, Map) and value:
        for key, below in value.items():
            yield from _leaves(below, (*path, key))
    elif isinstance(value, List) and value:
        for number, below in enumerate(value):
            yield from _leaves(below, (*path, number))
    else:
        yield path, value


def _offset(text: str, place: Place) -> int:
    start = 0
    for _ in range(place.line - 1):
        end = _LINE_END.search(text, start)
        if not end:
            break
        start = end.end()
    return start + place.column - 1


def _newline(text: str) -> str:
    found = _LINE_END.search(text)
    return found[0] if found else "\n"


def _line_end(text: str, start: int) -> int:
    found = _LINE_END.search(text, start)
    return found.start() if found else len(text)


def _end_of_value(text: str, pair: _Pair) -> int:
    """Where the value of a key ends; text over several lines ends at the line after it."""
    end = pair.key.end_mark.index if pair.has_alias else pair.value.end_mark.index
    return int(end) - 1 if _LINE_END.fullmatch(text[end - 1]) else int(end)


def _end_of_list(text: str, end: int, indent: int) -> int:
    """Where the last entry of a list ends: what is indented deeper than its dash belongs to it, other comments do not."""
    lines = text[:end].splitlines(keepends=True)
    while lines and (not lines[-1].strip() or _is_outside(lines[-1], indent)):
        end -= len(lines.pop())
    return end


def _is_outside(line: str, indent: int) -> bool:
    return line.lstrip().startswith("#") and len(line) - len(line.lstrip()) <= indent


def _scalar(value: str) -> str:
    plain = _PLAIN.fullmatch(value) and yaml_text.is_text(value)
    return value if plain or _DATE.fullmatch(value) else json.dumps(value, ensure_ascii=False)
