"""All expectations of a dataset, ready to run."""

from dataclasses import dataclass
from typing import Any

from floe.model.finding import Severity
from floe.model.types import Struct


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One promise about data that a plan can measure; `sql` is true for a bad row, `keys` must be unique together."""

    id: str
    code: str
    name: str
    field: str
    severity: Severity
    expected: Any = None
    sql: str | None = None
    keys: tuple[str, ...] = ()
    structural: bool = False
    cause: str | None = None  # why nobody can evaluate it
    gated: bool = True  # false: not a rule of gates


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
