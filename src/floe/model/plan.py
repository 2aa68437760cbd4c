"""All expectations of a dataset, ready to run."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple

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


class Age(NamedTuple):
    """How old something is: the newest or oldest value of a column in seconds since 1970, or the table's last commit."""

    kind: str
    seconds: str = ""
    zone: str = ""  # in which values without one are meant


class Query(NamedTuple):
    """One read-only query that yields one number; `tables` says which dataset each of its `{parameters}` is."""

    sql: str
    tables: tuple[tuple[str, str], ...]


class Volume(NamedTuple):
    """How many rows each completed day may have: the day of a row as days since 1970, in a zone."""

    day: str
    zone: str
    least: int | None
    most: int | None


class Budget(NamedTuple):
    """What a table may cost: bytes of storage, or seconds of computing within a number of seconds."""

    kind: str
    most: int
    within: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One promise about data that a plan can measure, and the threshold it is held to.

    `sql` is true for a bad row, `keys` must be unique together, `counts` is the number of rows itself.
    """

    id: str
    code: str
    name: str
    field: str
    severity: Severity
    expected: Any = None
    sql: str | None = None
    keys: tuple[str, ...] = ()
    counts: bool = False
    target: Reference | None = None  # where `keys` must be found
    age: Age | None = None
    budget: Budget | None = None
    query: Query | None = None
    volume: Volume | None = None
    operators: Mapping[str, Any] = dataclasses.field(default_factory=lambda: {"mustBe": 0})
    unit: str | None = None
    columns: tuple[str, ...] = ()  # the columns it reads; without them it cannot be judged
    claims: tuple[Claim, ...] = ()  # what file statistics would prove it by, all of them together
    structural: bool = False
    cause: str | None = None  # why nobody can evaluate it
    watched: str | None = None  # why a test does not judge it, and nothing is amiss
    gated: bool = True  # false: not a rule of gates

    @property
    def measurable(self) -> bool:
        """Whether rows can answer it at all."""
        asked = self.sql or self.keys or self.counts or self.query or self.volume
        return bool(asked or (self.age and self.age.seconds))

    @property
    def ways(self) -> tuple[str, ...]:
        """How it is judged, the cheapest way first; empty where nobody judges it."""
        if self.cause or self.watched:
            return ()
        last = self.age is not None and self.age.kind == "commit"
        found = {
            "metadata": self.claims or self.counts or last,
            "row pass": self.sql or self.counts or (self.age and self.age.seconds),
            "shuffle": self.keys and not self.target,
            "join": self.target,
            "query": self.query or self.volume,
        }
        return tuple(way for way, used in found.items() if used)

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        claims = [f"{one.kind} {one.column}" + ("" if one.bound is None else f" {one.bound}") for one in self.claims]
        asked = self.sql or (self.query.sql if self.query else None) or (self.age.seconds if self.age else None)
        return {
            "id": self.id,
            "code": f"FLOE-{self.code}",
            "name": self.name,
            "field": self.field,
            "severity": str(self.severity),
            "expected": self.expected,
            "ways": list(self.ways),
            "claims": claims,
            "sql": asked or (self.volume.day if self.volume else None),
            "keys": list(self.keys),
            "target": str(self.target) if self.target else None,
            "gate": self.gated and not self.watched,
            "cause": self.cause,
            "watched": self.watched,
        }


class Scope(NamedTuple):
    """The part of a table that is read: as the caller said it, as SQL that is true for its rows, and which share of those."""

    said: str
    where: str | None = None
    sample: float | None = None


class Aids(NamedTuple):
    """What judging a table needs besides its plan: the salt of samples, the tables that keys refer to, the part to read."""

    salt: str
    references: Mapping[str, Target]
    now: int  # seconds since 1970
    scope: Scope | None = None
    rows: int | None = None  # how many there are, where metadata tells
    bounds: Mapping[str, Bounds] = MappingProxyType({})  # of columns, where metadata tells
    apart: Mapping[str, bool] = MappingProxyType({})  # whether files hold values of a column apart from one another's
    common: Mapping[str, tuple[str, ...]] = MappingProxyType({})  # values that columns of text have again and again
    full: bool = False  # whatever earlier runs found


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one dataset promises, as schema and as expectations."""

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
            "expectations": [one.to_dict() for one in self.expectations],
        }
