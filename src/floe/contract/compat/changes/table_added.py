"""B1 table-added and B2 table-removed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import DatasetPair
from floe.model.change import Bump, Impact


@change("table-added", "B1", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.RISK, value=DatasetPair)
def table_added(dataset: DatasetPair) -> Iterator[Delta]:
    """A dataset is promised in addition.

    Why: readers go on as before; somebody has to fill it from now on.

    Fix: nothing; raise the MINOR.
    """
    if dataset.new and not dataset.old:
        yield Delta(new=dataset.new.physical_name or dataset.new.name, about=dataset.new)


@change("table-removed", "B2", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=DatasetPair)
def table_removed(dataset: DatasetPair) -> Iterator[Delta]:
    """A dataset that was promised is no longer there.

    Why: everything that reads it fails.

    Fix: keep it until its consumers have moved, or publish a MAJOR with a migration text.
    """
    if dataset.old and not dataset.new:
        yield Delta(old=dataset.old.physical_name or dataset.old.name, about=dataset.old)
