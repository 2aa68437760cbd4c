"""The plan of a dataset: all its expectations, ready to run, and what file statistics may prove about a column (claims)."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal as Number
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from floe.model.contract import Target
from floe.model.finding import Severity
from floe.model.types import Atomic, Decimal, Struct, Type

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
    """The key of a file in the history of a table (engine/incremental/history.py takes it apart)."""
    whole = f"{path}\t{'' if rows is None else rows} {mark}"
    return f"{whole}\n{deleted}" if deleted else whole


def bounded(type_: Type) -> bool:
    """Whether the bounds that formats keep for a type hold every value of it."""
    return isinstance(type_, Decimal) or (isinstance(type_, Atomic) and type_.name in _EXACT)


_NO_VIOLATION = {"mustBe": 0}
Bounds = tuple[int | Number | date, int | Number | date]  # the least and the most value, of one kind


class Reference(NamedTuple):
    """Columns of a dataset that others refer to."""

    dataset: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{self.dataset}.{self.columns[0]}"
            if len(self.columns) == 1
            else f"{self.dataset}({', '.join(self.columns)})"
        )


@dataclass(frozen=True, slots=True)
class RowRule:
    """A rule about single rows: SQL that is true for a bad row."""

    sql: str


@dataclass(frozen=True, slots=True)
class UniqueKey:
    """Columns whose combined values occur in one row at most."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns whose values, unless null, exist in the columns of another dataset."""

    columns: tuple[str, ...]
    target: Reference


@dataclass(frozen=True, slots=True)
class RowCount:
    """The number of rows of the table."""


@dataclass(frozen=True, slots=True)
class RowAge:
    """How long ago the newest or oldest value of a column was: SQL for it in seconds since 1970."""

    kind: Literal["newest", "oldest"]
    seconds: str
    zone: str = ""  # in which values without one are meant


@dataclass(frozen=True, slots=True)
class CommitAge:
    """How long ago rows were last committed."""


@dataclass(frozen=True, slots=True)
class RowsPerDay:
    """How many rows each completed day has: SQL for the day of a row as days since 1970, in a zone."""

    day: str
    zone: str
    least: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class SqlQuery:
    """One read-only query that returns one number; `tables` maps each of its `{parameters}` to a dataset."""

    sql: str
    tables: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CostBudget:
    """What a table may cost: bytes of storage, or seconds of computing within a number of seconds."""

    kind: str
    most: int
    within: int | None = None


@dataclass(frozen=True, slots=True)
class MonitorOnly:
    """A service level that only the monitor can check over time."""

    why: str


@dataclass(frozen=True, slots=True)
class NotEvaluable:
    """An expectation that cannot be evaluated."""

    cause: str


Check = (
    RowRule | UniqueKey | ForeignKey | RowCount | RowAge | CommitAge | RowsPerDay | SqlQuery | CostBudget
    | MonitorOnly | NotEvaluable
)  # fmt: skip
"""What an expectation measures. A kind that is added here is a type error wherever a `match` leaves it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One thing that a contract requires of data, how it is measured, and the threshold that decides."""

    id: str
    code: str
    name: str
    field: str
    severity: Severity
    check: Check
    expected: Any = None
    operators: Mapping[str, Any] = dataclasses.field(default_factory=_NO_VIOLATION.copy)
    unit: str | None = None
    columns: tuple[str, ...] = ()  # the columns it reads; without them it cannot be evaluated
    claims: tuple[Claim, ...] = ()  # the claims on file statistics that prove it, all of them combined
    structural: bool = False
    gated: bool = True  # false: not a rule of gates
    level: str = ""  # the service level or budget that it comes from, such as freshness or costBudget.storage

    @property
    def counts_rows(self) -> bool:
        """Whether rows can answer it at all."""
        return isinstance(self.check, RowRule | UniqueKey | ForeignKey | RowCount | RowAge | RowsPerDay | SqlQuery)

    @property
    def row_rule(self) -> str | None:
        """SQL that is true for a bad row, where single rows can break it."""
        return self.check.sql if isinstance(self.check, RowRule) else None

    @property
    def key(self) -> tuple[str, ...]:
        """The columns of a key or reference."""
        return self.check.columns if isinstance(self.check, UniqueKey | ForeignKey) else ()

    @property
    def reference(self) -> Reference | None:
        """The target of a reference."""
        return self.check.target if isinstance(self.check, ForeignKey) else None

    @property
    def cause(self) -> str | None:
        """Why it cannot be evaluated."""
        return self.check.cause if isinstance(self.check, NotEvaluable) else None

    @property
    def ways(self) -> tuple[str, ...]:
        """How it is evaluated, the cheapest way first; empty if it is not evaluated."""
        match self.check:
            case RowRule():
                ways: tuple[str, ...] = ("row pass",)
            case RowCount():
                return "metadata", "row pass"
            case RowAge():
                ways = ("row pass",)
            case CommitAge():
                return ("metadata",)
            case UniqueKey():
                ways = ("shuffle",)
            case ForeignKey():
                ways = ("join",)
            case SqlQuery() | RowsPerDay():
                ways = ("query",)
            case CostBudget() | MonitorOnly() | NotEvaluable():
                return ()
        return ("metadata", *ways) if self.claims else ways

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        claims = [
            f"{claim.kind} {claim.column}" + ("" if claim.bound is None else f" {claim.bound}") for claim in self.claims
        ]
        monitor_only = self.check.why if isinstance(self.check, MonitorOnly) else None
        return {
            "id": self.id,
            "code": f"FLOE-{self.code}",
            "name": self.name,
            "field": self.field,
            "severity": self.severity.word,
            "expected": self.expected,
            "ways": list(self.ways),
            "claims": claims,
            "sql": self._sql(),
            "keys": list(self.key),
            "target": str(self.reference) if self.reference else None,
            "gate": self.gated and monitor_only is None,
            "cause": self.cause,
            "watched": monitor_only,
        }

    def _sql(self) -> str | None:
        match self.check:
            case RowRule(sql) | SqlQuery(sql):
                return sql
            case RowAge(seconds=seconds):
                return seconds
            case RowsPerDay(day):
                return day
        return None


class RowScope(NamedTuple):
    """The part of a table that is read: as the caller wrote it, as SQL that is true for its rows, and as a fraction."""

    said: str
    where: str | None = None
    sample: float | None = None


class VerifyInputs(NamedTuple):
    """The inputs of a check besides its plan: the salt of samples, the referenced tables, the part to read."""

    salt: str
    references: Mapping[str, Target]
    now: int  # seconds since 1970
    scope: RowScope | None = None
    rows: int | None = None  # the number of rows, if metadata has it
    bounds: Mapping[str, Bounds] = MappingProxyType({})  # of columns, if metadata has them
    clustered: Mapping[str, bool] = MappingProxyType({})  # of columns, whether each file has its own range of values
    common: Mapping[str, tuple[str, ...]] = MappingProxyType({})  # values that columns of text have again and again
    loose: frozenset[str] = frozenset()  # columns whose statistics may be wrong
    full: bool = False  # whatever earlier runs found


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The expectations and the schema of one dataset."""

    contract: str
    version: str
    dataset: str
    schema: Struct
    key: tuple[str, ...]
    partition: tuple[str, ...]
    masked: frozenset[str]
    expectations: tuple[Expectation, ...]

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "contract": self.contract,
            "version": self.version,
            "dataset": self.dataset,
            "expectations": [expectation.to_dict() for expectation in self.expectations],
        }
