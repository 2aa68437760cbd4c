"""E508 position-unclear."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Dataset, Message, Severity


@rule("E508", "position-unclear", Severity.WARNING, value=Dataset)
def position_unclear(dataset: Dataset) -> Iterator[Message]:
    """Two columns have the same position in the key or partition, or a position does not exist.

    Why: the order of key and partition columns decides the layout of the table. Positions count from 1.

    Fix: number the columns 1, 2, 3 …
    """
    yield from _positions(dataset, "primaryKey", "primaryKeyPosition")
    yield from _positions(dataset, "partitioned", "partitionKeyPosition")


def _positions(dataset: Dataset, flag: str, key: str) -> Iterator[Message]:
    seen: dict[int, str] = {}
    for field in dataset.fields:
        position = field.node.get(key)
        if not isinstance(position, int) or isinstance(position, bool):
            continue
        in_use = field.node.get(flag) is True
        problem = ""
        if position == 0 or (in_use and position < 1):
            problem = f"{key} is {position}, positions count from 1"
        elif in_use and position in seen:
            problem = f"'{seen[position]}' and '{field.name}' both have {key} {position}"
        elif position > 0 and not in_use:
            problem = f"{key} is {position}, but {flag} is not true"
        if problem:
            yield Message(
                f"The position of '{field.path}' is unclear",
                problem,
                f"Number the columns 1, 2, 3 …, or remove {key}",
                at=(*field.at[len(dataset.at) :], key),
            )
        elif in_use:
            seen[position] = field.name
