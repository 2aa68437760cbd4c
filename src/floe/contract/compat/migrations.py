"""Migration texts and deadlines, each beside the change it is about."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from floe.contract.compat.pairs import ContractPair, DatasetPair, FieldPair, Terms, pairs
from floe.contract.formats.config.changes import stated
from floe.contract.lint.rules.secret import without_secrets
from floe.lang.type_text import parse_type
from floe.model import Contract, Finding, Severity
from floe.model.change import Change, Diff
from floe.model.migration import ListedChange


@dataclass(frozen=True, slots=True)
class Migrations:
    """What consumers are told to do by path of a change, the entries that are about a change, and what is wrong."""

    by_path: dict[str, dict[str, Any]]
    used: frozenset[int]
    findings: tuple[Finding, ...]


def migrations(
    old: Contract, new: Contract, changes: Sequence[Change], listed: Sequence[ListedChange] = ()
) -> Migrations:
    """What fields, datasets and contract say, and over it what changes.yaml says."""
    said, found = _stated(old, new)
    by_path = {change.path: plan for change in changes if (plan := _nearest(said, change.path))}
    told = [(change, Diff(contract="", old=None, new=None, changes=()).told(change)) for change in changes]
    used: set[int] = set()
    for entry in listed:
        for change, shape in told:
            if _about(entry, change, shape):
                used.add(id(entry))
                by_path[change.path] = {**by_path.get(change.path, {}), **entry.plan}
                found += _disagrees(entry, shape)
    return Migrations(without_secrets(by_path), frozenset(used), tuple(found))


def not_made(entry: ListedChange) -> Finding:
    """What is said of an entry of changes.yaml that is about no change."""
    return Finding(
        "E528",
        "listed-change-not-made",
        Severity.WARNING,
        f"changes.yaml lists '{entry}', which the new version does not make",
        "The entry has no effect",
        "Remove the entry, or correct its type and field",
        entry.place,
    )


def _stated(old: Contract, new: Contract) -> tuple[dict[str, dict[str, Any]], list[Finding]]:
    """Migration texts by the path of the part that carries them; the new version's word before the old one's."""
    said: dict[str, dict[str, Any]] = {}
    found: list[Finding] = []
    for pair in pairs(old, new, Terms()):
        if not isinstance(pair, ContractPair | DatasetPair | FieldPair):
            continue
        for part in (pair.new, pair.old):
            plan, wrong = stated(part) if part else ({}, [])
            if part is pair.new or pair.new is None:
                found += wrong
            if plan:
                said.setdefault(pair.path, plan)
    return said, found


def _nearest(said: dict[str, dict[str, Any]], path: str) -> dict[str, Any]:
    """The text of the part itself, else of the nearest one that it stands in."""
    holding = [key for key in said if key in ("", path) or path.startswith((f"{key}.", f"{key}[", f"{key}{{"))]
    return dict(said[max(holding, key=len)]) if holding else {}


def _about(entry: ListedChange, change: Change, shape: dict[str, Any]) -> bool:
    values = entry.values
    if values.get("type") != shape["type"]:
        return False
    if shape["type"] == "field_renamed":
        return all(values.get(key) in (None, shape[key]) for key in ("old_field", "new_field"))
    if "new_value" in shape and values.get("new_value") not in (None, shape["new_value"]):
        return False
    return values.get("field") in (shape.get("field"), change.path)


def _disagrees(entry: ListedChange, shape: dict[str, Any]) -> Iterator[Finding]:
    """Where an entry gives other types than the two versions have."""
    for key in ("from", "to"):
        listed, made = entry.values.get(key), shape.get(key)
        if listed is not None and shape["type"] == "field_retyped" and _type(listed) != _type(made):
            yield Finding(
                "E528",
                "listed-change-differs",
                Severity.WARNING,
                f"changes.yaml lists '{entry}' {key} {listed}, the contract has {made}",
                "Consumers would get wrong information",
                f"Write {key}: {made}",
                entry.node.value_places[key],
            )


def _type(text: Any) -> str:
    try:
        return str(parse_type(str(text)))
    except ValueError:
        return str(text)
