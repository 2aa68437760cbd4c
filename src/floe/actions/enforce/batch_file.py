"""Errors in the file of a batch, found before a JVM starts."""

from pathlib import Path

from floe import tables
from floe.model import TableError


def check_batch_file(batch: str) -> None:
    """TableError where a batch is no Parquet file, or no folder of nothing else."""
    if "://" in batch:
        return
    path = Path(batch)
    if not path.exists():
        raise TableError(f"The batch {batch} does not exist", "Pass a Parquet file or a folder of Parquet files")
    files = [path] if path.is_file() else sorted(path.rglob("*.parquet"))
    if not files:
        raise TableError(
            f"The folder {batch} contains no Parquet file", "Pass a Parquet file or a folder of Parquet files"
        )
    others = _others(path) if path.is_dir() else ()
    if others:
        raise TableError(
            f"The folder {batch} contains a file without the suffix .parquet: {Path(others[0]).name}",
            "Move it, or rename it to *.parquet",
        )
    for file in files:
        with file.open("rb") as stream:
            head = stream.read(4)
            stream.seek(max(file.stat().st_size - 4, 0))
            if (head, stream.read(4)) != (b"PAR1", b"PAR1"):
                raise TableError(f"The batch {file} is not a Parquet file or is truncated", "Write it again as Parquet")


def _others(folder: Path) -> tuple[str, ...]:
    """The files of a folder that are not named as Parquet; TableError where they are partitioned in two ways."""
    found = tables.parquet.folder.list_files(str(folder))
    return found.others if found else ()
