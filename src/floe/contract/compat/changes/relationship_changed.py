"""B6 relationship-added and relationship-removed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import RelationshipPair, joined
from floe.model import Relationship
from floe.model.change import Bump, Impact


@change("relationship-added", "B6", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.RISK, value=RelationshipPair)
def relationship_added(pair: RelationshipPair) -> Iterator[Delta]:
    """A reference is new.

    Why: readers gain a guarantee; a writer whose rows have no match fails.

    Fix: raise the MINOR version.
    """
    if pair.new and not pair.old:
        yield Delta(new=_shown(pair.new), about=pair.new)


@change("relationship-removed", "B6", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=RelationshipPair)
def relationship_removed(pair: RelationshipPair) -> Iterator[Delta]:
    """A reference was removed, or points elsewhere.

    Why: joins that always found a row may find none.

    Fix: keep it, or publish a MAJOR version with a migration text.
    """
    if pair.old and (not pair.new or _said(pair.old) != _said(pair.new)):
        new = _shown(pair.new) if pair.new else None
        yield Delta(old=_shown(pair.old), new=new, about=pair.new or pair.old)


def _said(reference: Relationship) -> tuple[object, ...]:
    return reference.type, joined(reference)


def _shown(reference: Relationship) -> str:
    target = ", ".join(reference.target)
    kind = "" if reference.type == "foreignKey" else f" ({reference.type})"
    return (f"{', '.join(reference.source)} -> {target}" if reference.source else target) + kind
