"""Facts of the rows of a table, for a first contract."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from floe.model.types import Atomic, Decimal, Text, Type

# a text with more values than this, or longer ones, is not a list of valid values
MOST_VALUES = 20
LONGEST_VALUE = 64
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_MOMENTS = ("date", "timestamp", "timestamp_ntz")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_KEYS = ("key", "number", "code", "uuid", "guid", "sku", "nr", "no")
# columns that a key of several is looked for in
MOST_PARTS = 6


@dataclass(frozen=True, slots=True)
class ColumnSeen:
    """A column as its rows show it; `values` is None where they are too many or too long to list."""

    nulls: int
    least: Any = None
    most: Any = None
    values: tuple[str, ...] | None = None
    unique: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """What the rows that were read show; `whole` where they are all rows of the table."""

    rows: int
    whole: bool
    columns: Mapping[str, ColumnSeen]
    key: tuple[str, ...] = ()


def kind(type_: Type) -> str | None:
    """The kind of profile of a type: text, whole number, number, timestamp, or only nulls.

    >>> [kind(Atomic(name)) for name in ("string", "bigint", "double", "date", "binary")]
    ['text', 'whole', 'number', 'moment', None]
    """
    match type_:
        case Text() | Atomic("string"):
            return "text"
        case Decimal():
            return "number"
        case Atomic(name) if name in _WHOLE:
            return "whole"
        case Atomic(name) if name in _MOMENTS:
            return "moment"
        case Atomic("float" | "double"):
            return "number"
    return None


def names_a_row(name: str) -> bool:
    """Whether a name is that of an identifier.

    >>> [names_a_row(name) for name in ("order_id", "orderId", "l_orderkey", "paid", "price", "id")]
    [True, True, True, False, False, True]
    """
    words = [word.lower() for word in _PARTS.findall(name)]
    return bool(words) and (words[-1] == "id" or words[-1].endswith(_KEYS))


def find_key(
    candidates: Sequence[str], unique: Sequence[str], distinct: Callable[[tuple[str, ...]], bool]
) -> tuple[str, ...]:
    """The columns that identify a row: a column with such a name, else two or three combined, else the first column.

    Args:
        candidates: the columns without nulls that could be part of a key, in the table's order.
        unique: those of them that never repeat a value.
        distinct: whether no two rows are equal in some columns.
    """
    alone = [name for name in unique if names_a_row(name)]
    if alone:
        return (alone[0],)
    parts = [name for name in candidates if names_a_row(name)][:MOST_PARTS]
    for size in (2, 3):
        for together in combinations(parts, size):
            if distinct(together):
                return together
    return (unique[0],) if unique and unique[0] == candidates[0] else ()
