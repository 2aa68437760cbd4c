"""Whether the columns of Parquet files are those of their table, by the footers."""

from collections.abc import Collection, Sequence

from pyarrow import parquet as pq

from floe.tables.facts import TableFacts
from floe.tables.parquet.footers import footers, struct_of
from floe.tables.storage import system_of


def columns_match(facts: TableFacts, paths: Sequence[str], columns: Collection[str]) -> bool:
    """Whether the footers name the columns by the table's own ids, where it has ids, and by its types."""
    wanted = {name: int(facts.identities[name].split(" ", 1)[0]) for name in columns if name in facts.identities}
    places = [system_of(path) for path in paths]
    return all(_has(next(footers([place], system)), facts, wanted) for system, place in places)


def _has(footer: pq.FileMetaData, table: TableFacts, wanted: dict[str, int]) -> bool:
    assert table.schema
    types = {member.name: member.type for member in struct_of(footer).members}
    arrow = footer.schema.to_arrow_schema()
    numbers = {part.name: int((part.metadata or {}).get(b"PARQUET:field_id", -1)) for part in arrow}
    return all(numbers.get(name) == number for name, number in wanted.items()) and all(
        str(types[name]) == str(table.schema[name].type) for name in wanted
    )
