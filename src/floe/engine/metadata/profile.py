"""What the rows of a table show, read in batches of Arrow without a JVM."""

import datetime
from collections.abc import Iterable
from typing import Any

import pyarrow
from pyarrow import compute

from floe.model.profile import (
    LONGEST_VALUE,
    MOST_PARTS,
    MOST_VALUES,
    ColumnSeen,
    Observation,
    find_key,
    kind,
    names_a_row,
)
from floe.model.types import Struct

# what the values of one column may take while it is not known whether they repeat
_MOST_BYTES = 256 * 1024 * 1024


def observe(batches: Iterable[pyarrow.RecordBatch], schema: Struct, most: int) -> Observation:
    """Nulls, bounds, listed values and keys of at most so many rows; memory does not grow with the table."""
    parts = [member.name for member in schema.members if names_a_row(member.name)][:MOST_PARTS]
    columns = {member.name: _Column(kind(member.type), member.name in parts) for member in schema.members}
    rows, whole = 0, True
    for batch in batches:
        if rows >= most and batch.num_rows:
            whole = False
            break
        part = batch.slice(0, most - rows)
        whole = part.num_rows == batch.num_rows
        rows += part.num_rows
        names = set(part.schema.names)
        for name, column in columns.items():
            column.add(part.column(name) if name in names else pyarrow.nulls(part.num_rows))
        if not whole:
            break
    return Observation(rows, whole, {name: one.seen() for name, one in columns.items()}, _key(columns, rows))


def _key(columns: dict[str, "_Column"], rows: int) -> tuple[str, ...]:
    if rows < 2:
        return ()
    candidates = [name for name, one in columns.items() if one.kept is not None and not one.nulls]
    unique = [name for name in candidates if columns[name].unique]
    return find_key(candidates, unique, lambda names: _distinct([columns[name] for name in names], rows))


def _distinct(columns: list["_Column"], rows: int) -> bool:
    names = [str(index) for index in range(len(columns))]
    table = pyarrow.table([pyarrow.chunked_array(column.kept) for column in columns], names)
    return bool(table.group_by(names, use_threads=False).aggregate([]).num_rows == rows)


class _Column:
    """What is known of one column so far."""

    def __init__(self, kind_: str | None, part: bool) -> None:
        self.kind = kind_
        self.part = part  # of a key of several columns, perhaps: then it may repeat
        self.rows = self.nulls = self.bytes = 0
        self.edges: list[tuple[Any, Any]] | None = [] if kind_ not in (None, "text") else None
        self.values: set[str] | None = set() if kind_ == "text" else None
        self.kept: list[Any] | None = [] if kind_ in ("text", "whole") else None

    def add(self, array: Any) -> None:
        """Add the values of one more batch."""
        values = _plain(array, self.kind)
        self.rows += len(values)
        self.nulls += values.null_count
        if values.null_count == len(values):
            self.kept = None if self.nulls else self.kept
            return
        self._bound(values)
        self._list(values)
        self._keep(values)

    def _bound(self, values: Any) -> None:
        if self.edges is None:
            return
        if pyarrow.types.is_floating(values.type) and not compute.all(compute.is_finite(values)).as_py():
            self.edges = None
            return
        try:
            found = compute.min_max(values).as_py()
        except (ValueError, OverflowError, pyarrow.ArrowException):  # days that Python does not have
            self.edges = None
            return
        self.edges.append((_in_utc(found["min"]), _in_utc(found["max"])))

    def _list(self, values: Any) -> None:
        if self.values is not None:
            self.values |= set(compute.drop_null(compute.unique(values)).slice(0, MOST_VALUES + 1).to_pylist())
            if len(self.values) > MOST_VALUES or any(len(name) > LONGEST_VALUE for name in self.values):
                self.values = None

    def _keep(self, values: Any) -> None:
        if self.kept is None:
            return
        self.bytes += values.nbytes
        self.kept.append(values)
        repeats = not self.part and compute.count_distinct(values).as_py() < len(values)
        if self.nulls or repeats or self.bytes > _MOST_BYTES:
            self.kept = None

    @property
    def unique(self) -> bool:
        """Whether no value came twice, as far as that is known."""
        if not self.kept or self.nulls or self.rows < 2:
            return False
        return bool(compute.count_distinct(pyarrow.chunked_array(self.kept)).as_py() == self.rows)

    def seen(self) -> ColumnSeen:
        """The result."""
        edges = self.edges or ()
        return ColumnSeen(
            self.nulls,
            min((low for low, _ in edges), default=None),
            max((high for _, high in edges), default=None),
            tuple(sorted(self.values)) if self.values else None,
            self.unique,
        )


def _plain(array: Any, kind_: str | None) -> Any:
    """Values in the Arrow type for profiling: texts and dictionaries come in several."""
    if pyarrow.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if kind_ == "text" and array.type != pyarrow.string():
        return array.cast(pyarrow.string())
    if pyarrow.types.is_timestamp(array.type) and array.type.unit == "ns":
        return array.cast(pyarrow.timestamp("us", array.type.tz), safe=False)
    return array


def _in_utc(value: Any) -> Any:
    return value.astimezone(datetime.UTC) if isinstance(value, datetime.datetime) and value.tzinfo else value
