"""E508 column-duplicated."""

from collections.abc import Iterator

from floe.contract.lint.duplicates import named_twice
from floe.contract.lint.rule import rule
from floe.model import Dataset, Field, Message, Severity


@rule("E508", "column-duplicated", Severity.ERROR, value=(Dataset, Field))
def column_duplicated(parent: Dataset | Field) -> Iterator[Message]:
    """Two columns of a dataset, or two members of a struct, have the same name.

    Why: Spark compares names without case, so queries on the column fail as ambiguous.

    Fix: rename or remove one of them. Names that differ only in case or in Unicode form are the same name.
    """
    if len(parent.fields) > 1:
        named = [(field, field.at[len(parent.at) :]) for field in parent.fields if field.name]
        found = list(named_twice([(field.name, (*at, "name")) for field, at in named]))
        yield from found
        if not found:
            yield from named_twice([(field.column, (*at, "physicalName")) for field, at in named])
