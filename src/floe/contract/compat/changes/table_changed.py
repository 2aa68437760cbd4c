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

    Why: every query and every writer names the table.

    Fix: keep the name, or publish a MAJOR: it gets a table of its own, and the old one stays until retired.
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
    """A dataset becomes another kind of thing: a table, a view, a topic, files.

    Why: a view cannot be written, a topic cannot be queried; who reads it by its kind reads it otherwise.

    Fix: publish a MAJOR, or offer the other kind beside the old one.
    """
    old, new = (_text(part, "physicalType") for part in (dataset.old, dataset.new))
    if dataset.old and dataset.new and (old or "table").casefold() != (new or "table").casefold():
        yield Delta(old=old, new=new, about=dataset.new)


@change("grain-changed", "B5", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.BREAK, value=DatasetPair)
def grain_changed(dataset: DatasetPair) -> Iterator[Delta]:
    """A row stands for something else, as the text of the grain says it.

    Why: every count, sum and join means something else, and none of them fails.

    Fix: keep the grain, or publish a MAJOR; where only the wording changed, no program can tell.
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
