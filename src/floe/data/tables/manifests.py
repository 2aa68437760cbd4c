"""The data files that an Iceberg manifest lists."""

import json
from functools import lru_cache
from typing import Self

from pyiceberg.avro.decoder import new_decoder
from pyiceberg.avro.file import AvroFile
from pyiceberg.avro.reader import Reader
from pyiceberg.avro.resolver import resolve_reader
from pyiceberg.io import FileIO
from pyiceberg.manifest import (
    DEFAULT_READ_VERSION,
    MANIFEST_ENTRY_SCHEMAS,
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
)
from pyiceberg.utils.schema_conversion import AvroSchemaConversion


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
        MANIFEST_ENTRY_SCHEMAS[DEFAULT_READ_VERSION],
        {-1: ManifestEntry, 2: DataFile},
        {0: ManifestEntryStatus, 101: FileFormat, 134: DataFileContent},
    )


def data_files(manifest: ManifestFile, io: FileIO) -> list[DataFile]:
    """The files of a manifest that are not deleted."""
    with _Manifest(io.new_input(manifest.manifest_path)) as entries:
        return [entry.data_file for entry in entries if entry.status is not ManifestEntryStatus.DELETED]
