"""A YAML text changed in one place; everything else stays: comments, order, quoting, line ends."""

import json
import re
from collections.abc import Mapping, Sequence

from floe.contract.formats.text import yaml_text
from floe.model import ContractError, List, Map, Place, SettingError

# what YAML takes as the end of a line
_LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_ANCHOR = r"(?:&\S+[ \t]+)?(?:!!?\S*[ \t]+)?"
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./@-]*")


def replace_scalar(text: str, place: Place, old: str, new: str) -> str:
    r"""The text with the plain or quoted value at a place replaced; ContractError where it is not written there.

    >>> replace_scalar("a: 1\nversion: '1.0.0'  # keep\n", Place("x", 2, 10), "1.0.0", "1.1.0")
    "a: 1\nversion: '1.1.0'  # keep\n"
    """
    start = _offset(text, place)
    found = re.compile(rf"{_ANCHOR}(?P<quote>[\"']?)(?P<value>{re.escape(old)})(?P=quote)").match(text, start)
    if not found:
        raise ContractError(
            f"{place}: '{old}' is not written at this place",
            "Write the value there itself, without an alias, or convert the contract to ODCS first (floe convert)",
            "E501",
        )
    return text[: found.start("value")] + new + text[found.end("value") :]


def _offset(text: str, place: Place) -> int:
    start = 0
    for _ in range(place.line - 1):
        end = _LINE_END.search(text, start)
        if not end:
            break
        start = end.end()
    return start + place.column - 1


def append(text: str, source: str, key: str, entry: Mapping[str, str]) -> str:
    """The text with one more entry in the list below a key at its root; SettingError where that cannot be done."""
    tree = yaml_text.parse(text, source) if text.strip() else Map(yaml_text.parse("a: b", source).place)
    if tree is not None and not isinstance(tree, Map):
        raise SettingError(f"{source} is not a mapping of settings", f"Add {key} by hand")
    line = f"- {{{', '.join(f'{name}: {_scalar(value)}' for name, value in entry.items())}}}"
    if tree is None or key not in tree:
        ends = text if not text or text.endswith("\n") else f"{text}\n"
        return f"{ends}{key}:\n  {line}\n"
    lines = text.splitlines(keepends=True)
    items = tree[key]
    row = tree.key_places[key].line - 1
    if not items and re.fullmatch(rf"{key}:\s*(\[\s*\]|~|null)?\s*(#.*)?\n?", lines[row]):
        comment = lines[row].partition("#")[2].strip()
        lines[row] = f"{key}:{f'   # {comment}' if comment else ''}\n  {line}\n"
        return "".join(lines)
    if not isinstance(items, List) or lines[row].partition("#")[0].strip() != f"{key}:":
        raise SettingError(
            f"{source}:{row + 1}: '{key}' is no list of lines", f"Write it as '{key}:' with a line '- …' each"
        )
    last = items.item_places[-1].line - 1
    indent = lines[last][: len(lines[last]) - len(lines[last].lstrip())]
    end = _end(lines, last, len(indent))
    if not lines[end - 1].endswith("\n"):
        lines[end - 1] += "\n"
    return "".join([*lines[:end], f"{indent}{line}\n", *lines[end:]])


def insert_lines(text: str, below: Mapping[int, Sequence[str]]) -> str:
    r"""The text with more lines below some of its own, which count from one.

    >>> insert_lines("a: 1\nb: 2\n", {1: ["# why"]})
    'a: 1\n# why\nb: 2\n'
    """
    lines = text.splitlines(keepends=True)
    return "".join(
        line + "".join(f"{more}\n" for more in below.get(number, ())) for number, line in enumerate(lines, 1)
    )


def add_key(text: str, node: Map, beside: str, key: str, value: str) -> str:
    """The text with one more key in a mapping: on a line of its own below another, or before it within braces."""
    at = node.key_places[beside]
    offset = _offset(text, at)
    entry = f"{key}: {_scalar(value)}"
    if text[_offset(text, node.place)] == "{":
        return f"{text[:offset]}{entry}, {text[offset:]}"
    end = _LINE_END.search(text, offset)
    last, line_end = (end.start(), end[0]) if end else (len(text), "\n")
    return f"{text[:last]}{line_end}{' ' * (at.column - 1)}{entry}{text[last:]}"


def _end(lines: list[str], start: int, indent: int) -> int:
    """The line after an entry of a list: what is indented deeper than its dash belongs to it."""
    end = start + 1
    while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > indent:
        end += 1
    return end


def _scalar(value: str) -> str:
    plain = _PLAIN.fullmatch(value) and yaml_text.is_text(value)
    date = re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value)
    return value if plain or date else json.dumps(value, ensure_ascii=False)
