"""Fields that may have been renamed though nothing says so: a hint, never a verdict."""

from collections import defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from floe.lang.json_text import dumps
from floe.model import Field

_ALIKE = 0.6
# beyond this many names of one type a likeness says nothing, and takes long to find
_MOST = 50


def rename_hints(gone: Sequence[Field], added: Sequence[Field]) -> dict[str, str]:
    """By column, what it may have been renamed to or from: same type and constraints, a similar name."""
    if not gone or not added:
        return {}
    groups: defaultdict[str, tuple[list[Field], list[Field]]] = defaultdict(lambda: ([], []))
    for side, fields in enumerate((gone, added)):
        for field in fields:
            groups[_facts(field)][side].append(field)
    found: dict[str, str] = {}
    for olds, news in groups.values():
        if len(olds) <= _MOST and len(news) <= _MOST:
            found.update(_alike(olds, news))
    return found


def _facts(field: Field) -> str:
    """What two fields must share to be one field under two names."""
    values: Any = field.values
    return dumps([str(field.type), field.required, field.unique, dict(field.options), values])


def _alike(gone: list[Field], added: list[Field]) -> dict[str, str]:
    scored = [(_likeness(old.column, new.column), old.column, new.column) for old in gone for new in added]
    found: dict[str, str] = {}
    for likeness, old, new in sorted(scored, reverse=True):
        if likeness >= _ALIKE and old not in found and new not in found:
            found[old] = f"perhaps renamed to '{new}'; declare it with the same id or customProperty renamedFrom"
            found[new] = f"perhaps renamed from '{old}'; declare it with the same id or customProperty renamedFrom"
    return found


def _likeness(name: str, other: str) -> float:
    return SequenceMatcher(None, name.casefold(), other.casefold()).ratio()
