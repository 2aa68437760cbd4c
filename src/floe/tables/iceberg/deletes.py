"""Which delete files of an Iceberg table apply to which data files, by the rules of its specification.

pyiceberg plans scans by such rules too, but it refuses tables with equality deletes, which Flink writes for upserts.
What is not sure counts as a delete: the statistics of a data file are then trusted less than they could be.
"""

from collections import defaultdict
from collections.abc import Container, Iterable

from pyiceberg.manifest import DataFile, DataFileContent, ManifestEntry

from floe.tables.iceberg.manifests import referenced_file

_PATH = 2147483546  # the field id of the path in position delete files
_Place = tuple[int, tuple[object, ...]]


class Deletes:
    """The delete files of a snapshot; `unpartitioned` are the ids of specs without partitions."""

    def __init__(self, entries: Iterable[ManifestEntry], unpartitioned: Container[int]) -> None:
        self._of_path: dict[str, list[ManifestEntry]] = defaultdict(list)
        self._of_place: dict[_Place, list[ManifestEntry]] = defaultdict(list)
        self._everywhere: list[ManifestEntry] = []
        for entry in entries:
            file = entry.data_file
            path = referenced_file(file)
            if path:
                self._of_path[path].append(entry)
            elif file.content is DataFileContent.EQUALITY_DELETES and file.spec_id in unpartitioned:
                self._everywhere.append(entry)
            else:
                self._of_place[_place(file)].append(entry)

    def of(self, entry: ManifestEntry) -> tuple[DataFile, ...]:
        """The delete files that may apply to a data file."""
        file = entry.data_file
        near = (*self._of_path.get(file.file_path, ()), *self._of_place.get(_place(file), ()), *self._everywhere)
        return tuple(value.data_file for value in near if _applies(value, entry))


def _place(file: DataFile) -> _Place:
    return file.spec_id, tuple(file.partition[index] for index in range(len(file.partition)))


def _applies(deletes: ManifestEntry, entry: ManifestEntry) -> bool:
    """Whether deletes came late enough, and may be about the data file's path."""
    then, now = entry.sequence_number or 0, deletes.sequence_number or 0
    if deletes.data_file.content is DataFileContent.EQUALITY_DELETES:
        return then < now
    path = entry.data_file.file_path.encode()
    low = (deletes.data_file.lower_bounds or {}).get(_PATH)
    high = (deletes.data_file.upper_bounds or {}).get(_PATH)
    return then <= now and (low is None or low <= path) and (high is None or path <= high)
