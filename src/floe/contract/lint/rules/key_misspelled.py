"""E501 key-misspelled."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from floe.contract.formats.odcs import known_keys
from floe.contract.formats.odcs.near_key import near_key
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf
from floe.model import Contract, Map, Message, Severity, Step

# the lists at the root whose entries the standard's JSON Schema leaves open in some versions
_LISTS = ("servers", "slaProperties", "support", "team", "roles")


@rule("E501", "key-misspelled", Severity.WARNING, value=(Contract, RuleOf))
def key_misspelled(part: Contract | RuleOf) -> Iterator[Message]:
    """A key is similar to a key of the standard, at a place where the JSON Schema allows any key.

    Why: no program reads the key as it is spelled, so its value has no effect.

    Fix: correct the spelling, or move your own keys to customProperties.
    """
    if isinstance(part, RuleOf):
        yield from _misspelled(part.noun.node, (), ("schema", 0, "quality", 0))
        return
    for name in _LISTS:
        entries = part.node.get(name)
        for i, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, Map):
                yield from _misspelled(entry, (name, i), (name, 0))


def _misspelled(node: Mapping[str, Any], at: tuple[Step, ...], kind: tuple[Step, ...]) -> Iterator[Message]:
    known = _known(kind)
    for key in node:
        if key in known:
            continue
        near = near_key(key, known)
        if near and near not in node:
            yield Message(
                f"Key '{key}' is not part of the standard and has no effect",
                f"It is similar to '{near}'",
                f"Write '{near}', or move your own keys to customProperties",
                at=(*at, key),
                key=True,
                alike=key,
            )


@lru_cache(maxsize=len(_LISTS) + 1)
def _known(kind: tuple[Step, ...]) -> tuple[str, ...]:
    """The keys that the oldest and the newest version know at a place, whatever else stands there."""
    versions = ("v3.2.0", "v3.0.2")
    return tuple(dict.fromkeys(key for version in versions for key in known_keys(version, {}, kind, every=True)))
