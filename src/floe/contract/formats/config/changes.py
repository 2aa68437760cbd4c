"""changes.yaml: what a producer says beside a new version, and customProperty `migration`."""

from collections.abc import Iterator
from typing import Any

from floe.lang.dates import parse_day
from floe.model import ContractError, Finding, List, Map, Noun, Place, Severity, locate, yaml_text
from floe.model.migration import ListedChange

_GROUPS = ("breaking_changes", "compatible_changes")


def read(data: bytes | str, source: str) -> tuple[tuple[ListedChange, ...], list[Finding]]:
    """The entries of a changes.yaml, and what is wrong with it."""
    try:
        tree = yaml_text.parse(data, source)
    except ContractError as error:
        return (), list(error.findings)
    if tree is None:
        return (), []
    if not isinstance(tree, Map):
        return (), [_wrong(Place(source, 1, 1), "changes.yaml is not a mapping", f"Start it with {_GROUPS[0]}:")]
    found = [
        _wrong(tree.key_places[key], f"Unknown key '{key}' in changes.yaml", f"Use {' or '.join(_GROUPS)}")
        for key in tree
        if key not in _GROUPS
    ]
    entries: list[ListedChange] = []
    for group in _GROUPS:
        found += _read_group(tree, group, entries)
    return tuple(entries), found


def _read_group(tree: Map, group: str, entries: list[ListedChange]) -> Iterator[Finding]:
    listed = tree.get(group)
    if listed is None:
        return
    if not isinstance(listed, List):
        yield _wrong(tree.value_places[group], f"'{group}' is not a list", "List one change per item")
        return
    for item, place in zip(listed, listed.item_places, strict=True):
        named = isinstance(item, Map) and item.get("type") and (item.get("field") or item.get("new_field"))
        if not named:
            yield _wrong(place, f"An entry of '{group}' has no type and field", "Write {type: …, field: …}")
        else:
            entries.append(ListedChange(item, item))
            yield from deadline_findings(item)


def stated(part: Noun) -> tuple[dict[str, Any], list[Finding]]:
    """The migration text and deadline that a part of a contract carries as customProperty, and what is wrong with it."""
    entries = part.node.get("customProperties")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, Map) and entry.get("property") == "migration":
            value = entry.get("value")
            if isinstance(value, Map):
                text = value.get("text", value.get("migration"))
                plan = {"migration": text, "deadline": value.get("deadline")}
                return {key: said for key, said in plan.items() if said is not None}, list(deadline_findings(value))
            return ({"migration": str(value)}, []) if value not in (None, "") else ({}, [])
    return {}, []


def deadline_findings(node: Map) -> Iterator[Finding]:
    """Whether a deadline is a date."""
    deadline = node.get("deadline")
    if deadline is not None and parse_day(deadline) is None:
        yield Finding(
            "E528",
            "deadline-invalid",
            Severity.ERROR,
            f"Deadline '{deadline}' is not a date",
            "Consumers cannot plan with it",
            "Write it as 2026-12-31",
            locate(node, "deadline"),
            ("deadline",),
        )


def _wrong(place: Place, message: str, suggestion: str) -> Finding:
    return Finding("E501", "changes-invalid", Severity.ERROR, message, suggestion=suggestion, place=place)
