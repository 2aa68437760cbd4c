"""A YAML text changed in one place; comments and all else stay as they are."""

import json
import re
from collections.abc import Mapping

from floe.contract.formats import yaml_text
from floe.model import List, Map, SettingError

_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./@-]*")


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
