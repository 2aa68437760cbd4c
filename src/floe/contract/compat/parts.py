"""The parts of a document that differ between two versions, key by key."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from floe.contract.compat.pairs import ContractPair
from floe.contract.formats import canonical
from floe.model import Map

# what stands on the contract and is judged part by part
_BELOW = ("version", "apiVersion", "id", "name", "domain", "dataProduct", "schema", "servers", "slaProperties", "roles")
_OWNERS = ("owner", "dataOwner", "contact", "domainContact", "steward")
_SEMANTICS = ("measures", "dimensions", "featureSet", "joinKeys", "snapshotKeys")
_LIFECYCLE = ("deprecation", "lifecycleState")


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A key, or a custom property, whose value differs; `path` is below the part it stands on."""

    path: str
    old: Any
    new: Any
    custom: str | None = None


def differing(old: Map, new: Map, kind: str, judged: Iterable[str] = ()) -> Iterator[DocumentPart]:
    """The keys of two mappings of one kind that say something else, custom properties by their names."""
    without = frozenset(judged)
    if old is new or old == new:
        return
    one, other = canonical.part(old, kind, without), canonical.part(new, kind, without)
    for key in sorted({*one, *other}):
        if key == "customProperties" and all(isinstance(side.get(key, {}), dict) for side in (one, other)):
            yield from _custom(one.get(key, {}), other.get(key, {}))
        elif one.get(key) != other.get(key):
            yield DocumentPart(key, one.get(key), other.get(key))


def _custom(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[DocumentPart]:
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            yield DocumentPart(f"customProperties.{name}", _value(old.get(name)), _value(new.get(name)), name)


def _value(entry: Any) -> Any:
    """What a custom property says; the whole entry where it says more than a value."""
    return entry["value"] if isinstance(entry, dict) and set(entry) == {"value"} else entry


def contract_parts(pair: ContractPair, topic: str) -> Iterator[DocumentPart]:
    """What differs on the contract itself and is about one topic."""
    old, new = (_divided(contract.node) for contract in (pair.old, pair.new))
    yield from (part for part in differing(old, new, "root", _BELOW) if _topic(part) == topic)


def _divided(node: Map) -> Map:
    """The contract's own keys, with the texts of its description and its migration guides apart from the rest."""
    out = Map(node.place)
    out.update({key: value for key, value in node.items() if key not in ("description", "authoritativeDefinitions")})
    out["status"] = "active" if node.get("status") is None else node["status"]
    text = node.get("description")
    out.update(
        {f"description.{key}": part for key, part in text.items()} if isinstance(text, dict) else {"description": text}
    )
    listed = node.get("authoritativeDefinitions")
    guides = [value for value in listed if _is_guide(value)] if isinstance(listed, list) else []
    out["migrationGuide"] = guides
    rest = [value for value in listed if not _is_guide(value)] if isinstance(listed, list) else listed
    out["authoritativeDefinitions"] = rest
    return out


def _is_guide(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get("type") == "migrationGuide"


def _topic(part: DocumentPart) -> str:
    name = part.custom or ""
    if name in _OWNERS or part.path in ("team", "support"):
        return "owner"
    if name.startswith("terms") or part.path in ("description.usage", "description.limitations"):
        return "terms"
    if name in _SEMANTICS:
        return "semantics"
    if name in _LIFECYCLE or part.path in ("status", "migrationGuide"):
        return "lifecycle"
    return {"price": "price", "customProperties.extends": "parent"}.get(part.path, "metadata")
