"""K1 bound-tightened and K2 bound-loosened."""

from collections.abc import Iterator

from floe.contract.compat.changes.type_changed import bound_moves
from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import FieldPair
from floe.contract.formats.options import Bound, bounds
from floe.model.change import Bump, Impact


@change("bound-tightened", "K1", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, value=FieldPair)
def bound_tightened(field: FieldPair) -> Iterator[Delta]:
    """A bound is new or stricter, so values that were valid are invalid.

    Why: writers of such values are refused.

    Fix: keep the old bound, or publish a MAJOR version with a migration text.
    """
    for old, new in _moved(field):
        if new and (old is None or not old.looser(new)):
            yield Delta(old=str(old) if old else None, new=str(new), about=field.new)


@change("bound-loosened", "K2", bump=Bump.MINOR, reader=Impact.BREAK, writer=Impact.OK, value=FieldPair)
def bound_loosened(field: FieldPair) -> Iterator[Delta]:
    """A bound was removed or is less strict, so values that were invalid are valid.

    Why: readers that depend on the bound, e.g. in a column width or a branch, receive values beyond it.

    Fix: notify readers before the first such value is written.
    """
    for old, new in _moved(field):
        if old and (new is None or old.looser(new)):
            yield Delta(old=str(old), new=str(new) if new else None, dangerous=True, about=field.new)


def _moved(field: FieldPair) -> Iterator[tuple[Bound | None, Bound | None]]:
    """Bounds that are not what they were, old and new."""
    if not (both := field.both) or not (both[0].options or both[1].options):
        return
    for old, new in zip(bounds(both[0].options), bounds(both[1].options), strict=True):
        if "maxLength" in [bound.key for bound in (old, new) if bound] and bound_moves(*both):
            continue  # judged with the type (D13)
        if (old is None) != (new is None) or (old and new and old.differs(new)):
            yield old, new
