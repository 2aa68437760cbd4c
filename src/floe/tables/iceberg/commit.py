"""Iceberg: staged files become the table's own by one commit, without a second copy."""

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, RESTError
from pyiceberg.io.pyarrow import (
    compute_statistics_plan,
    data_file_statistics_from_parquet_metadata,
    parquet_path_to_id_mapping,
)
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table import Table, TableProperties
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.typedef import Record
from pyiceberg.types import PrimitiveType, StructType
from sqlalchemy.exc import SQLAlchemyError

from floe.model import TableError
from floe.model.contract import Target
from floe.model.plan import Plan
from floe.model.types import Atomic, Decimal, Struct, Text
from floe.settings import Settings
from floe.tables import storage
from floe.tables.delta.commit import check_rows, moves_into, put_back
from floe.tables.iceberg.metadata import by_name, struct_of
from floe.tables.parquet.footers import footers, struct_of as file_struct
from floe.tables.spark.schema import FieldIds
from floe.tables.state import State, TableMovedError, Tag
from floe.tables.storage import StoredFile

_PATIENCE = (0, 1, 3)  # seconds before each attempt to find a commit whose answer was lost


def unfit(table: Table, plan: Plan, files: Iterable[pq.FileMetaData]) -> str | None:
    """Why staged files cannot become part of this table by a commit of floe; None if they can."""
    if not table.spec().is_unpartitioned():
        return "the table is partitioned"
    if storage.is_remote(table.location()) and not storage.is_s3(table.location()):
        return "the table is neither on a local disk nor on S3"
    schema = struct_of(table.schema().as_struct())
    required = {member.name for member in plan.schema.members if not member.nullable}
    loose = [m.name for m in schema.members if not m.nullable and m.name not in required]
    if loose:
        return f"the table requires {loose[0]}, which the contract does not"
    wanted = _shape(schema)
    ids = _ids_of(table.schema().as_struct())
    if ids is None:
        return "arrays and maps in files that Spark writes have no field ids"
    found = (_unfit_file(about, wanted, ids) for about in files)
    return next((reason for reason in found if reason), None)


def _unfit_file(about: pq.FileMetaData, wanted: list[tuple[str, str]], ids: dict[tuple[str, ...], int]) -> str | None:
    if any(about.schema.column(index).physical_type == "INT96" for index in range(about.num_columns)):
        return "the staged files have INT96 timestamps (spark.sql.parquet.outputTimestampType)"
    if _shape(file_struct(about)) != wanted:
        return "the staged files have other types than the table"
    if _file_ids(about.schema.to_arrow_schema()) != ids:
        return "the staged files have other field ids than the table"
    return None


def field_ids(target: Target, schema: Struct, created: bool, settings: Settings) -> FieldIds | None:
    """The ids of a table's fields; of one that is to be created, those that Iceberg will give.

    They are compared with the table's before a commit, so a wrong guess costs a second write and nothing else.
    """
    if created:
        return _fresh_ids(schema)
    try:
        table = by_name(str(target.name), settings)
    except TableError:
        return None
    ids = _ids_of(table.schema().as_struct()) if table else None
    names = {member.name for member in schema.members}
    return ids if ids and names == {path[0] for path in ids} else None


def _ids_of(struct: StructType, parent: tuple[str, ...] = ()) -> dict[tuple[str, ...], int] | None:
    """The ids of a struct's fields, at any depth; None where there are lists or maps."""
    ids = {}
    for field in struct.fields:
        path = (*parent, field.name)
        ids[path] = field.field_id
        if isinstance(field.field_type, StructType):
            nested = _ids_of(field.field_type, path)
            if nested is None:
                return None
            ids |= nested
        elif not isinstance(field.field_type, PrimitiveType):
            return None
    return ids


def _fresh_ids(schema: Struct) -> dict[tuple[str, ...], int] | None:
    """The ids that Iceberg gives to a new table: all fields of a struct in order, then those of the structs in it."""
    ids: dict[tuple[str, ...], int] = {}

    def number(struct: Struct, parent: tuple[str, ...]) -> bool:
        for member in struct.members:
            ids[(*parent, member.name)] = len(ids) + 1
        nested = [member for member in struct.members if not isinstance(member.type, Atomic | Text | Decimal)]
        return all(isinstance(member.type, Struct) and number(member.type, (*parent, member.name)) for member in nested)

    return ids if number(schema, ()) else None


def _file_ids(fields: Iterable[Any], parent: tuple[str, ...] = ()) -> dict[tuple[str, ...], int]:
    """The field ids in a Parquet footer."""
    ids = {}
    for field in fields:
        path = (*parent, field.name)
        ids[path] = int((field.metadata or {}).get(b"PARQUET:field_id", -1))
        if pyarrow.types.is_struct(field.type):
            ids |= _file_ids([field.type.field(index) for index in range(field.type.num_fields)], path)
    return ids


def commit_files(
    target: Target, files: Sequence[StoredFile], plan: Plan, tag: Tag, state: State, settings: Settings
) -> str | None:
    """Make staged files the table's by one commit onto a state; else why not, with the files back in place.

    TableMovedError if another writer committed since, or changed the schema, which makes no snapshot.
    """
    try:
        table = by_name(str(target.name), settings)
    except TableError as error:
        return error.message
    if table is None:
        return "its catalog is not available without Spark"
    read = footers([file.place for file in files])
    full = {file: about for file, about in zip(files, read, strict=True) if about.num_rows}
    check_rows(full.values(), tag)
    reason = unfit(table, plan, full.values())
    if _current(table) != state.snapshot or _shape(struct_of(table.schema().as_struct())) != _shape(state.schema):
        raise TableMovedError
    if reason:
        return reason
    location = storage.local_path(table.location())
    folder = storage.join(location, "data")
    moved = moves_into(location, folder, full)
    try:
        if moved and not storage.is_remote(folder):
            Path(folder).mkdir(parents=True, exist_ok=True)
        for file, place in moved.items():
            storage.move(file, place)
    except OSError as error:
        put_back(moved)
        return f"the staged files cannot be moved into the table ({_first_line(error)})"
    try:
        _append(
            table, {file._replace(place=moved.get(file.place, file.place)): about for file, about in full.items()}, tag
        )
    except (CommitFailedException, RESTError, SQLAlchemyError, ValueError, NotImplementedError, OSError) as error:
        return _after_error(error, table, state.snapshot, tag, moved)
    return None


def _after_error(error: Exception, table: Table, snapshot: str | None, tag: Tag, moved: dict[str, str]) -> str | None:
    """The result of a commit that ended in an error: None if the table has it, else why it has not.

    A catalog behind a network may still be at work on a commit whose answer was lost. Files that it may yet make the table's
    are never moved away: the table would name files that are gone. Then nobody knows, and that is what is said.
    """
    certain = isinstance(error, CommitFailedException | NotImplementedError) or isinstance(table.catalog, SqlCatalog)
    for seconds in (0,) if certain else _PATIENCE:
        time.sleep(seconds)
        now = table.refresh()
        if any(_marks(snapshot).get("floe.run_id") == tag.run_id for snapshot in now.snapshots()):
            return None
    if not certain:
        raise TableError(
            f"Whether the batch was committed is unknown: the catalog's answer was lost ({_first_line(error)})",
            "Run it again with the same batch_id: a batch that is in the table is not written again",
        )
    put_back(moved)
    if _current(now) != snapshot:
        raise TableMovedError from error
    return f"the commit was refused ({_first_line(error)})"


def data_files(target: Target, run_id: str, settings: Settings) -> list[str] | None:
    """The data files of the current snapshot and of those of a run; None where the catalog is not at hand."""
    table = by_name(str(target.name), settings)
    if table is None:
        return None
    current = table.current_snapshot()
    kept = [snapshot for snapshot in table.snapshots() if _marks(snapshot).get("floe.run_id") == run_id]
    return [
        entry.data_file.file_path
        for snapshot in ([current, *kept] if current else kept)
        for manifest in snapshot.manifests(table.io)
        for entry in manifest.fetch_manifest_entry(table.io)
    ]


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _shape(struct: Struct) -> list[tuple[str, str]]:
    """Names and types in order, without nullability."""
    return [(member.name, str(member.type)) for member in struct.members]


def _current(table: Table) -> str | None:
    newest = table.current_snapshot()
    return str(newest.snapshot_id) if newest else None


def _marks(snapshot: Snapshot) -> Mapping[str, str]:
    return snapshot.summary.additional_properties if snapshot.summary else {}


def _append(table: Table, files: dict[StoredFile, pq.FileMetaData], tag: Tag) -> None:
    """One commit with these files, onto the snapshot that is current in `table`.

    The library's own way refuses files whose columns may be null; that none is, was judged. It would also repeat a commit
    that lost a race onto what the other writer committed, which nobody has checked: so it is told to try once.
    """
    schema, about = table.schema(), table.metadata
    once = {
        **about.properties,
        TableProperties.COMMIT_NUM_RETRIES: "0",
    }  # of this copy; the table's own stay as they are
    table.metadata = about.model_copy(update={"properties": once})
    with (
        table.transaction() as transaction,
        transaction.update_snapshot(snapshot_properties=tag.marks).fast_append() as append,
    ):
        for file, footer in files.items():
            known = data_file_statistics_from_parquet_metadata(
                parquet_metadata=footer,
                stats_columns=compute_statistics_plan(schema, about.properties),
                parquet_column_mapping=parquet_path_to_id_mapping(schema),
            )
            append.append_data_file(
                DataFile.from_args(
                    content=DataFileContent.DATA,
                    file_path=file.place,
                    file_format=FileFormat.PARQUET,
                    partition=Record(),
                    file_size_in_bytes=file.size,
                    sort_order_id=None,
                    spec_id=about.default_spec_id,
                    equality_ids=None,
                    key_metadata=None,
                    **known.to_serialized_dict(),
                )
            )
