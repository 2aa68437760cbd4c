"""K6 items-made-unique and items-made-repeatable, K10 field-made-unique and field-made-repeatable."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import FieldPair
from floe.model.change import Bump, Impact


@change("items-made-unique", "K6", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, value=FieldPair)
def items_made_unique(field: FieldPair) -> Iterator[Delta]:
    """The elements of an array must now be unique.

    Why: every writer of an array with duplicates is refused.

    Fix: write arrays without duplicates first, then require it in a MAJOR version.
    """
    if _items(field) == (False, True):
        yield Delta(old=False, new=True, about=field.new)


@change("items-made-repeatable", "K6", bump=Bump.MINOR, reader=Impact.RISK, writer=Impact.OK, value=FieldPair)
def items_made_repeatable(field: FieldPair) -> Iterator[Delta]:
    """The elements of an array may now repeat.

    Why: readers that count or join the elements count some of them twice.

    Fix: notify readers before the first such array is written.
    """
    if _items(field) == (True, False):
        yield Delta(old=True, new=False, about=field.new)


@change("field-made-unique", "K10", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, value=FieldPair)
def field_made_unique(field: FieldPair) -> Iterator[Delta]:
    """The values of a field must now be unique.

    Why: writers of rows that repeat a value are refused.

    Fix: make sure that values do not repeat, then require it in a MAJOR version.
    """
    if (both := field.both) and (both[0].unique, both[1].unique) == (False, True):
        yield Delta(old=False, new=True, about=field.new)


@change("field-made-repeatable", "K10", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=FieldPair)
def field_made_repeatable(field: FieldPair) -> Iterator[Delta]:
    """The values of a field no longer have to be unique.

    Why: joins on the field multiply rows without an error.

    Fix: keep it unique, or publish a MAJOR version with a migration text.
    """
    if (both := field.both) and (both[0].unique, both[1].unique) == (True, False):
        yield Delta(old=True, new=False, about=field.new)


def _items(field: FieldPair) -> tuple[bool, bool] | None:
    if not (both := field.both):
        return None
    return both[0].options.get("uniqueItems") is True, both[1].options.get("uniqueItems") is True
