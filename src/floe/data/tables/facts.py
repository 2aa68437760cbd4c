"""A table as its own log describes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from floe.model.claim import FileStatistics
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Struct


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What a table's log says of itself now."""

    location: str
    snapshot: str | None
    metadata: str
    columns: tuple[str, ...]
    properties: Mapping[str, str] = field(default_factory=dict)
    schema: Struct | None = None
    committed: int | None = None  # when the snapshot was committed, in seconds since 1970
    partition: tuple[str, ...] = ()
    files: tuple[FileStatistics, ...] | None = None  # None: the log's statistics cannot be had without Spark


def probe(target: Target, settings: Settings) -> TableFacts | None:
    """What the table's log says; None where there is no table yet, TableError where it is out of reach."""
    if target.format == "iceberg":
        from floe.data.tables import iceberg  # noqa: PLC0415  (0.3 s that a Delta table does not need)

        return iceberg.probe(target, settings)
    from floe.data.tables import delta  # noqa: PLC0415  (deltalake is heavy too)

    return delta.probe(target)
