"""All expectations of a dataset, ready to run."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from floe.model.claim import Claim
from floe.model.finding import Severity
from floe.model.types import Struct


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
    operators: Mapping[str, Any] = dataclasses.field(default_factory=lambda: {"mustBe": 0})
    unit: str | None = None
    columns: tuple[str, ...] = ()  # the columns it reads; without them it cannot be judged
    claims: tuple[Claim, ...] = ()  # what file statistics would prove it by, all of them together
    structural: bool = False
    cause: str | None = None  # why nobody can evaluate it
    gated: bool = True  # false: not a rule of gates

    @property
    def measurable(self) -> bool:
        """Whether rows can answer it at all."""
        return bool(self.sql or self.keys or self.counts)


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
