"""Which files of an Iceberg table carry no field ids, by their footers: only for those who ask, never on the way of a test."""

from typing import NamedTuple

from pyarrow import parquet as pq
from pyiceberg.manifest import FileFormat

from floe.data.tables.folder import system_of
from floe.data.tables.iceberg import data_files
from floe.data.tables.parquet import footers
from floe.model.settings import Settings
from floe.model.table import Target

_MOST = 1000  # files that are looked into


class FieldIds(NamedTuple):
    """How many of the files that were looked into carry no field ids, and how many the table has."""

    lacking: int
    seen: int
    files: int


def field_ids(target: Target, settings: Settings) -> FieldIds | None:
    """What the footers of a table's Parquet files say; None where there is no table."""
    listed = data_files(target, settings)
    if listed is None:
        return None
    paths = [file.file_path for file in listed if file.file_format is FileFormat.PARQUET]
    places = [system_of(_local(path)) for path in paths[:_MOST]]
    lacking = sum(not _has_ids(next(footers([place], system))) for system, place in places)
    return FieldIds(lacking, len(places), len(listed))


def _local(path: str) -> str:
    return "/" + path.removeprefix("file:").lstrip("/") if path.startswith("file:") else path


def _has_ids(footer: pq.FileMetaData) -> bool:
    """Whether readers find columns by id: where one column of the file has one."""
    return any(b"PARQUET:field_id" in (field.metadata or {}) for field in footer.schema.to_arrow_schema())
