"""Files of an Iceberg table without field ids, from their footers: only on request, never during a test."""

from pyarrow import parquet as pq
from pyiceberg.manifest import FileFormat

from floe.model.contract import Target
from floe.settings import Settings
from floe.tables.facts import FilesWithoutIds
from floe.tables.iceberg.metadata import data_files
from floe.tables.parquet.footers import footers
from floe.tables.storage import system_of

_MOST = 1000  # files that are looked into


def files_without_ids(target: Target, settings: Settings) -> FilesWithoutIds | None:
    """The footers of a table's Parquet files; None if there is no table."""
    listed = data_files(target, settings)
    if listed is None:
        return None
    paths = [file.file_path for file in listed if file.file_format is FileFormat.PARQUET]
    places = [system_of(_local(path)) for path in paths[:_MOST]]
    lacking = sum(not _has_ids(next(footers([place], system))) for system, place in places)
    return FilesWithoutIds(lacking, len(places), len(listed))


def _local(path: str) -> str:
    return "/" + path.removeprefix("file:").lstrip("/") if path.startswith("file:") else path


def _has_ids(footer: pq.FileMetaData) -> bool:
    """Whether readers find columns by id: where one column of the file has one."""
    return any(b"PARQUET:field_id" in (field.metadata or {}) for field in footer.schema.to_arrow_schema())
