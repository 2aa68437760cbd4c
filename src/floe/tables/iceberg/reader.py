"""Iceberg tables without Spark: catalogs, metadata and files, read by pyiceberg."""

from collections.abc import Collection, Iterable, Iterator, Sequence

import pyarrow
from pyiceberg.manifest import FileFormat

from floe.model.contract import Target
from floe.model.plan import FileStatistics
from floe.model.types import Struct
from floe.settings import Settings
from floe.tables.batches import read_row_group
from floe.tables.facts import FilesWithoutIds, Rewrite, TableFacts
from floe.tables.iceberg import changes, metadata
from floe.tables.iceberg.field_ids import files_without_ids as _files_without_ids
from floe.tables.iceberg.rows import IcebergRows, open_table
from floe.tables.parquet import columns as parquet_columns


def needs_spark(target: Target) -> bool:
    """Never: pyiceberg reads catalogs too."""
    del target
    return False


def can_commit(target: Target) -> bool:
    """A table of a catalog: a metadata file alone cannot be committed to."""
    return target.name is not None


def descriptions(target: Target) -> dict[str, str]:
    """None are read."""
    del target
    return {}


def probe(target: Target, settings: Settings) -> TableFacts | None:
    """The state in the catalog or in a metadata file."""
    return metadata.probe(target, settings)


def schema(target: Target, settings: Settings) -> Struct | None:
    """The columns, from the metadata file."""
    facts = probe(target, settings)
    return facts.schema if facts else None


def version_name(target: Target, settings: Settings) -> str | None:
    """The snapshot with the number of the schema: an ALTER TABLE makes no snapshot."""
    table = metadata.open_table(target, settings)
    now = table.current_snapshot() if table else None
    return f"{now.snapshot_id} {table.metadata.current_schema_id}" if table and now else None


def rewrites(target: Target, settings: Settings, since: str, now: str) -> list[Rewrite]:
    """What snapshots of the kind `replace` did between two snapshots."""
    return changes.rewrites(target, settings, since, now)


def changed(target: Target, facts: TableFacts, settings: Settings) -> bool:
    """Whether the metadata changed: only read if the current columns differ from those of the snapshot."""
    return facts.altered and metadata.metadata_now(target, settings) != facts.metadata


def tracks_files() -> bool:
    """Manifests name every file."""
    return True


def spark_target(target: Target, facts: TableFacts, settings: Settings) -> Target:
    """The metadata file, where floe's own session has no connection to the catalog; else the table itself."""
    catalog = settings.catalogs.get((target.name or "").split(".")[0]) or {}
    foreign = catalog.get("type") == "sql" and not str(catalog.get("uri", "")).startswith("sqlite")
    return Target("iceberg", path=facts.metadata) if foreign or not target.name else target


def file_paths(facts: TableFacts, files: Iterable[FileStatistics]) -> list[str]:
    """Manifests hold full paths."""
    del facts
    return [str(file.path) for file in files]


def first_path(facts: TableFacts) -> str | None:
    """The first file that the log names."""
    return next(iter(file_paths(facts, (facts.files or ())[:1])), None)


def base_path(facts: TableFacts) -> str | None:
    """None: partitions are in the metadata, not in paths."""
    del facts
    return None


def columns_match(
    facts: TableFacts, files: Sequence[FileStatistics], paths: Sequence[str], columns: Collection[str]
) -> bool:
    """Whether the files name the columns by the table's own ids and types."""
    del files
    return parquet_columns.columns_match(facts, paths, columns)


def read_first(target: Target, settings: Settings) -> None:
    """Read one row group, or one byte, of one data file."""
    table = metadata.open_table(target, settings)
    file = metadata.first_file(table) if table else None
    if table is None or file is None:
        return
    with table.io.new_input(file.file_path).open() as stream:
        if file.file_format is FileFormat.PARQUET:
            read_row_group(stream)
        else:
            stream.read(1)


def batches(target: Target, schema: Struct, settings: Settings) -> Iterator[pyarrow.RecordBatch]:
    """The rows, read by pyiceberg."""
    del schema
    table = metadata.open_table(target, settings)
    if table:
        yield from table.scan().to_arrow_batch_reader()


def open_rows(target: Target, settings: Settings) -> IcebergRows | None:
    """The table at its current snapshot."""
    return open_table(target, settings)


def files_without_ids(target: Target, settings: Settings) -> FilesWithoutIds | None:
    """The footers of the table's Parquet files."""
    return _files_without_ids(target, settings)
