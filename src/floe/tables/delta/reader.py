"""Delta tables without Spark: the log and the files, read by deltalake."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from urllib.parse import unquote

import pyarrow
from deltalake import QueryBuilder
from deltalake.exceptions import DeltaError, DeltaProtocolError
from deltalake.fs import DeltaStorageHandler
from pyarrow.fs import PyFileSystem

from floe.model.contract import Target
from floe.model.plan import FileStatistics
from floe.model.types import Struct
from floe.settings import Settings
from floe.tables.batches import BATCH_ROWS, NotReadHereError, read_row_group
from floe.tables.delta import changes, metadata
from floe.tables.delta.log import open_log
from floe.tables.delta.rows import DeltaRows, open_table
from floe.tables.facts import Rewrite, TableFacts
from floe.tables.storage import is_remote


def needs_spark(target: Target) -> bool:
    """A table by its name in Spark's catalog: only its session knows the path."""
    return not target.path


def can_commit(target: Target) -> bool:
    """Always."""
    del target
    return True


def descriptions(target: Target) -> dict[str, str]:
    """The comments in the log's newest schema."""
    return metadata.descriptions(str(target.path))


def probe(target: Target, settings: Settings) -> TableFacts | None:
    """The state in the log at a path."""
    del settings
    return metadata.probe(target)


def schema(target: Target, settings: Settings) -> Struct | None:
    """The columns, from the log's newest schema."""
    del settings
    return metadata.schema(str(target.path))


def version_name(target: Target, settings: Settings) -> str | None:
    """The name of the newest commit's file, where the log is a local folder; else the version."""
    if not target.path or is_remote(target.path):
        facts = probe(target, settings)
        return facts.snapshot if facts else None
    log = os.path.join(target.path, "_delta_log")
    if not os.path.isdir(log):
        return None
    with os.scandir(log) as entries:
        commits = (entry.name for entry in entries if entry.name.endswith(".json") and entry.name[:20].isdigit())
        return max(commits, default=None)


def rewrites(target: Target, settings: Settings, since: str, now: str) -> list[Rewrite]:
    """What OPTIMIZE and REORG did between two versions."""
    del settings
    return changes.rewrites(target.path, int(since), int(now)) if target.path else []


def changed(target: Target, facts: TableFacts, settings: Settings) -> bool:
    """Never: rows are read at a version."""
    del target, facts, settings
    return False


def tracks_files() -> bool:
    """The log names every file."""
    return True


def spark_target(target: Target, facts: TableFacts, settings: Settings) -> Target:
    """The table itself."""
    del facts, settings
    return target


def file_paths(facts: TableFacts, files: Iterable[FileStatistics]) -> list[str]:
    """Paths below the table's folder."""
    root = facts.location.rstrip("/")
    return [_below(root, str(file.path)) for file in files]


def _below(root: str, path: str) -> str:
    """A file of the table: on local disks its name may be percent-encoded in the log, or be the name itself."""
    named = f"{root}/{path}"
    return named if is_remote(root) or os.path.exists(named) else f"{root}/{unquote(path)}"


def first_path(facts: TableFacts) -> str | None:
    """The first file that the log names."""
    return next(iter(file_paths(facts, (facts.files or ())[:1])), None)


def base_path(facts: TableFacts) -> str | None:
    """The table's folder: folders below it are partitions."""
    return facts.location


def columns_match(
    facts: TableFacts, files: Sequence[FileStatistics], paths: Sequence[str], columns: Collection[str]
) -> bool:
    """Always: without column mapping a Delta table finds its columns by name alone."""
    del facts, files, paths, columns
    return True


def read_first(target: Target, settings: Settings) -> None:
    """Read one row group of one file that the log names."""
    del settings
    table = open_log(str(target.path))
    names = pyarrow.table(table.get_add_actions())["path"].to_pylist()
    if names:
        system = PyFileSystem(DeltaStorageHandler.from_table(table._table))
        read_row_group(system.open_input_file(names[0]))


def batches(target: Target, schema: Struct, settings: Settings) -> Iterator[pyarrow.RecordBatch]:
    """The rows, by Arrow's reader, or by DataFusion where Arrow's does not know a feature of the table."""
    del schema, settings
    table = open_log(str(target.path))
    if table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none":
        raise NotReadHereError("its columns have other names in its files", "Read it with Spark")
    try:
        scanner = table.to_pyarrow_dataset().scanner(batch_size=BATCH_ROWS, batch_readahead=2, fragment_readahead=1)
        yield from scanner.to_batches()
        return
    except DeltaProtocolError:  # deletion vectors, for one
        pass
    try:
        yield from pyarrow.RecordBatchReader.from_stream(QueryBuilder().register("t", table).execute("SELECT * FROM t"))
    except DeltaError as error:
        raise NotReadHereError(str(error).splitlines()[0], "Read it with Spark") from None


def open_rows(target: Target, settings: Settings) -> DeltaRows | None:
    """The table at its newest version."""
    del settings
    return open_table(target)


def files_without_ids(target: Target, settings: Settings) -> None:
    """Delta finds columns by name."""
    del target, settings
