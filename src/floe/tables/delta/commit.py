"""Delta: staged files become the table's own by one commit, without a second copy."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from deltalake import CommitProperties, DeltaTable, Transaction
from deltalake.exceptions import DeltaError
from deltalake.transaction import AddAction, RemoveAction
from pyarrow import parquet as pq

from floe.lang.type_text import from_spark_json
from floe.model import TableCause, TableError
from floe.model.plan import Plan
from floe.model.types import Struct
from floe.tables import storage
from floe.tables.boundary import cause_of
from floe.tables.delta.log import commit_text, open_log
from floe.tables.parquet.footers import footers, struct_of
from floe.tables.spark.schema import holdable, name_of
from floe.tables.state import TableMovedError, Tag, rows_lost
from floe.tables.storage import StoredFile

# table features with which floe's own commit is correct; any other feature refuses it
_FEATURES = {
    "appendOnly",
    "invariants",
    "checkConstraints",
    "generatedColumns",
    "changeDataFeed",
    "deletionVectors",
    "timestampNtz",
    "v2Checkpoint",
}
_BINDING = ("delta.constraints.", "delta.columnMapping.mode")
_INDEXED = 32  # the columns Delta keeps statistics of
_PREFIX = 32
_PATIENCE = (0, 1, 3)  # seconds before each repeat of a commit whose answer was lost
_LAST = "\U0010ffff"


def unfit(log: DeltaTable, plan: Plan, files: Iterable[pq.FileMetaData]) -> str | None:
    """Why staged files cannot become part of this table by a commit of floe; None if they can."""
    if used := _strange_features(log, plan):
        return f"the table uses {', '.join(used)}"
    if log.metadata().partition_columns:
        return "the table is partitioned"
    schema = json.loads(log.schema().to_json())
    if _binds_columns(schema):
        return "the table has generated, mapped or constrained columns"
    table = from_spark_json(schema)
    assert isinstance(table, Struct)
    required = {member.name for member in plan.schema.members if not member.nullable}
    stricter = [member.name for member in table.members if not member.nullable and member.name not in required]
    if stricter:
        return f"the table requires {stricter[0]}, which the contract does not"
    if any(_columns(struct_of(file)) != _columns(table) for file in files):
        return "the staged files have other types than the table"
    return None


def _strange_features(log: DeltaTable, plan: Plan) -> list[str]:
    """The features of the table that a commit of floe may not respect."""
    protocol, configuration = log.protocol(), log.metadata().configuration
    features = {*(protocol.writer_features or ()), *(protocol.reader_features or ())}
    binding = {key for key in configuration if key.startswith(_BINDING) and configuration[key] != "none"}
    if binding:  # those of floe are judged by the gate, on the staged rows
        binding -= {f"delta.constraints.{name_of(rule)}" for rule in holdable(plan)}
    return sorted((features - _FEATURES) | binding)


def _binds_columns(schema: dict[str, Any]) -> bool:
    """Whether a column's metadata holds its values to something."""
    metadata = [field.get("metadata", {}) for field in schema["fields"]]
    return any(key.startswith("delta.") for keys in metadata for key in keys)


def _columns(struct: Struct) -> list[tuple[str, str]]:
    return [(member.name, str(member.type)) for member in struct.members]


def commit_files(location: str, files: Sequence[StoredFile], plan: Plan, tag: Tag, snapshot: str | None) -> str | None:
    """Make staged files the table's by one commit onto a snapshot; else why not, with the files back in place.

    The commit is a file that is there or is not: an error that comes after it (a checkpoint on a full disk, say) undoes
    nothing. So after every error the log is asked first, and files go back only where the commit is certainly not there.

    TableMovedError if another writer committed after the snapshot.
    """
    try:
        log = open_log(location)
    except (DeltaError, OSError) as error:
        return f"its log cannot be read here ({str(error).splitlines()[0]})"
    read = footers([file.place for file in files])
    full = {file: about for file, about in zip(files, read, strict=True) if about.num_rows}
    check_rows(full.values(), tag)
    reason = unfit(log, plan, full.values())
    if str(log.version()) != snapshot:
        raise TableMovedError
    if reason:
        return reason
    moved = moves_into(location, location, full)
    actions: list[AddAction | RemoveAction] = []
    for file, about in full.items():
        name = storage.name_below(location, moved.get(file.place, file.place))
        assert name is not None
        actions.append(_action(name, file, about))
    properties = CommitProperties(
        custom_metadata={"userMetadata": tag.text},
        max_commit_retries=0,
        app_transactions=[Transaction(tag.app, tag.attempt)] if tag.app else None,
    )

    def commit() -> None:
        log.create_write_transaction(actions, mode="append", schema=log.schema(), commit_properties=properties)

    try:
        for staged, place in moved.items():
            storage.move(staged, place)
    except OSError as error:
        put_back(moved)
        return f"the staged files cannot be moved into the table ({_first_line(error)})"
    try:
        commit()
    except (DeltaError, OSError) as error:
        last = _repeated(error, commit, location, log.version()) if storage.is_remote(location) else error
        return _after_error(last, location, log.version(), tag, moved) if last else None
    return None


def _repeated(error: Exception, commit: Callable[[], None], location: str, version: int) -> Exception | None:
    """Repeat a commit whose answer may have been lost; its last error, None if it succeeded.

    A request that was lost on the way to a store may still arrive. Its file can be written once only: whatever arrives first,
    the repeat or the lost request, the other finds it there. So the commit is certain once there is a file of this version.
    TableError where there is none in the end and the store did not refuse the request: then nobody knows.
    """
    for seconds in _PATIENCE:
        if cause_of(error) is TableCause.PERMISSION or commit_text(location, version + 1) is not None:
            return error
        time.sleep(seconds)
        try:
            commit()
            return None
        except (DeltaError, OSError) as again:
            error = again
    if commit_text(location, version + 1) is None:
        raise TableError(
            f"Whether the batch was committed is unknown: the store's answer was lost ({_first_line(error)})",
            "Run it again with the same batch_id: a batch that is in the table is not written again",
        ) from error
    return error


def moves_into(table: str, folder: str, files: Iterable[StoredFile]) -> dict[str, str]:
    """Where staged files go to become the table's: none of those that were staged below the table already."""
    outside = [file.place for file in files if storage.name_below(table, file.place) is None]
    return {place: storage.join(folder, place.rpartition("/")[2]) for place in outside}


def _after_error(error: Exception, location: str, version: int, tag: Tag, moved: dict[str, str]) -> str | None:
    """The result of a commit that ended in an error: None if it is in the log, else why it is not."""
    other = commit_text(location, version + 1)
    if other is not None and tag.run_id in other:
        return None
    put_back(moved)
    if other is not None:
        raise TableMovedError from error
    return f"the commit was refused ({_first_line(error)})"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def check_rows(files: Iterable[pq.FileMetaData], tag: Tag) -> None:
    """TableError where the staged files do not hold just the rows that were judged."""
    rows = sum(about.num_rows for about in files)
    if rows != tag.rows:
        raise rows_lost(tag.rows, rows, "the staging folder")


def put_back(moved: dict[str, str]) -> None:
    """Move files that no commit names back to where they were staged."""
    for file, place in moved.items():
        if storage.is_file(place):
            storage.move(place, file)


def _action(name: str, file: StoredFile, about: pq.FileMetaData) -> AddAction:
    changed = int(file.changed.timestamp() * 1000) if file.changed else 0
    return AddAction(storage.as_log_path(name), file.size, {}, changed, True, json.dumps(statistics(about)))


def statistics(about: pq.FileMetaData) -> dict[str, Any]:
    """A footer's statistics as Delta's log keeps them."""
    found: dict[str, Any] = {"numRecords": about.num_rows, "minValues": {}, "maxValues": {}, "nullCount": {}}
    for index in range(min(about.num_columns, _INDEXED)):
        leaf = about.schema.column(index)
        chunks = [about.row_group(group).column(index) for group in range(about.num_row_groups)]
        known = [chunk.statistics for chunk in chunks]
        if leaf.max_repetition_level or any(value is None or not value.has_null_count for value in known):
            continue
        path = leaf.path.split(".")
        _put(found["nullCount"], path, sum(value.null_count for value in known))
        edges = [value for value in known if value.has_min_max]
        if edges and all(map(_bounded, chunks)):
            for key, value in _bounds(leaf, edges):
                _put(found[key], path, value)
    return found


def _bounded(chunk: Any) -> bool:
    """Whether the least and the most value of a chunk are known, as far as it has values."""
    known = chunk.statistics
    return bool(known.has_min_max or known.null_count == chunk.num_values)


def _bounds(leaf: Any, edges: list[Any]) -> Iterator[tuple[str, Any]]:
    """The least and the most as Delta writes them; nothing for types whose bounds it does not keep."""
    low, high = min(edge.min for edge in edges), max(edge.max for edge in edges)
    kind = str(leaf.logical_type)
    if leaf.physical_type in ("BOOLEAN", "INT96") or isinstance(low, bool | bytes):
        return
    if isinstance(low, float):
        if low == low and high == high:  # noqa: PLR0124  (NaN is the one number that differs from itself)
            yield from (("minValues", low), ("maxValues", high))
    elif isinstance(low, str):
        yield "minValues", low[:_PREFIX]
        yield "maxValues", high if len(high) <= _PREFIX else high[:_PREFIX] + _LAST
    elif "Timestamp" in kind:
        zone = "Z" if "isAdjustedToUTC=true" in kind else ""
        yield "minValues", f"{low:%Y-%m-%dT%H:%M:%S}.{low.microsecond // 1000:03}{zone}"
        yield "maxValues", f"{high:%Y-%m-%dT%H:%M:%S}.{high.microsecond // 1000:03}{zone}"
    elif isinstance(low, int):
        yield from (("minValues", low), ("maxValues", high))
    elif hasattr(low, "isoformat"):
        yield from (("minValues", low.isoformat()), ("maxValues", high.isoformat()))


def _put(tree: dict[str, Any], path: list[str], value: Any) -> None:
    for step in path[:-1]:
        tree = tree.setdefault(step, {})
    tree[path[-1]] = value
