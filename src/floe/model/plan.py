"""All expectations of a dataset, ready to run."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from floe.model.claim import Claim
from floe.model.finding import Severity
from floe.model.table import Target
from floe.model.types import Struct

Bounds = tuple[int | Decimal | date, int | Decimal | date]  # the least and the most value, of one kind


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
    operators: Mapping[str, Any] = dataclasses.field(default_factory=lambda: {"mustBe": 0})
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
            "severity": str(self.severity),
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
