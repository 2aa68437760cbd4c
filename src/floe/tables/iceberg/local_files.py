"""Files of this machine for pyiceberg, to read: its own ways import what object stores and REST catalogs need."""

from pathlib import Path

from pyiceberg.io import FileIO, InputFile, InputStream, OutputFile


class _Local(InputFile):
    def __init__(self, location: str) -> None:
        super().__init__(location)
        self._path = Path(location.removeprefix("file://").removeprefix("file:"))

    def __len__(self) -> int:
        return self._path.stat().st_size

    def exists(self) -> bool:
        return self._path.exists()

    def open(self, seekable: bool = True) -> InputStream:
        return self._path.open("rb")


class LocalFiles(FileIO):
    """Only reads."""

    def new_input(self, location: str) -> InputFile:
        """A file to read."""
        return _Local(location)

    def new_output(self, location: str) -> OutputFile:
        """None: tables are written through their catalogs."""
        raise NotImplementedError(f"{location} is not written here")

    def delete(self, location: str | InputFile | OutputFile) -> None:
        """Never."""
        raise NotImplementedError(f"{location} is not deleted here")
