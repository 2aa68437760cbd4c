"""Whether data files can be read by themselves: their columns are the table's own, not others of the same names."""

from collections.abc import Collection, Sequence

from floe.model.contract import Target
from floe.model.plan import FileStatistics
from floe.model.types import Text
from floe.tables import reader_of
from floe.tables.facts import TableFacts

_PATTERN_SIGNS = set("%*?[]{}\\")  # rare in names: a table whose paths have them is read as a whole


def fits(target: Target, facts: TableFacts, files: Sequence[FileStatistics], columns: Collection[str]) -> bool:
    """Whether Spark may read just these files and find the table's own columns in them."""
    assert facts.schema
    types = {member.name: member.type for member in facts.schema.members}
    if any(isinstance(types.get(name), Text) for name in columns):
        return False  # tables pad text of a fixed length, files may not
    reader = reader_of(target)
    paths = reader.file_paths(facts, files)
    if not all(file.plain for file in files) or any(_PATTERN_SIGNS & set(path) for path in paths):
        return False
    return reader.columns_match(facts, files, paths, columns)
