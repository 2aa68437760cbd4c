"""Tables: where they are, what their logs say, how rows are read and committed; one package per format.

Reading a log needs no Spark (`reader_of`, `probe`); what gates and scans do with Spark is in `floe.tables.formats`.
The Protocols of both are in `floe.tables.format`.
"""

from typing import TYPE_CHECKING

from floe.model import TableError
from floe.model.contract import Target
from floe.settings import Settings
from floe.system.lazy import lazy
from floe.tables.facts import TableFacts
from floe.tables.format import TableReader

if TYPE_CHECKING:
    from floe.tables import (
        batches as batches,
        delta as delta,
        file_schema as file_schema,
        formats as formats,
        frequent_values as frequent_values,
        iceberg as iceberg,
        locate as locate,
        parquet as parquet,
        rows as rows,
        spark as spark,
        state as state,
        storage as storage,
    )
else:
    _MODULES = (
        "batches",
        "file_schema",
        "formats",
        "frequent_values",
        "locate",
        "rows",
        "state",
        "storage",
        "delta",
        "iceberg",
        "parquet",
        "spark",
    )
    __getattr__ = lazy(__name__, _MODULES)

__all__ = ["TableFacts", "probe", "reader_of"]


def reader_of(target: Target) -> TableReader:
    """What reads tables of this format without Spark; each brings libraries that the others do not need."""
    match target.format:
        case "delta":
            from floe.tables.delta import reader as delta  # noqa: PLC0415  (deltalake: 0.06 s)

            return delta
        case "iceberg":
            from floe.tables.iceberg import reader as iceberg  # noqa: PLC0415  (pyiceberg: 0.3 s)

            return iceberg
        case "parquet":
            from floe.tables.parquet import reader as parquet  # noqa: PLC0415  (pyarrow: 0.1 s)

            return parquet
    raise TableError(
        f"{target} is a {target.format} table; floe reads delta, iceberg and parquet", "Pass another table"
    )


def probe(target: Target, settings: Settings) -> TableFacts | None:
    """The state in the table's log; None if there is no table yet, TableError if it is unreachable."""
    return reader_of(target).probe(target, settings)
