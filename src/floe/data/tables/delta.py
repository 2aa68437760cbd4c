"""Delta's log, read by deltalake."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError

from floe.data.tables.facts import TableFacts
from floe.model import TableError
from floe.model.claim import FileStatistics
from floe.model.table import Target
from floe.model.type_text import from_spark_json
from floe.model.types import Struct


def spark_schema(path: str) -> str:
    """The table's schema as Spark's JSON."""
    return str(_open(path).schema().to_json())


def probe(target: Target) -> TableFacts | None:
    """What the log at a path says."""
    if not target.path:
        raise TableError(
            f"{target.name} is a name in Spark's catalog, which only a Spark session can ask",
            "Name its path with --table",
        )
    if "://" not in target.path and not Path(target.path).exists():
        return None
    table = _open(target.path)
    columns = tuple(column.name for column in table.schema().fields)
    log = f"{target.path}/_delta_log/{table.version():020}.json"
    schema = from_spark_json(json.loads(table.schema().to_json()))
    assert isinstance(schema, Struct)
    properties = table.metadata().configuration
    return TableFacts(
        target.path,
        str(table.version()),
        log,
        columns,
        properties,
        schema,
        _committed(table),
        tuple(table.metadata().partition_columns),
        _files(table, properties),
    )


def _committed(table: DeltaTable) -> int | None:
    stamps = [entry.get("timestamp") for entry in table.history(1)]
    return int(stamps[0]) // 1000 if stamps and stamps[0] is not None else None


def _files(table: DeltaTable, properties: Mapping[str, str]) -> tuple[FileStatistics, ...] | None:
    """The log's statistics per file, by column; None where names in files are not the table's names."""
    features = set(table.protocol().writer_features or ())
    if properties.get("delta.columnMapping.mode", "none") != "none" or "typeWidening" in features:
        return None
    # deletion vectors are not shown here: where the table may have some, counts are only upper bounds
    whole = "deletionVectors" not in features
    try:
        rows = pyarrow.table(table.get_add_actions(flatten=True)).to_pylist()
    except (DeltaError, pyarrow.ArrowException):
        return None
    return tuple(
        FileStatistics(row.get("num_records"), _of(row, "null_count."), _of(row, "min."), _of(row, "max."), whole)
        for row in rows
    )


def _of(row: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {key[len(prefix) :]: value for key, value in row.items() if key.startswith(prefix) and value is not None}


def _open(path: str) -> DeltaTable:
    try:
        return DeltaTable(path)
    except TableNotFoundError:
        raise TableError(
            f"{path} is there, but it is no Delta table",
            "Name another table with --table, or move what stands there",
        ) from None
    except (DeltaError, OSError) as error:
        raise TableError(
            f"{path} cannot be read: {str(error).splitlines()[0]}", "Check the path and its permissions"
        ) from None
