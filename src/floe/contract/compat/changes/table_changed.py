"""B3 table-renamed, B4 table-kind-changed and B5 grain-changed."""

from collections.abc import Iterator
from typing import Any

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import DatasetPair
from floe.model import Contract, Dataset
from floe.model.change import Bump, Impact


@change("table-renamed", "B3", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.BREAK, value=DatasetPair)
def table_renamed(dataset: DatasetPair) -> Iterator[Delta]:
    """A dataset has another name, physical name or layer.

    Why: all queries and writers use the name of the table.

    Fix: keep the name, or publish a MAJOR version: it gets its own table, and the old table stays until it is retired.
    """
    if not (dataset.old and dataset.new):
        return
    old, new = dataset.old, dataset.new
    if old.name != new.name:
        yield Delta(old=old.name, new=new.name, about=new)
    tables = {old.physical_name or old.name, new.physical_name or new.name}
    if len(tables) == 2 and (old.physical_name or new.physical_name):
        yield Delta(path="physicalName", old=old.physical_name, new=new.physical_name, about=new)
    layers = _layer(dataset.contracts.old, old), _layer(dataset.contracts.new, new)
    if layers[0] != layers[1]:
        yield Delta(path="layer", old=layers[0], new=layers[1], about=new)


def _layer(contract: Contract, dataset: Dataset) -> Any:
    """The layer as the contract says it; a folder's name is no part of it."""
    return dataset.custom.get("layer") or contract.custom.get("layer")


@change("table-kind-changed", "B4", bump=Bump.MAJOR, reader=Impact.RISK, writer=Impact.BREAK, value=DatasetPair)
def table_kind_changed(dataset: DatasetPair) -> Iterator[Delta]:
    """The kind of a dataset changed, e.g. from a table to a view, a topic or files.

    Why: a view cannot be written and a topic cannot be queried, so readers and writers need other code.

    Fix: publish a MAJOR version, or offer the new kind in addition to the old one.
    """
    old, new = (_text(part, "physicalType") for part in (dataset.old, dataset.new))
    if dataset.old and dataset.new and (old or "table").casefold() != (new or "table").casefold():
        yield Delta(old=old, new=new, about=dataset.new)


@change("grain-changed", "B5", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.BREAK, value=DatasetPair)
def grain_changed(dataset: DatasetPair) -> Iterator[Delta]:
    """The text that describes the grain changed, so a row may represent something else.

    Why: counts, sums and joins change their meaning without failing.

    Fix: keep the grain, or publish a MAJOR version. No program can decide whether only the wording changed.
    """
    old, new = (_text(part, "dataGranularityDescription") for part in (dataset.old, dataset.new))
    if not (dataset.old and dataset.new) or old == new:
        return
    if _folded(old) == _folded(new):
        yield Delta(old=old, new=new, bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, about=dataset.new)
    else:
        yield Delta(old=old, new=new, about=dataset.new)


def _text(dataset: Dataset | None, key: str) -> str | None:
    value = dataset.node.get(key) if dataset else None
    return None if value is None else str(value)


def _folded(text: str | None) -> list[str]:
    return (text or "").casefold().split()
