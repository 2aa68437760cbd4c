"""JSON text: read with places where it can be, written with exact numbers."""

import json
from decimal import Decimal
from typing import Any

from floe.contract.formats.foreign.table import planted
from floe.model import ContractError, Finding, Place, Severity, yaml_text

# Above this, reading every place costs more than places are worth
_PLACED_BYTES = 2 * 1024 * 1024


def parse(data: bytes | str, source: str) -> Any:
    """The value of a JSON text as a tree; ContractError (E509) with its place where it is no JSON."""
    text = data.decode("utf-8-sig", "replace") if isinstance(data, bytes) else data.removeprefix("\ufeff")
    try:
        value = json.loads(text, parse_float=Decimal)
    except json.JSONDecodeError as error:
        raise _unreadable(f"JSON cannot be parsed: {error.msg}", Place(source, error.lineno, error.colno)) from None
    except RecursionError:
        raise _unreadable("JSON is nested too deep to be read", Place(source, 1, 1)) from None
    if _deeper_than(value, yaml_text.MAX_DEPTH):
        raise _unreadable(f"Nested deeper than {yaml_text.MAX_DEPTH} levels", Place(source, 1, 1))
    if len(text) > _PLACED_BYTES:
        return planted(value, Place(source, 1, 1))
    return _placed(text, source, value)


def _deeper_than(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            entry
            for holder in level
            if isinstance(holder, dict | list)
            for entry in (holder.values() if isinstance(holder, dict) else holder)
        ]
    return bool(level)


def _placed(text: str, source: str, value: Any) -> Any:
    """JSON is almost YAML: its parser knows places, but not every escape."""
    try:
        return yaml_text.parse(text, source)
    except ContractError as error:
        if any(finding.name == "duplicate-key" for finding in error.findings):
            raise
        return planted(value, Place(source, 1, 1))


def _unreadable(message: str, place: Place) -> ContractError:
    suggestion = "Correct the JSON at this place"
    finding = Finding("E509", "json-unreadable", Severity.CRITICAL, message, "", suggestion, place)
    return ContractError(message, suggestion, "E509", (finding,))


def write(value: Any, indent: str = "") -> str:
    """A value as JSON text; short containers stay on one line, numbers keep every digit.

    >>> write({"a": [1, Decimal("2.50")], "b": {}})
    '{"a": [1, 2.50], "b": {}}'
    """
    flat = _flat(value)
    if len(flat) + len(indent) <= 100 or not isinstance(value, dict | list | tuple):
        return flat
    deeper = indent + "  "
    if isinstance(value, dict):
        rows = [f"{deeper}{_word(key)}: {write(entry, deeper)}" for key, entry in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    rows = [deeper + write(entry, deeper) for entry in value]
    return "[\n" + ",\n".join(rows) + f"\n{indent}]"


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_word(key)}: {_flat(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flat, value)) + "]"
    return format(value, "f") if isinstance(value, Decimal) else _word(value)


def _word(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
