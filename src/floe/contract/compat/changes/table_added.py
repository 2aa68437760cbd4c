"""B1 table-added and B2 table-removed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import DatasetPair
from floe.model.change import Bump, Impact


@change("table-added", "B1", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.RISK, value=DatasetPair)
def table_added(dataset: DatasetPair) -> Iterator[Delta]:
    """A dataset is new.

    Why: readers are not affected; somebody has to write the new table.

    Fix: raise the MINOR version.
    """
    if dataset.new and not dataset.old:
        yield Delta(new=dataset.new.physical_name or dataset.new.name, about=dataset.new)


@change("table-removed", "B2", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=DatasetPair)
def table_removed(dataset: DatasetPair) -> Iterator[Delta]:
    """A dataset was removed.

    Why: everything that reads it fails.

    Fix: keep it until its consumers have migrated, or publish a MAJOR version with a migration text.
    """
    if dataset.old and not dataset.new:
        yield Delta(old=dataset.old.physical_name or dataset.old.name, about=dataset.old)
