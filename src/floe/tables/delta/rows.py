"""Rows of Delta tables, read by deltalake."""

import json
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
from deltalake import DeltaTable, QueryBuilder
from deltalake.exceptions import DeltaError

from floe.lang.type_text import from_spark_json
from floe.model import TableError
from floe.model.contract import Target
from floe.model.types import Struct
from floe.tables.boundary import cause_of, library_errors
from floe.tables.delta.log import is_absent, open_log
from floe.tables.rows import RowQuery, marked
from floe.tables.storage import is_remote


class DeltaRows:
    """A Delta table at one version."""

    def __init__(self, table: DeltaTable) -> None:
        self._table = table
        self.properties = table.metadata().configuration
        self.schema = _schema(table)

    def find(self, wanted: RowQuery) -> list[dict[str, Any]]:
        """The rows that are wanted."""
        tests = [f"{_quote(name)} = {_literal(value)}" for name, value in wanted.values.items()]
        if wanted.dated and wanted.before:
            tests.append(f"{_quote(wanted.dated)} < {_literal(wanted.before)}")
        query = f"SELECT * FROM floe WHERE {' AND '.join(tests) or 'TRUE'}"
        message = f"The rows of {self._table.table_uri} cannot be read"
        with library_errors(message, "Check the table's files (`floe test`)", may_hold_values=True):
            read = QueryBuilder().register("floe", self._table).execute(query).read_all()
            rows: list[dict[str, Any]] = pyarrow.RecordBatchReader.from_stream(read).read_all().to_pylist()
        return rows

    def stored(self, promised: Struct) -> Struct:
        """Delta keeps a schema as it is."""
        return promised

    def past(self, schema_hash: str, version: int | None) -> Struct | None:
        """The schema of a kept version that was written under a hash or schema_version."""
        for commit in self._table.history():
            if marked(_marks(commit.get("userMetadata")), schema_hash, version):
                try:
                    return _schema(open_log(self._table.table_uri, commit["version"]))
                except (DeltaError, OSError):
                    return None  # cleaned away
        return None


def open_table(target: Target) -> DeltaRows | None:
    """The table at a path."""
    if not target.path:
        raise TableError(
            f"{target.name} is in Spark's catalog, which needs a Spark session",
            "Write it by its path, or add the path to the server of the contract",
        )
    if is_absent(target.path) if is_remote(target.path) else not Path(target.path).exists():
        return None
    try:
        return DeltaRows(open_log(target.path))
    except (DeltaError, OSError) as error:
        cause = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
        raise TableError(
            f"{target.path} cannot be read: {cause}", "Check its log, path and permissions", cause=cause_of(error)
        ) from None


def _schema(table: DeltaTable) -> Struct:
    schema = from_spark_json(json.loads(table.schema().to_json()))
    assert isinstance(schema, Struct)
    return schema


def _marks(text: Any) -> dict[str, Any]:
    try:
        said = json.loads(text or "{}")
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: Any) -> str:
    """A value as DataFusion reads it."""
    match value:
        case bool() | int():
            return str(value).upper()
        case Decimal():
            return f"CAST('{value}' AS DECIMAL(38,{max(0, -int(value.as_tuple().exponent))}))"
        case datetime():
            return f"TIMESTAMP '{value.isoformat()}'"
        case date():
            return f"DATE '{value}'"
    return "'" + str(value).replace("'", "''") + "'"
