"""K7 enum-value-added, K8 enum-value-removed and enum-imposed, K9 enum-dropped and enum-reordered."""

from collections.abc import Iterator
from typing import Any

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import FieldPair
from floe.contract.formats.canonical import plain
from floe.lang.json_text import dumps
from floe.model.change import Bump, Impact


@change("enum-value-added", "K7", bump=Bump.MINOR, reader=Impact.RISK, writer=Impact.OK, value=FieldPair, basis="given")
def enum_value_added(field: FieldPair) -> Iterator[Delta]:
    """A listed value appears that was not there before.

    Why: readers branch on the list, and a new value falls through every branch.

    Fix: tell the readers before the first such value is written.
    """
    old, new = _listed(field)
    if old is not None and new is not None:
        yield from (Delta(new=value, about=field.new) for key, value in new.items() if key not in old)


@change("enum-value-removed", "K8", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, value=FieldPair)
def enum_value_removed(field: FieldPair) -> Iterator[Delta]:
    """A value is no longer listed.

    Why: every writer of that value is refused from then on.

    Fix: keep it listed until nobody writes it, or publish a MAJOR with a migration text.
    """
    old, new = _listed(field)
    if old is not None and new is not None:
        yield from (Delta(old=value, about=field.new) for key, value in old.items() if key not in new)


@change("enum-imposed", "K8", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, value=FieldPair)
def enum_imposed(field: FieldPair) -> Iterator[Delta]:
    """Values are listed where any value was good.

    Why: every writer of another value is refused from then on.

    Fix: see first which values there are, then list them in a MAJOR.
    """
    old, new = _listed(field)
    if old is None and new is not None:
        yield Delta(new=list(new.values()), about=field.new)


@change("enum-dropped", "K9", bump=Bump.MINOR, reader=Impact.RISK, writer=Impact.OK, value=FieldPair)
def enum_dropped(field: FieldPair) -> Iterator[Delta]:
    """Any value is good where values were listed.

    Why: readers that branch on the list meet values that are not in it.

    Fix: tell the readers before the first such value is written.
    """
    old, new = _listed(field)
    if old is not None and new is None:
        yield Delta(old=list(old.values()), about=field.new)


@change("enum-reordered", "K9", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, value=FieldPair)
def enum_reordered(field: FieldPair) -> Iterator[Delta]:
    """The same values are listed in another order.

    Why: the list says which values are good, not which comes first.

    Fix: nothing; raise the PATCH.
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
