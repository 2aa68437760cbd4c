"""K14 encrypted-name-changed, K15 transform-logic-changed, K16 default-changed, K17 critical-element-changed."""

from collections.abc import Iterator
from typing import Any

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import FieldPair, custom_value
from floe.lang.json_text import plain
from floe.model.change import Bump, Impact

_OF_VECTORS = ("embeddingModel", "embeddingModelVersion", "normalized")


@change("encrypted-name-changed", "K14", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.BREAK, value=FieldPair)
def encrypted_name_changed(field: FieldPair) -> Iterator[Delta]:
    """The column with the encrypted value has another name.

    Why: it is a column name, and queries use it.

    Fix: keep the name, or publish a MAJOR version with a migration text.
    """
    yield from _written(field, "encryptedName")


@change("transform-logic-changed", "K15", bump=Bump.MINOR, reader=Impact.RISK, writer=Impact.OK, value=FieldPair)
def transform_logic_changed(field: FieldPair) -> Iterator[Delta]:
    """A value is computed differently, or a vector comes from another model.

    Why: the value may have another meaning under the same name and type.

    Fix: notify readers of the change and its date.
    """
    yield from _written(field, "transformLogic")
    for key in _OF_VECTORS:
        if (both := field.both) and both[0].options.get(key) != both[1].options.get(key):
            yield Delta(path=key, old=both[0].options.get(key), new=both[1].options.get(key), about=both[1])


@change("default-changed", "K16", bump=Bump.PATCH, reader=Impact.RISK, writer=Impact.RISK, value=FieldPair)
def default_changed(field: FieldPair) -> Iterator[Delta]:
    """The default that producers write for a missing value is new, changed or removed.

    Why: floe never fills in values; a producer that depends on the default of a required field writes nulls without it.

    Fix: make sure that producers fill the field themselves.
    """
    if not (both := field.both):
        return
    old, new = (custom_value(field, "default") for field in both)
    if plain(old) != plain(new):
        lost = new is None and both[1].required
        yield Delta(
            old=old, new=new, dangerous=lost, note="a required field loses its default" if lost else "", about=both[1]
        )


@change("critical-element-changed", "K17", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, value=FieldPair)
def critical_element_changed(field: FieldPair) -> Iterator[Delta]:
    """A field became a critical data element, or is one no longer.

    Why: it says how carefully the field is governed; its values stay the same.

    Fix: raise the PATCH version.
    """
    if not (both := field.both):
        return
    old, new = (field.node.get("criticalDataElement") is True for field in both)
    if old != new:
        yield Delta(old=old, new=new, about=both[1])


def _written(field: FieldPair, key: str) -> Iterator[Delta]:
    if not (both := field.both):
        return
    old, new = (_text(field.node.get(key)) for field in both)
    if old != new:
        yield Delta(old=old, new=new, about=both[1])


def _text(value: Any) -> Any:
    return value.strip() or None if isinstance(value, str) else value
