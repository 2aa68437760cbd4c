"""K3 pattern-…, K4 format-…, K5 multiple-…: rules about the form of a value."""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import FieldPair
from floe.contract.formats.odcs import NUMBER_FORMATS
from floe.model import Field
from floe.model.change import Bump, Impact


@change("pattern-changed", "K3", bump=Bump.MAJOR, reader=Impact.RISK, writer=Impact.BREAK, value=FieldPair)
def pattern_changed(field: FieldPair) -> Iterator[Delta]:
    """A pattern is new or changed.

    Why: no program can decide whether the new pattern accepts everything that the old one did, so writers may be
    refused.

    Fix: keep the pattern, or publish a MAJOR version with a migration text.
    """
    yield from _imposed(field, *_options(field, "pattern"))


@change("pattern-removed", "K3", bump=Bump.MINOR, reader=Impact.RISK, writer=Impact.OK, value=FieldPair)
def pattern_removed(field: FieldPair) -> Iterator[Delta]:
    """A pattern was removed.

    Why: readers that parse the text by this pattern receive other texts.

    Fix: notify readers before the first such text is written.
    """
    yield from _dropped(field, *_options(field, "pattern"))


@change("format-changed", "K4", bump=Bump.MAJOR, reader=Impact.RISK, writer=Impact.BREAK, value=FieldPair)
def format_changed(field: FieldPair) -> Iterator[Delta]:
    """A format is new or changed.

    Why: writers of the old format are refused, and readers parse by it.

    Fix: keep the format, or publish a MAJOR version with a migration text.
    """
    yield from _imposed(field, *_formats(field))


@change("format-removed", "K4", bump=Bump.MINOR, reader=Impact.RISK, writer=Impact.OK, value=FieldPair)
def format_removed(field: FieldPair) -> Iterator[Delta]:
    """A format was removed.

    Why: readers that parse by this format receive other values.

    Fix: notify readers before the first such value is written.
    """
    yield from _dropped(field, *_formats(field))


@change("multiple-tightened", "K5", bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK, value=FieldPair)
def multiple_tightened(field: FieldPair) -> Iterator[Delta]:
    """A multipleOf is new, or is not a divisor of the old one.

    Why: writers of the other multiples are refused.

    Fix: keep the old step, or publish a MAJOR version with a migration text.
    """
    old, new = _options(field, "multipleOf")
    if new is not None and not _equal(old, new) and not _divides(new, old):
        yield Delta(old=old, new=new, about=field.new)


@change("multiple-loosened", "K5", bump=Bump.MINOR, reader=Impact.RISK, writer=Impact.OK, value=FieldPair)
def multiple_loosened(field: FieldPair) -> Iterator[Delta]:
    """A multipleOf was removed, or is a divisor of the old one.

    Why: readers that count in the old steps receive numbers between them.

    Fix: notify readers before the first such number is written.
    """
    old, new = _options(field, "multipleOf")
    if old is not None and not _equal(old, new) and (new is None or _divides(new, old)):
        yield Delta(old=old, new=new, about=field.new)


def _options(field: FieldPair, key: str) -> tuple[Any, Any]:
    return (both[0].options.get(key), both[1].options.get(key)) if (both := field.both) else (None, None)


def _formats(field: FieldPair) -> tuple[Any, Any]:
    """Old and new format; what names a number's type is none."""
    return (_format(both[0]), _format(both[1])) if (both := field.both) else (None, None)


def _format(field: Field) -> Any:
    written = field.options.get("format")
    return None if field.logical_type in ("integer", "number") and written in NUMBER_FORMATS else written


def _imposed(field: FieldPair, old: Any, new: Any) -> Iterator[Delta]:
    if new is not None and old != new:
        yield Delta(old=old, new=new, reader=Impact.OK if old is None else None, about=field.new)


def _dropped(field: FieldPair, old: Any, new: Any) -> Iterator[Delta]:
    if old is not None and new is None:
        yield Delta(old=old, about=field.new)


def _equal(old: Any, new: Any) -> bool:
    try:
        return Decimal(str(old)) == Decimal(str(new))
    except InvalidOperation:
        return bool(old == new)


def _divides(divisor: Any, number: Any) -> bool:
    """Whether every multiple of a number is one of the divisor."""
    try:
        return bool(Decimal(str(number)) % Decimal(str(divisor)) == 0)
    except (InvalidOperation, ZeroDivisionError):
        return False
