"""K7 enum-value-added, K8 enum-value-removed and enum-imposed, K9 enum-dropped and enum-reordered."""

from collections.abc import Iterator
from typing import Any

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import FieldPair
from floe.lang.json_text import dumps, plain
from floe.model.change import Bump, Impact


@change("enum-value-added", "K7", bump=Bump.MINOR, reader=Impact.RISK, writer=Impact.OK, value=FieldPair, basis="given")
def enum_value_added(field: FieldPair) -> Iterator[Delta]:
    """A valid value was added to the list.

    Why: readers branch on the list, and no branch handles the new value.

    Fix: notify readers before the first such value is written.
    """
    old, new = _listed(field)
    if old is not None and new is not None:
        yield from (Delta(new=value, about=field.new) for key, value in new.items() if key not in old)


@change("enum-value-removed", "K8", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, value=FieldPair)
def enum_value_removed(field: FieldPair) -> Iterator[Delta]:
    """A valid value was removed from the list.

    Why: every writer of this value is refused.

    Fix: keep it until nobody writes it, or publish a MAJOR version with a migration text.
    """
    old, new = _listed(field)
    if old is not None and new is not None:
        yield from (Delta(old=value, about=field.new) for key, value in old.items() if key not in new)


@change("enum-imposed", "K8", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, value=FieldPair)
def enum_imposed(field: FieldPair) -> Iterator[Delta]:
    """A list of valid values is new.

    Why: every writer of another value is refused.

    Fix: find out which values exist, then list them in a MAJOR version.
    """
    old, new = _listed(field)
    if old is None and new is not None:
        yield Delta(new=list(new.values()), about=field.new)


@change("enum-dropped", "K9", bump=Bump.MINOR, reader=Impact.RISK, writer=Impact.OK, value=FieldPair)
def enum_dropped(field: FieldPair) -> Iterator[Delta]:
    """The list of valid values was removed.

    Why: readers that branch on the list receive values that are not in it.

    Fix: notify readers before the first such value is written.
    """
    old, new = _listed(field)
    if old is not None and new is None:
        yield Delta(old=list(old.values()), about=field.new)


@change("enum-reordered", "K9", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, value=FieldPair)
def enum_reordered(field: FieldPair) -> Iterator[Delta]:
    """The order of the valid values changed.

    Why: the order has no meaning.

    Fix: raise the PATCH version.
    """
    old, new = _listed(field)
    if old is not None and new is not None and [k for k in old if k in new] != [k for k in new if k in old]:
        yield Delta(old=list(old.values()), new=list(new.values()), about=field.new)


def _listed(field: FieldPair) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The listed values of both versions, each once, by what makes them the same."""
    if not (both := field.both) or both[0].values == both[1].values is None:
        return None, None
    old, new = (
        None if field.values is None else {dumps(plain(value)): value for value in field.values} for field in both
    )
    return old, new
