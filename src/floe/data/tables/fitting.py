"""Whether data files can be read by themselves: their columns are the table's own, not others of the same names."""

import os
from collections.abc import Collection, Iterable, Sequence
from urllib.parse import unquote

from pyarrow import parquet as pq

from floe.data.tables.facts import TableFacts
from floe.data.tables.folder import system_of
from floe.data.tables.parquet import footers, struct_of
from floe.model.claim import FileStatistics
from floe.model.types import Text

_SIGNS = set("%*?[]{}\\")  # seldom in names: a table that has them is read as a whole


def paths_of(format_: str, table: TableFacts, files: Iterable[FileStatistics]) -> list[str]:
    """Where the files stand."""
    if format_ == "iceberg":
        return [str(file.path) for file in files]
    return [_below(table.location.rstrip("/"), str(file.path)) for file in files]


def _below(root: str, path: str) -> str:
    """A file of a Delta table; local folders keep the name as it is written, or as it is meant."""
    named = f"{root}/{path}"
    return named if "://" in root or os.path.exists(named) else f"{root}/{unquote(path)}"


def fits(format_: str, table: TableFacts, files: Sequence[FileStatistics], columns: Collection[str]) -> bool:
    """Whether the columns stand in every file as the table has them now; Delta's names are sure by themselves."""
    assert table.schema
    types = {member.name: member.type for member in table.schema.members}
    padded = any(isinstance(types.get(name), Text) for name in columns)  # tables pad such text, files may not
    paths = paths_of(format_, table, files)
    if padded or not all(file.plain for file in files) or any(_SIGNS & set(path) for path in paths):
        return False
    if format_ == "delta":
        return True
    wanted = {name: int(table.identities[name].split(" ", 1)[0]) for name in columns if name in table.identities}
    places = [system_of(path) for path in paths]
    return all(_has(next(footers([place], system)), table, wanted) for system, place in places)


def _has(footer: pq.FileMetaData, table: TableFacts, wanted: dict[str, int]) -> bool:
    assert table.schema
    types = {member.name: member.type for member in struct_of(footer).members}
    arrow = footer.schema.to_arrow_schema()
    numbers = {part.name: int((part.metadata or {}).get(b"PARQUET:field_id", -1)) for part in arrow}
    return all(numbers.get(name) == number for name, number in wanted.items()) and all(
        str(types[name]) == str(table.schema[name].type) for name in wanted
    )
