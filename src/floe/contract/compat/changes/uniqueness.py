"""K6 items-made-unique and items-made-repeatable, K10 field-made-unique and field-made-repeatable."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import FieldPair
from floe.model.change import Bump, Impact


@change("items-made-unique", "K6", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, value=FieldPair)
def items_made_unique(field: FieldPair) -> Iterator[Delta]:
    """The items of a list may no longer repeat.

    Why: every writer of a list with repeated items is refused from then on.

    Fix: write lists without repetitions for a while, then ask for it in a MAJOR.
    """
    if _items(field) == (False, True):
        yield Delta(old=False, new=True, about=field.new)


@change("items-made-repeatable", "K6", bump=Bump.MINOR, reader=Impact.RISK, writer=Impact.OK, value=FieldPair)
def items_made_repeatable(field: FieldPair) -> Iterator[Delta]:
    """The items of a list may repeat.

    Why: readers that count or join the items count some of them twice.

    Fix: tell the readers before the first such list is written.
    """
    if _items(field) == (True, False):
        yield Delta(old=True, new=False, about=field.new)


@change("field-made-unique", "K10", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, value=FieldPair)
def field_made_unique(field: FieldPair) -> Iterator[Delta]:
    """No two rows may have the same value any more.

    Why: writers of rows that repeat a value are refused from then on.

    Fix: see first that values do not repeat, then ask for it in a MAJOR.
    """
    if (both := field.both) and (both[0].unique, both[1].unique) == (False, True):
        yield Delta(old=False, new=True, about=field.new)


@change("field-made-repeatable", "K10", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=FieldPair)
def field_made_repeatable(field: FieldPair) -> Iterator[Delta]:
    """Rows may have the same value where they never had.

    Why: every join on the field multiplies rows, and nothing fails.

    Fix: keep it unique, or publish a MAJOR with a migration text.
    """
    if (both := field.both) and (both[0].unique, both[1].unique) == (True, False):
        yield Delta(old=True, new=False, about=field.new)


def _items(field: FieldPair) -> tuple[bool, bool] | None:
    if not (both := field.both):
        return None
    return both[0].options.get("uniqueItems") is True, both[1].options.get("uniqueItems") is True
