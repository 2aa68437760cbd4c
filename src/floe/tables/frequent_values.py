"""Frequent values of a text column: the dictionary of one file has them, and it is small."""

from collections.abc import Collection

from floe.model import TableError
from floe.model.contract import Target
from floe.tables import reader_of
from floe.tables.facts import TableFacts
from floe.tables.file_schema import fits
from floe.tables.parquet.footers import frequent_in_file


def frequent_values(target: Target, facts: TableFacts, names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Some values of columns, from one local file of a table; nothing if they are not cheap to get."""
    try:
        if not names or "://" in facts.location.removeprefix("file://"):
            return {}
        reader = reader_of(target)
        if reader.tracks_files() and not fits(target, facts, (facts.files or ())[:1], names):
            return {}
        path = reader.first_path(facts)
    except (TableError, OSError):
        return {}
    return frequent_in_file(path.removeprefix("file://").removeprefix("file:"), names) if path else {}
