"""What is known of a key before it is checked, and what came of checking it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pyspark.sql import Column, DataFrame, Row

from floe.engine.spark.row_pass import SampleKey
from floe.model.plan import Bounds

Edges = Sequence[tuple[int, int]] | None  # the least value and the width of each part of a dense key


class KeyStatistics(NamedTuple):
    """What is known of a key before it is checked: `edges` where it is dense, rows with and without nulls, `bounds`.

    `clustered` says whether files hold values rather apart from one another's; None where nobody knows.
    """

    edges: Edges = None
    rows: int = 0
    clustered: bool | None = None
    bounds: Sequence[Bounds | None] = ()


class DuplicateKeys(NamedTuple):
    """Rows beyond the first of their key, rows whose key is in the table already, and how many keys those are."""

    twice: int
    there: int
    keys_there: int
    samples: Sequence[Any]
    key: SampleKey
    method: str


class OrphanKeys(NamedTuple):
    """Rows whose key is whole and not found where it should be."""

    rows: int
    samples: Sequence[Any]
    key: SampleKey
    method: str


class Declined(NamedTuple):
    """Why a way of checking a key has no answer; `group` where rows must be grouped, and no other way is tried."""

    reason: str = ""
    group: bool = False


class Search(NamedTuple):
    """A code that rows of one key share, and the query for codes that more than one row may have.

    Rows of its answer begin with the code. `read` takes repeated keys from them, or None where they do not tell.
    """

    method: str
    code: Column
    suspects: DataFrame
    read: Callable[[Sequence[Row], SampleKey], DuplicateKeys | None]


def no_duplicates(key: SampleKey, method: str) -> DuplicateKeys:
    """That no key repeats."""
    return DuplicateKeys(0, 0, 0, (), key, method)


def key_statistics(
    columns: Sequence[str],
    edges: Edges,
    rows: int | None,
    clustered: Mapping[str, bool],
    bounds: Mapping[str, Bounds],
    masked: frozenset[str],
) -> KeyStatistics:
    """What is known of the key of columns; without edges of classified ones, which would stand in a query's text."""
    known = [clustered[name] for name in columns if name in clustered]
    between = [bounds.get(name) for name in columns]
    return KeyStatistics(None if masked & set(columns) else edges, rows or 0, any(known) if known else None, between)
