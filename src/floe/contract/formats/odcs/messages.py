"""The causes of a broken document in words for people."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from floe.contract.formats.odcs import condition_values, known_keys, schemas_at, value_at
from floe.contract.formats.odcs.causes import Cause
from floe.contract.formats.odcs.near_key import folded, near_key
from floe.model import Finding, Map, Place, Severity, Step, dotted, locate

_LISTED = 12
_LONGEST = 40
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
# of these, the ones that mean the opposite
_OPPOSITE = ("nullable", "isnullable", "optional")
# values that people write where ODCS has another word
_VALUES = {
    "logicalType": {
        "string": "text varchar char uuid json",
        "integer": "int bigint long smallint tinyint short",
        "number": "float double decimal numeric",
        "timestamp": "datetime timestamptz timestampntz",
        "object": "struct record dict",
        "array": "list",
        "boolean": "bool",
    },
    "dimension": {"conformity": "validity", "timeliness": "freshness currency"},
}
_FORMS = {
    "[^\\s.#/\\\\@!%&^]+": "text without spaces and without . # / \\ @ ! % & ^",
    "[A-Za-z_][A-Za-z0-9_": "table.column, or a path such as schema/orders/properties/id",
}
# what stands there, what is expected, what to do
_ADVICE = (
    ("other", "string", "Write it in quotes"),
    ("text", "boolean", "Write true or false, without quotes"),
    ("text", "number", "Write a number, without quotes"),
    ("text", "integer", "Write a number, without quotes"),
    ("mapping", "array", "Start each entry with a dash"),
    ("any", "array", "Write it as a list, e.g. [a, b]"),
    ("any", "object", "Write keys and values below it, e.g. key: value"),
)
_ARGUMENTS = ("pattern", "validValues", "missingValues", "properties")
_SECRET_KEY = re.compile(r"passw|secret|token|credential|api_?key|private", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    r"://[^/\s:@]+:[^/\s@]+@|\b(AKIA[0-9A-Z]{8}|gh[pousr]_\w{8}|xox[a-z]-|sk-\w{8}|eyJ[\w-]{8}|AIza\w{8})|-----BEGIN|(sig|password|pwd)="
)


@dataclass(frozen=True, slots=True)
class WordedCause:
    """The document that causes were found in, and the version it was judged by."""

    tree: Map
    version: str


def finding(cause: Cause, judged: WordedCause, since: str | None = None) -> Finding:
    """One cause as a finding at its place; where a later version allows it, a warning that says so."""
    name, text, detail, suggestion = _WORDS.get(cause.kind, _limit)(cause, judged)
    path, place = _place(cause, judged.tree)
    if since is None:
        return Finding("E501", name, Severity.CRITICAL, text, detail, suggestion, place, path)
    short = since.removesuffix(".0")
    return Finding(
        "E501",
        "newer-feature",
        Severity.WARNING,
        said
        := f"{_subject(cause, judged, since)} is part of ODCS since {short}; the document declares {judged.version}",
        "",
        f"{suggestion}, or set apiVersion to {since}" if _is_mistyped(cause, judged) else f"Set apiVersion to {since}",
        place,
        path,
        alike=said,
    )


def _is_mistyped(cause: Cause, judged: WordedCause) -> bool:
    """Whether plain text stands where the declared version asks for something else, such as a number in quotes."""
    value = value_at(judged.tree, cause.path)
    return cause.kind == "type" and isinstance(value, str) and "${" not in value


def note(cause: Cause, judged: WordedCause, said: str) -> Finding:
    """What floe accepts although the JSON Schema refuses it."""
    path, place = _place(cause, judged.tree)
    if "logicalTypeOptions" in path:
        path = path[: path.index("logicalTypeOptions") + 1]
        place = locate(judged.tree, *path, key=True)
    detail = f"The JSON Schema of {judged.version} refuses it; floe follows the text of the standard"
    advice = "No action is needed"
    return Finding("E501", "schema-stricter", Severity.INFO, said, detail, advice, place, path, alike=said)


def _place(cause: Cause, tree: Map) -> tuple[tuple[Step, ...], Place | None]:
    """The path a finding names and the place it points at."""
    path = cause.path
    if cause.kind in ("unknown", "misplaced", "forbidden"):
        path = (*path, cause.key)
        return path, locate(tree, *path, key=True)
    if cause.kind == "several" and cause.expected:
        path = (*path, cause.expected[-1])
        return path, locate(tree, *path, key=True)
    if cause.kind == "UniqueItems":
        path = (*path, _repeated(value_at(tree, path)))
    place = locate(tree, *path)
    return ((*path, cause.key) if cause.kind == "missing" else path), place


def _repeated(items: list[Any]) -> int:
    return next((i for i, item in enumerate(items) if item in items[:i]), 0)


def _subject(cause: Cause, judged: WordedCause, since: str) -> str:
    """What a later version allows, in a few words."""
    value = value_at(judged.tree, cause.path)
    if cause.kind == "missing":
        newer = {*known_keys(since, judged.tree, cause.path, every=True)} - {
            *known_keys(judged.version, judged.tree, cause.path, every=True)
        }
        return _quoted([key for key in value if key in newer], "and") + f" instead of '{cause.key}'"
    if cause.key:
        return f"Key '{_short(cause.key)}'"
    if isinstance(value, list | dict):
        return f"'{_name(cause.path)}' as {described(value)}"
    if _is_mistyped(cause, judged):
        return f"'{_name(cause.path)}' as text"
    shown = "…" if isinstance(value, str) and _hidden(value, cause.path) else _short(str(value))
    return f"'{_name(cause.path)}: {shown}'"


def _name(path: tuple[Step, ...]) -> str:
    """A path's last step by name; an item with the list it stands in."""
    start = next((i for i in range(len(path) - 1, -1, -1) if isinstance(path[i], str)), 0)
    return dotted(path[start:]) or "The document"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _hidden(value: str, path: tuple[Step, ...]) -> bool:
    return bool(_SECRET_VALUE.search(value)) or any(isinstance(s, str) and _SECRET_KEY.search(s) for s in path)


def described(value: Any, path: tuple[Step, ...] = ()) -> str:
    """What stands there, short, and without giving a secret away.

    >>> described("postgres://u:pw@host"), described(12), described({"a": 1})
    ('text that is not shown', 'the number 12', 'a mapping')
    """
    match value:
        case None:
            return "empty"
        case bool():
            return str(value).lower()
        case int() | Decimal() | float():
            return f"the number {_short(str(value))}"
        case str():
            return "text that is not shown" if _hidden(value, path) else f"the text '{_short(value)}'"
        case list():
            return "a list"
    return "a mapping"


def _either(words: Sequence[str]) -> str:
    if not words:
        return "another value"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _quoted(words: Sequence[str], joint: str) -> str:
    quoted = [f"'{word}'" for word in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {joint} {quoted[-1]}"


Words = tuple[str, str, str, str]


def _unknown(cause: Cause, judged: WordedCause) -> Words:
    known = known_keys(judged.version, judged.tree, cause.path)
    near = near_key(cause.key, known)
    there = value_at(judged.tree, cause.path)
    text = f"Key '{_short(cause.key)}' is not part of ODCS {judged.version} here"
    detail = f"Known keys: {', '.join(known)}" if 0 < len(known) <= _LISTED else ""
    if cause.key in _ARGUMENTS and "arguments" in known:
        return "unknown-key", text, "The key has no effect here", f"Move '{cause.key}' into arguments"
    if near and near not in there:
        opposite = " It means the opposite" if folded(cause.key) in _OPPOSITE else ""
        return "unknown-key", text, detail, f"Did you mean '{near}'?{opposite}"
    if not cause.path and cause.key in known_keys(judged.version, judged.tree, ("schema", 0)):
        return "unknown-key", text, detail, f"Move '{cause.key}' into an entry of schema"
    elsewhere = " or move it to customProperties" if "customProperties" in known else " or correct its spelling"
    return "unknown-key", text, detail, f"Remove '{_short(cause.key)}',{elsewhere}"


def _misplaced(cause: Cause, judged: WordedCause) -> Words:
    wanted = condition_values(judged.version, judged.tree, cause.path, cause.key)
    text = f"Key '{cause.key}' cannot be combined with the other keys here"
    detail = f"It belongs to {_either(wanted[:_LISTED])}" if wanted else ""
    return "misplaced-key", text, detail, f"Remove '{cause.key}', or correct the other keys"


def _forbidden(cause: Cause, judged: WordedCause) -> Words:
    on_property = cause.key == "from" and "relationships" in cause.path
    text = f"Key '{cause.key}' is not allowed here"
    detail = "A relationship of a property starts at that property" if on_property else ""
    return "misplaced-key", text, detail, f"Remove '{cause.key}'"


def _missing(cause: Cause, judged: WordedCause) -> Words:
    subs = schemas_at(judged.version, judged.tree, (*cause.path, cause.key))
    example = next((e for sub in subs for e in (*sub.get("enum", ())[:1], *sub.get("examples", ()))), None)
    shown = f", e.g. {cause.key}: {example}" if isinstance(example, str | int | float) else ""
    detail = f"{dotted(cause.path)} has none" if cause.path else ""
    return "missing-field", f"Required field '{cause.key}' is missing", detail, f"Add '{cause.key}'{shown}"


def _type(cause: Cause, judged: WordedCause) -> Words:
    value = value_at(judged.tree, cause.path)
    expected = _either([_TYPES.get(word, word) for word in cause.expected])
    text = f"'{_name(cause.path)}' is {described(value, cause.path)}, expected {expected}"
    return "wrong-type", text, "", _type_advice(value, cause.expected)


def _type_advice(value: Any, expected: tuple[str, ...]) -> str:
    if value is None:
        return "Give it a value, or remove the key"
    kind = "mapping" if isinstance(value, dict) else "other"
    if isinstance(value, str):
        kind = "text"
    advice = next((text for have, want, text in _ADVICE if want in expected and have in (kind, "any")), None)
    return advice or f"Write {_either([_TYPES.get(word, word) for word in expected])}"


def _enum(cause: Cause, judged: WordedCause) -> Words:
    value = value_at(judged.tree, cause.path)
    allowed = [word for word in cause.expected if word != "None"]
    near = _near_value(value, cause.path[-1:], allowed) if isinstance(value, str) else None
    text = f"'{_name(cause.path)}' is {described(value, cause.path)}, which is not one of the allowed values"
    if len(allowed) <= _LISTED:
        detail = f"Allowed: {', '.join(allowed)}"
    else:
        detail = f"Allowed: {', '.join(allowed[:_LISTED])} and {len(allowed) - _LISTED} more"
    advice = "Use one of the allowed values" + (", or 'custom'" if "custom" in allowed[_LISTED:] else "")
    return "invalid-value", text, detail, f"Did you mean '{near}'?" if near else advice


def _near_value(value: str, key: tuple[Step, ...], allowed: Sequence[str]) -> str | None:
    meant = _VALUES.get(str(key[0]), {}) if key else {}
    alias = next((word for word, others in meant.items() if folded(value) in others.split()), None)
    return alias if alias in allowed else near_key(value, allowed)


def _pattern(cause: Cause, judged: WordedCause) -> Words:
    value = value_at(judged.tree, cause.path)
    form = next((words for part, words in _FORMS.items() if any(part in p for p in cause.expected)), None)
    text = f"'{_name(cause.path)}' is {described(value, cause.path)}, which does not have the form that the standard requires"
    return "invalid-value", text, f"Expected {form or _short(cause.expected[0])}", "Correct the value"


def _several(cause: Cause, judged: WordedCause) -> Words:
    if not cause.expected:
        return "invalid-value", f"'{_name(cause.path)}' is ambiguous", "", "Keep one of the two forms"
    text = f"{_quoted(cause.expected, 'and')} are used in one entry, but only one is allowed"
    return "several-operators", text, "", "Write one entry for each"


def _none_of(cause: Cause, judged: WordedCause) -> Words:
    text = f"None of {_quoted(cause.expected, 'and')} is present"
    return "missing-field", text, f"{dotted(cause.path)} needs one of them", "Add one of them"


def _repeats(cause: Cause, judged: WordedCause) -> Words:
    items = value_at(judged.tree, cause.path)
    value = items[_repeated(items)]
    value = value.get("value", value) if isinstance(value, dict) else value
    text = f"'{_name(cause.path)}' lists {described(value, cause.path)} twice"
    return "invalid-value", text, "", "Keep one of the two"


_LIMITS = {
    "MinItems": "has {size}, at least {limit} needed",
    "MaxItems": "has {size}, at most {limit} allowed",
    "MinLength": "has {size}, at least {limit} needed",
    "MaxLength": "has {size}, at most {limit} allowed",
    "Minimum": "is {value}, at least {limit} needed",
    "Maximum": "is {value}, at most {limit} allowed",
    "ExclusiveMinimum": "is {value}, more than {limit} needed",
    "ExclusiveMaximum": "is {value}, less than {limit} needed",
}


def _limit(cause: Cause, judged: WordedCause) -> Words:
    value = value_at(judged.tree, cause.path)
    count, noun = 0, ""
    if isinstance(value, str | list):
        count, noun = len(value), "character" if isinstance(value, str) else "item"
    size = f"{count} {noun}{'' if count == 1 else 's'}"
    limit = cause.expected[0] if cause.expected else ""
    said = _LIMITS.get(cause.kind, "is {value}, which the standard does not allow").format(
        size=size, limit=limit, value=described(value, cause.path)
    )
    return "invalid-value", f"'{_name(cause.path)}' {said}", "", "Use a value the standard allows here"


_WORDS: dict[str, Callable[[Cause, WordedCause], Words]] = {
    "unknown": _unknown,
    "misplaced": _misplaced,
    "forbidden": _forbidden,
    "missing": _missing,
    "type": _type,
    "enum": _enum,
    "pattern": _pattern,
    "several": _several,
    "none-of": _none_of,
    "UniqueItems": _repeats,
}
