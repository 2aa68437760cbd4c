"""D1 to D23 type-changed, D11 timezone-changed."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.lattice import ALLOWED, NOT_APPLICABLE, REJECTED, TypeVerdict, compared, lengths, of_key
from floe.contract.compat.pairs import ContractPair, FieldPair
from floe.contract.compat.stores import verdict_names
from floe.contract.formats.canonical import words
from floe.contract.formats.odcs import logical_type
from floe.contract.formats.options import UTC_NAMES
from floe.model import Field
from floe.model.change import FORMATS, Bump, Impact
from floe.model.types import Atomic, Text, Type

_BOUND, _OPEN = "D13", "D22"
_INSIDE = {"item": "D18", "value": "D18", "key": "D19"}
_NOT_SEEN = dict.fromkeys(FORMATS, NOT_APPLICABLE)
_ZONES = {"timezone": True, "defaultTimezone": "Etc/UTC"}


@change(
    "type-changed", "D22", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.BREAK, value=FieldPair, basis="given"
)
def type_changed(field: FieldPair) -> Iterator[Delta]:
    """A field has another type: wider, narrower or incompatible.

    Why: the gate compares types exactly, and readers cast, compare and store by type.

    Fix: add a field of the new type in addition to the old one, or publish a MAJOR version with a migration text.
    """
    if not (both := field.both):
        return
    old, new = both
    if _unread(old) or _unread(new):
        yield from _texts(old, new)
    elif found := compared(old.type, new.type):
        shown = (_shown(old.type), _shown(new.type))
        if bound_moves(old, new):
            found = lengths(_longest(old), _longest(new))
            shown = (_shown_bound(old), _shown_bound(new))
        yield _delta(field, found, shown, new)
    elif _dimensions(old) != _dimensions(new):
        shown = (f"vector({_dimensions(old)})", f"vector({_dimensions(new)})")
        yield Delta(old=shown[0], new=shown[1], row="D14", klass="incompatible", formats=_NOT_SEEN, about=new)
    elif found := _logical(field.contracts, old, new):
        yield replace(_delta(field, found, (old.logical_type, new.logical_type), new), note="logicalType")


def _delta(field: FieldPair, found: TypeVerdict, shown: tuple[Any, Any], about: Field) -> Delta:
    """A verdict as a change of this field; inside a container it has the container's row and keeps its own verdict."""
    inside = _INSIDE.get(field.place) if found.row not in (_BOUND, _OPEN) else None
    if inside == "D19":
        found = of_key(found)
    return Delta(
        old=shown[0],
        new=shown[1],
        row=inside or found.row,
        bump=_bump(found, field.contracts),
        reader=found.reader,
        writer=found.writer,
        dangerous=found.bump is Bump.MINOR,
        klass=found.klass,
        formats=found.formats,
        note=f"as {found.row}" if inside else "",
        about=about,
    )


def _bump(found: TypeVerdict, contracts: ContractPair) -> Bump:
    """MINOR for a widening where the settings say so and every server's format allows it."""
    if not contracts.terms.widening_is_minor or found.klass != "widening":
        return found.bump
    names = verdict_names(contracts.new, contracts.terms.table_format)
    return Bump.MINOR if names and all(found.formats[name] == ALLOWED for name in names) else found.bump


def _shown(type_: Type) -> str:
    """A type with the number that Spark does not keep."""
    return f"{type_}({type_.size})" if isinstance(type_, Atomic) and type_.size is not None else str(type_)


def bound_moves(old: Field, new: Field) -> bool:
    """Whether the length of a text is bounded by its type on one side and by an option alone on the other."""
    varying = [field for field in (old, new) if isinstance(field.type, Text) and field.type.kind == "varchar"]
    return len(varying) == 1 and any(_by_option(field) for field in (old, new))


def _by_option(field: Field) -> bool:
    return field.type == Atomic("string") and isinstance(field.options.get("maxLength"), int)


def _longest(field: Field) -> int | None:
    said = [field.type.length] if isinstance(field.type, Text) else []
    bound = field.options.get("maxLength")
    return min([*said, *([bound] if isinstance(bound, int) else [])], default=None)


def _shown_bound(field: Field) -> str:
    bound = field.options.get("maxLength")
    return f"{_shown(field.type)} maxLength {bound}" if isinstance(bound, int) else _shown(field.type)


def _dimensions(field: Field) -> Any:
    """The length of a vector, which no format keeps."""
    return field.options.get("dimensions") if field.logical_type == "vector" else None


def _unread(field: Field) -> str | None:
    """The physical type as written, where it cannot be read as a type."""
    text = field.physical_type
    return text if text and (field.type_error or "${" in text) else None


def _texts(old: Field, new: Field) -> Iterator[Delta]:
    """Physical types of which one cannot be read are the same only when their words are."""
    if words(old.physical_type) != words(new.physical_type):
        note = "an unknown physical type is compared as text"
        yield Delta(old=old.physical_type, new=new.physical_type, klass="incompatible", note=note, about=new)


def _logical(contracts: ContractPair, old: Field, new: Field) -> TypeVerdict | None:
    """What another logical type over the same physical type means."""
    if not old.logical_type or not new.logical_type or old.logical_type == new.logical_type or old.fields or new.fields:
        return None
    before = logical_type(old.logical_type, contracts.old.api_version)
    return compared(before, logical_type(new.logical_type, contracts.new.api_version))


@change(
    "timezone-changed", "D11", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.BREAK, value=FieldPair, basis="given"
)
def timezone_changed(field: FieldPair) -> Iterator[Delta]:
    """A timestamp is written in another time zone, or with a time zone instead of without.

    Why: readers compute other points in time from the same values without an error.

    Fix: keep the time zone, or publish a MAJOR version with a migration text.
    """
    if not (both := field.both) or both[0].type != both[1].type:
        return
    for key, default in _ZONES.items():
        old, new = (_zone(field.options.get(key, default)) for field in both)
        if old != new:
            formats = dict.fromkeys(FORMATS, REJECTED)
            said = (f"{key} {_word(old)}", f"{key} {_word(new)}")
            yield Delta(old=said[0], new=said[1], klass="incompatible", formats=formats, about=both[1])


def _zone(value: Any) -> Any:
    return UTC_NAMES[1] if value in UTC_NAMES else value


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
