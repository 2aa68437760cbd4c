"""C4 field-renamed, C5 physical-name-changed, C9 field-case-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import FieldPair
from floe.model import Field
from floe.model.change import Bump, Impact


@change(
    "field-renamed", "C4", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.BREAK, value=FieldPair, basis="given"
)
def field_renamed(field: FieldPair) -> Iterator[Delta]:
    """A field has another name, according to its stable id or `renamedFrom`.

    Why: queries and references that use the old name fail, even if the table format renames in place.

    Fix: offer both names until consumers have migrated, or publish a MAJOR version with a migration text.
    """
    if (names := _names(field)) and not _same(*names) and not _only_physical(field):
        yield Delta(old=names[0], new=names[1], about=field.new)


@change("physical-name-changed", "C5", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.BREAK, value=FieldPair)
def physical_name_changed(field: FieldPair) -> Iterator[Delta]:
    """A field keeps its name in the contract but has another column name in the table.

    Why: SQL uses the physical name.

    Fix: keep the column name, or publish a MAJOR version with a migration text.
    """
    if (names := _names(field)) and not _same(*names) and _only_physical(field):
        yield Delta(old=names[0], new=names[1], about=field.new)


@change("field-case-changed", "C9", bump=Bump.MAJOR, reader=Impact.RISK, writer=Impact.RISK, value=FieldPair)
def field_case_changed(field: FieldPair) -> Iterator[Delta]:
    """A field name changed only in upper and lower case.

    Why: Spark ignores case; JSON, Iceberg and Python do not.

    Fix: keep the name as it was.
    """
    if (names := _names(field)) and _same(*names):
        yield Delta(old=names[0], new=names[1], about=field.new)


def _names(field: FieldPair) -> tuple[str, str] | None:
    """Old and new name, where they differ: the column's, else the contract's own."""
    if not (both := field.both):
        return None
    old, new = both
    if old.column != new.column:
        return old.column, new.column
    return (old.name, new.name) if old.name != new.name and not _unnamed(old, new) else None


def _unnamed(old: Field, new: Field) -> bool:
    return not old.name or not new.name


def _same(old: str, new: str) -> bool:
    return old.casefold() == new.casefold()


def _only_physical(field: FieldPair) -> bool:
    return bool((both := field.both) and both[0].name == both[1].name)
