"""H1 measure-added, -removed and -changed, H2 dimension-added, -removed and -changed."""

from collections.abc import Iterator
from typing import Any

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair, DatasetPair
from floe.contract.compat.token_equal import same_sql
from floe.contract.formats.odcs import step
from floe.lang.json_text import plain
from floe.model import Contract, Dataset
from floe.model.change import Bump, Impact

Entry = dict[str, Any]
_MEANINGS = ("expression", "column", "field")
_SAME: dict[str, Any] = {"bump": Bump.PATCH, "reader": Impact.OK, "note": "computed as before"}
Both = tuple[str, Entry | None, Entry | None]


@change("measure-added", "H1", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.OK, value=ContractPair | DatasetPair)
def measure_added(pair: ContractPair | DatasetPair) -> Iterator[Delta]:
    """A measure is new.

    Why: readers may use it; nothing else changes.

    Fix: raise the MINOR version.
    """
    yield from _added(pair, "measure")


@change(
    "measure-removed", "H1", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=ContractPair | DatasetPair
)
def measure_removed(pair: ContractPair | DatasetPair) -> Iterator[Delta]:
    """A measure was removed.

    Why: reports that use it fail.

    Fix: keep it, or publish a MAJOR version with a migration text.
    """
    yield from _removed(pair, "measure")


@change(
    "measure-changed", "H1", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=ContractPair | DatasetPair
)
def measure_changed(pair: ContractPair | DatasetPair) -> Iterator[Delta]:
    """The expression or description of a measure changed.

    Why: the same name gives another number without an error.

    Fix: give the new computation its own name, or publish a MAJOR version.
    """
    yield from _changed(pair, "measure")


@change("dimension-added", "H2", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.OK, value=ContractPair | DatasetPair)
def dimension_added(pair: ContractPair | DatasetPair) -> Iterator[Delta]:
    """A dimension is new.

    Why: readers may group by it; nothing else changes.

    Fix: raise the MINOR version.
    """
    yield from _added(pair, "dimension")


@change(
    "dimension-removed", "H2", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=ContractPair | DatasetPair
)
def dimension_removed(pair: ContractPair | DatasetPair) -> Iterator[Delta]:
    """A dimension was removed.

    Why: reports that group by it fail.

    Fix: keep it, or publish a MAJOR version with a migration text.
    """
    yield from _removed(pair, "dimension")


@change(
    "dimension-changed", "H2", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=ContractPair | DatasetPair
)
def dimension_changed(pair: ContractPair | DatasetPair) -> Iterator[Delta]:
    """The expression or description of a dimension changed.

    Why: the same name groups by something else without an error.

    Fix: give the new dimension its own name, or publish a MAJOR version.
    """
    yield from _changed(pair, "dimension")


def _added(pair: ContractPair | DatasetPair, kind: str) -> Iterator[Delta]:
    for name, old, new in _entries(pair, kind):
        if new is not None and old is None:
            yield Delta(path=_path(kind, name), new=_shown(new), about=pair.new)


def _removed(pair: ContractPair | DatasetPair, kind: str) -> Iterator[Delta]:
    for name, old, new in _entries(pair, kind):
        if old is not None and new is None:
            yield Delta(path=_path(kind, name), old=_shown(old), about=pair.old)


def _changed(pair: ContractPair | DatasetPair, kind: str) -> Iterator[Delta]:
    for name, old, new in _entries(pair, kind):
        if old is None or new is None or old == new:
            continue
        one, other = _meaning(old), _meaning(new)
        if one != other:
            same: dict[str, Any] = _SAME if same_sql(one, other) else {}
            yield Delta(path=_path(kind, name), old=one, new=other, about=pair.new, **same)
        if _rest(old) != _rest(new):
            yield Delta(path=_path(kind, name), old=_rest(old), new=_rest(new), about=pair.new, **_SAME)


def _path(kind: str, name: str) -> str:
    return f"{kind}s.{step(name)}"


def _meaning(entry: Entry) -> Any:
    """What is computed: the expression, or the column it takes."""
    return next((entry[key] for key in _MEANINGS if entry.get(key) is not None), None)


def _rest(entry: Entry) -> Entry:
    meaning = next((key for key in _MEANINGS if entry.get(key) is not None), None)
    return {key: value for key, value in entry.items() if key not in ("name", meaning) and value is not None}


def _shown(entry: Entry) -> Any:
    return _meaning(entry) or entry.get("name")


def _entries(pair: ContractPair | DatasetPair, kind: str) -> Iterator[Both]:
    """Each measure or dimension of both versions by its name."""
    if pair.old and pair.new:
        old, new = _listed(pair.old, kind), _listed(pair.new, kind)
        yield from ((name, old.get(name), new.get(name)) for name in sorted({*old, *new}))


def _listed(dataset: Contract | Dataset, kind: str) -> dict[str, Entry]:
    said = dataset.custom.get(f"{kind}s")
    entries = [*_described(said), *_properties(dataset, kind)]
    return {str(entry.get("name")): entry for entry in entries}


def _described(said: Any) -> Iterator[Entry]:
    """The entries of a custom property: a list of mappings or names, or a mapping by name."""
    match said:
        case list():
            yield from (plain(value) if isinstance(value, dict) else {"name": str(value)} for value in said)
        case dict():
            for name, one in said.items():
                yield (
                    {"name": name, **plain(one)} if isinstance(one, dict) else {"name": name, "expression": plain(one)}
                )


def _properties(dataset: Contract | Dataset, kind: str) -> Iterator[Entry]:
    """Properties that v3.2 marks as measure or dimension, in the words of the custom property."""
    properties = dataset.node.get("properties")
    for node in properties if isinstance(properties, list) else ():
        if isinstance(node, dict) and node.get("semanticType") == kind:
            said = {key: plain(value) for key, value in node.items() if key not in ("semanticType", "transformLogic")}
            yield {**said, "expression": plain(node.get("transformLogic"))}
