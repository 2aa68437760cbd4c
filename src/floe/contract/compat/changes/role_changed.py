"""I4 role-added, role-removed and role-changed."""

import re
from collections.abc import Iterator
from typing import Any

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair, ServerPair
from floe.contract.formats.canonical import part
from floe.contract.formats.odcs import step
from floe.model import Map
from floe.model.change import Bump, Impact

Role = dict[str, Any]
_WORD = re.compile(r"[a-z]+")
# what a word of access lets one do
_RIGHTS = {
    "read": "r",
    "select": "r",
    "readonly": "r",
    "view": "r",
    "viewer": "r",
    "write": "w",
    "readwrite": "rw",
    "rw": "rw",
    "r": "r",
    "w": "w",
    "admin": "rwa",
    "owner": "rwa",
    "all": "rwa",
}
_JOINS = ("and", "only", "access")


@change("role-added", "I4", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.OK, value=ContractPair | ServerPair)
def role_added(pair: ContractPair | ServerPair) -> Iterator[Delta]:
    """A role is new.

    Why: existing access stays the same.

    Fix: raise the MINOR version.
    """
    for name, old, new in _roles(pair):
        if new is not None and old is None:
            yield Delta(path=_path(name), new=new.get("access"))


@change("role-removed", "I4", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=ContractPair | ServerPair)
def role_removed(pair: ContractPair | ServerPair) -> Iterator[Delta]:
    """A role was removed.

    Why: consumers that use it lose access.

    Fix: keep it until its holders have migrated, or publish a MAJOR version.
    """
    for name, old, new in _roles(pair):
        if old is not None and new is None:
            yield Delta(path=_path(name), old=old.get("access"))


@change("role-changed", "I4", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=ContractPair | ServerPair)
def role_changed(pair: ContractPair | ServerPair) -> Iterator[Delta]:
    """The access or description of a role changed.

    Why: consumers that use removed permissions are refused.

    Fix: keep the role and add another one, or publish a MAJOR version; more permissions are MINOR, a description is
    PATCH.
    """
    for name, old, new in _roles(pair):
        if old is None or new is None or old == new:
            continue
        one, other = old.get("access"), new.get("access")
        if one != other:
            yield _access(name, one, other)
        changed = [key for key in sorted({*old, *new}) if key != "access" and old.get(key) != new.get(key)]
        if changed:
            before, after = ({key: role.get(key) for key in changed} for role in (old, new))
            yield Delta(path=_path(name), old=before, new=after, bump=Bump.PATCH, reader=Impact.OK)


def _access(name: str, value: Any, other: Any) -> Delta:
    before, after = _rights(value), _rights(other)
    if before is None or after is None:
        note = "the two cannot be compared"
        return Delta(path=_path(name), old=value, new=other, note=note)
    if before == after:
        return Delta(path=_path(name), old=value, new=other, bump=Bump.PATCH, reader=Impact.OK)
    if before < after:
        return Delta(path=_path(name), old=value, new=other, bump=Bump.MINOR, reader=Impact.OK, note="widened")
    return Delta(path=_path(name), old=value, new=other, note="narrowed")


def _rights(access: Any) -> frozenset[str] | None:
    words = [word for word in _WORD.findall(str(access).lower()) if word not in _JOINS]
    return frozenset("".join(_RIGHTS[word] for word in words)) if words and all(w in _RIGHTS for w in words) else None


def _path(name: str) -> str:
    return f"roles.{step(name)}"


def _roles(pair: ContractPair | ServerPair) -> Iterator[tuple[str, Role | None, Role | None]]:
    """Each role of both versions by its name."""
    if pair.old and pair.new:
        old, new = _by_name(pair.old.node), _by_name(pair.new.node)
        yield from ((name, old.get(name), new.get(name)) for name in sorted({*old, *new}))


def _by_name(node: Map) -> dict[str, Role]:
    listed = node.get("roles")
    roles = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    return {str(entry.get("role")): part(entry, "roles") or {} for entry in roles}
