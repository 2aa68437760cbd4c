"""The files that an Iceberg manifest lists."""

import json
from functools import lru_cache
from typing import Literal, Self

from pyiceberg.avro.decoder import new_decoder
from pyiceberg.avro.file import AvroFile
from pyiceberg.avro.reader import Reader
from pyiceberg.avro.resolver import resolve_reader
from pyiceberg.io import FileIO
from pyiceberg.manifest import (
    DATA_FILE_TYPE,
    MANIFEST_ENTRY_SCHEMAS,
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
)
from pyiceberg.utils.schema_conversion import AvroSchemaConversion

_VERSION: Literal[3] = 3  # the fields of newer versions are empty in manifests of older ones
_REFERENCED = [field.field_id for field in DATA_FILE_TYPE[_VERSION].fields].index(143)


class _Manifest(AvroFile[ManifestEntry]):
    """A manifest, read without working its shape out again: a table's have one, or a few."""

    def __enter__(self) -> Self:
        with self.input_file.open() as stream:
            self.decoder = new_decoder(stream.read())
        self.header = self._read_header()
        self.reader = _reader(self.header.meta["avro.schema"])
        return self


@lru_cache
def _reader(schema: str) -> Reader:
    return resolve_reader(
        AvroSchemaConversion().avro_to_iceberg(json.loads(schema)),
        MANIFEST_ENTRY_SCHEMAS[_VERSION],
        {-1: ManifestEntry, 2: DataFile},
        {0: ManifestEntryStatus, 101: FileFormat, 134: DataFileContent},
    )


def entries(manifest: ManifestFile, io: FileIO) -> list[ManifestEntry]:
    """The files of a manifest that are not deleted, with the sequence number and partition spec they have from it."""
    with _Manifest(io.new_input(manifest.manifest_path)) as listed:
        found = [entry for entry in listed if entry.status is not ManifestEntryStatus.DELETED]
    for entry in found:
        entry.data_file.spec_id = manifest.partition_spec_id
        if entry.sequence_number is None:
            entry.sequence_number = manifest.sequence_number or 0
        if entry.snapshot_id is None and manifest.added_snapshot_id is not None:
            entry.snapshot_id = manifest.added_snapshot_id
    return found


def referenced_file(deletes: DataFile) -> str | None:
    """The data file of a delete file, if it has only one."""
    path = deletes._data[_REFERENCED]
    return str(path) if path else None
