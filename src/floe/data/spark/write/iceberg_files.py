"""Iceberg: staged files become the table's own by one commit, without a second copy."""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from pyarrow import parquet as pq
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.io.pyarrow import (
    compute_statistics_plan,
    data_file_statistics_from_parquet_metadata,
    parquet_path_to_id_mapping,
)
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table import Table, TableProperties
from pyiceberg.typedef import Record

from floe.data.spark.write.tag import Tag
from floe.data.tables.iceberg import by_name, struct_of
from floe.data.tables.parquet import footers
from floe.data.tables.parquet import struct_of as file_struct
from floe.model import TableError
from floe.model.plan import Plan
from floe.model.settings import Settings
from floe.model.table import Target


def unfit(table: Table, plan: Plan, files: Iterable[pq.FileMetaData]) -> str | None:
    """Why staged files cannot become this table's by a commit of ours; None where they can."""
    if not table.spec().is_unpartitioned():
        return "the table is partitioned"
    if "://" in table.location().removeprefix("file://"):
        return "the table is not on a local disk"
    schema = struct_of(table.schema().as_struct())
    required = {member.name for member in plan.schema.members if not member.nullable}
    loose = [m.name for m in schema.members if not m.nullable and m.name not in required]
    if loose:
        return f"the table asks for {loose[0]}, which the contract does not"
    wanted = [(m.name, str(m.type)) for m in schema.members]
    for about in files:
        if any(about.schema.column(index).physical_type == "INT96" for index in range(about.num_columns)):
            return "timestamps of the staged files are of the old kind (spark.sql.parquet.outputTimestampType)"
        if [(m.name, str(m.type)) for m in file_struct(about).members] != wanted:
            return "the staged files have other types than the table"
    return None


def commit_files(
    target: Target, files: Sequence[Path], plan: Plan, tag: Tag, snapshot: str | None, settings: Settings
) -> str | None:
    """Make staged files the table's, if nobody changed it since a snapshot; else why not, with the files back in place."""
    try:
        table = by_name(str(target.name), settings)
    except TableError as error:
        return error.message
    if table is None:
        return "its catalog cannot be asked without Spark"
    full = {file: about for file, about in zip(files, footers(files), strict=True) if about.num_rows}
    reason = unfit(table, plan, full.values())
    newest = table.current_snapshot()
    if reason or (str(newest.snapshot_id) if newest else None) != snapshot:
        return reason or "another writer was faster"
    folder = Path(table.location().removeprefix("file://")) / "data"
    moved = {file: folder / file.name for file in full}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, place in moved.items():
            file.rename(place)
        _append(table, {moved[file]: about for file, about in full.items()}, tag)
    except (CommitFailedException, ValueError, NotImplementedError, OSError) as error:
        for file, place in moved.items():
            if place.exists():
                shutil.move(place, file)
        return f"the commit was refused ({(str(error).splitlines() or [type(error).__name__])[0]})"
    return None


def _append(table: Table, files: dict[Path, pq.FileMetaData], tag: Tag) -> None:
    """One commit with these files; they carry no field ids, so the table says which name is which field.

    The library's own way refuses files whose columns may be null; that none is, was judged.
    """
    schema, about = table.schema(), table.metadata
    with table.transaction() as transaction:
        if about.name_mapping() is None:
            transaction.set_properties({TableProperties.DEFAULT_NAME_MAPPING: schema.name_mapping.model_dump_json()})
        with transaction.update_snapshot(snapshot_properties=tag.marks).fast_append() as append:
            for file, footer in files.items():
                known = data_file_statistics_from_parquet_metadata(
                    parquet_metadata=footer,
                    stats_columns=compute_statistics_plan(schema, about.properties),
                    parquet_column_mapping=parquet_path_to_id_mapping(schema),
                )
                append.append_data_file(
                    DataFile.from_args(
                        content=DataFileContent.DATA,
                        file_path=str(file),
                        file_format=FileFormat.PARQUET,
                        partition=Record(),
                        file_size_in_bytes=file.stat().st_size,
                        sort_order_id=None,
                        spec_id=about.default_spec_id,
                        equality_ids=None,
                        key_metadata=None,
                        **known.to_serialized_dict(),
                    )
                )
