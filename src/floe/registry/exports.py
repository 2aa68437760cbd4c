"""The whole registry as rows, in one moment, and back: all of them or none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.model import RegistryError
from floe.registry.schema import metadata
from floe.registry.store import Store
from floe.registry.versions import row_hash

Row = Mapping[str, Any]
TABLES = tuple(table.name for table in metadata.sorted_tables)  # those that others refer to come first
_AT_ONCE = 400


def all_rows(store: Store) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every row with the name of its table, at one point in time, in a stable order."""
    with store.begin(patient=True) as connection:
        if store.postgresql:
            connection.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
        for table in metadata.sorted_tables:
            chosen = sa.select(table).order_by(*(_ordered(column, store) for column in table.primary_key))
            for row in connection.execute(chosen, execution_options={"yield_per": _AT_ONCE}).mappings():
                yield table.name, dict(row)


def _ordered(column: sa.Column[Any], store: Store) -> Any:
    """The same order on both databases."""
    text = isinstance(column.type, sa.String) and store.postgresql
    return sa.collate(column, "C") if text else column


def restore(store: Store, rows: Iterable[tuple[str, dict[str, Any]]]) -> int:
    """Insert rows, those of a table in one go; returns how many were missing. Another row of the same key refuses all."""
    added = 0
    with store.begin(writes=True, patient=True) as connection:
        if store.postgresql:
            connection.execute(sa.text("LOCK TABLE contracts, versions IN EXCLUSIVE MODE"))
        for name, of in groupby(rows, key=lambda pair: pair[0]):
            table = metadata.tables[name]
            values = (row for _, row in of)
            while batch := list(islice(values, _AT_ONCE)):
                added += _put(connection, table, batch)
            if store.postgresql and table.autoincrement_column is not None:
                _count_on(connection, table)
    return added


def _put(connection: Connection, table: sa.Table, batch: Sequence[dict[str, Any]]) -> int:
    """Add the rows that are missing; those that are there must be the same."""
    keys = [column.name for column in table.primary_key]
    there = {tuple(row[key] for key in keys): row for row in _there(connection, table, keys[0], batch)}
    missing = []
    for row in batch:
        key = tuple(row[name] for name in keys)
        if key not in there:
            missing.append(row)
        elif there[key] != row:
            raise _other(table.name, key, there[key], row)
    if missing:
        connection.execute(sa.insert(table), missing)
    return len(missing)


def _there(connection: Connection, table: sa.Table, key: str, batch: Sequence[Row]) -> Iterator[Row]:
    """The rows that may be those of a batch: by the first column of their key alone, which an index answers."""
    wanted = sorted({row[key] for row in batch})
    for row in connection.execute(sa.select(table).where(table.c[key].in_(wanted))).mappings():
        yield dict(row)


def _other(table: str, key: Sequence[Any], there: Row, row: Row) -> RegistryError:
    column = next(name for name in row if there.get(name) != row[name])
    return RegistryError(
        f"The registry has a different row of {table} for {', '.join(map(str, key))}: "
        f"{column} is {_short(there.get(column))}, the export has {_short(row[column])}; nothing was imported",
        "Import into an empty registry (registry.url), or into the one that was exported",
        "E523",
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _count_on(connection: Connection, table: sa.Table) -> None:
    """Let PostgreSQL number new rows after those that came with their numbers."""
    newest = f"(SELECT max(id) FROM {table.name})"
    text = f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), {newest}) WHERE {newest} IS NOT NULL"
    connection.execute(sa.text(text))


def untouched(row: Row) -> bool:
    """Whether the texts of a version are those that were registered."""
    return row_hash(str(row["document"]), str(row["effective"])) == str(row["row_hash"])
