"""What file statistics may prove about a column."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from floe.model.types import Atomic, Decimal, Type

# floats leave NaN out of their bounds, text may be cut
_EXACT = ("tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz")


class Claim(NamedTuple):
    """A claim on a column: `not_null`, `at_least` a bound, or `at_most` a bound; `strict` excludes the bound."""

    kind: str
    column: str
    bound: Any = None
    strict: bool = False


@dataclass(frozen=True, slots=True)
class FileStatistics:
    """The certain facts of the rows of one data file, without deleted ones; unknown facts are missing.

    Counts are exact; every value lies between `least` and `most`, which need not be values themselves.
    """

    rows: int | None
    nulls: Mapping[str, int] = field(default_factory=dict)
    least: Mapping[str, Any] = field(default_factory=dict)
    most: Mapping[str, Any] = field(default_factory=dict)
    size: int | None = None  # in bytes
    exact: bool = False  # to a millisecond, `least` and `most` of moments and days are values of rows that are there
    path: str | None = field(default=None, compare=False)  # as the table's log names it
    mark: str = field(default="", compare=False)  # size, time or sequence number: a path may be written again
    written: int | None = field(default=None, compare=False)  # its rows as written, including deleted ones
    deleted: str | None = field(default=None, compare=False)  # identifies the deleted rows, if there are any
    plain: bool = field(default=False, compare=False)  # Parquet that can be read by itself, without the table's log

    @property
    def id(self) -> str:
        """The file with just the rows it has now: never the same for others, nor for another file at the same path."""
        return file_id(str(self.path), self.written, self.mark, self.deleted)


def file_id(path: str, rows: int | None, mark: str, deleted: str | None = None) -> str:
    """The key of a file in the history: `whole_file`, `path_of` and `rows_of` take it apart."""
    whole = f"{path}\t{'' if rows is None else rows} {mark}"
    return f"{whole}\n{deleted}" if deleted else whole


def whole_file(id_: str) -> str:
    """The file before rows of it were deleted."""
    return id_.split("\n", 1)[0]


def path_of(id_: str) -> str:
    """The path of a file.

    >>> path_of(file_id("a.parquet", 3, "120")), rows_of(file_id("a.parquet", 3, "120"))
    ('a.parquet', 3)
    """
    return whole_file(id_).split("\t", 1)[0]


def rows_of(id_: str) -> int | None:
    """The number of rows that were written to a file; None if its key does not have it."""
    rows = whole_file(id_).partition("\t")[2].partition(" ")[0]
    return int(rows) if rows.isdigit() else None


def bounded(type_: Type) -> bool:
    """Whether the bounds that formats keep for a type hold every value of it."""
    return isinstance(type_, Decimal) or (isinstance(type_, Atomic) and type_.name in _EXACT)


def file_violations(claims: Iterable[Claim], file: FileStatistics) -> int | None:
    """How many rows of one file break claims, where its statistics prove it."""
    counts = [_in_file(claim, file) for claim in claims]
    return None if None in counts else sum(count for count in counts if count)


def violations(claim: Claim, files: tuple[FileStatistics, ...]) -> int | None:
    """The number of rows that violate a claim, if the statistics prove it; None if they do not.

    >>> violations(Claim("not_null", "a"), (FileStatistics(3, {"a": 0}), FileStatistics(5, {"a": 2})))
    2
    >>> violations(Claim("at_least", "a", 0), (FileStatistics(3, {"a": 0}, {"a": 1}),))
    0
    >>> violations(Claim("at_least", "a", 2), (FileStatistics(3, {"a": 0}, {"a": 1}),)) is None
    True
    """
    counts = [_in_file(claim, file) for file in files]
    return None if None in counts else sum(count for count in counts if count)


def _in_file(claim: Claim, file: FileStatistics) -> int | None:
    if file.rows == 0:
        return 0
    nulls = file.nulls.get(claim.column)
    if claim.kind == "not_null":
        return nulls
    if nulls is not None and nulls == file.rows:
        return 0  # nothing but nulls, which break no bound
    edge = (file.least if claim.kind == "at_least" else file.most).get(claim.column)
    if edge is None:
        return None
    try:
        beyond = edge < claim.bound if claim.kind == "at_least" else edge > claim.bound
        kept = not beyond and not (claim.strict and edge == claim.bound)
    except TypeError:
        return None
    return 0 if kept else None
