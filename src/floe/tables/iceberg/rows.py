"""Rows of Iceberg tables, read by pyiceberg."""

from typing import Any

from pyiceberg.expressions import AlwaysTrue, And, BooleanExpression, EqualTo, LessThan, Reference
from pyiceberg.expressions.literals import literal
from pyiceberg.table import StaticTable, Table

from floe.model.contract import Target
from floe.model.types import Struct
from floe.settings import Settings
from floe.tables.boundary import library_errors
from floe.tables.iceberg.metadata import by_name, metadata_file, stored, struct_of
from floe.tables.rows import RowQuery, marked


class IcebergRows:
    """An Iceberg table at one snapshot."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.properties = table.properties
        self.schema = struct_of(table.schema().as_struct())

    def find(self, wanted: RowQuery) -> list[dict[str, Any]]:
        """The rows that are wanted."""
        test: BooleanExpression = AlwaysTrue()
        for name, value in wanted.values.items():
            test = And(test, EqualTo(term=Reference(name), value=literal(value)))
        if wanted.dated and wanted.before:
            test = And(test, LessThan(term=Reference(wanted.dated), value=literal(wanted.before)))
        message = f"The rows of {self._table.location()} cannot be read"
        with library_errors(message, "Check the table's files (`floe test`)", may_hold_values=True):
            rows: list[dict[str, Any]] = self._table.scan(row_filter=test).to_arrow().to_pylist()
        return rows

    def stored(self, promised: Struct) -> Struct:
        """A schema as Iceberg keeps it."""
        kept = stored(promised)
        assert isinstance(kept, Struct)
        return kept

    def past(self, schema_hash: str, version: int | None) -> Struct | None:
        """The schema of a kept snapshot that was written under a hash or schema_version."""
        schemas = self._table.schemas()
        for snapshot in reversed(self._table.snapshots()):
            marks = snapshot.summary.additional_properties if snapshot.summary else {}
            if snapshot.schema_id in schemas and marked(marks, schema_hash, version):
                return struct_of(schemas[snapshot.schema_id].as_struct())
        return None


def open_table(target: Target, settings: Settings) -> IcebergRows | None:
    """The table of a catalog, or of a metadata file."""
    if target.name:
        table = by_name(target.name, settings)
    else:
        file = metadata_file(str(target.path))
        table = StaticTable.from_metadata(file) if file else None
    return IcebergRows(table) if table else None
