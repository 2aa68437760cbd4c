"""What came of a run: one outcome per expectation, and what was written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from floe.model.finding import Severity
from floe.model.show import result_as_html, write_as_html
from floe.model.table import Target
from floe.model.types import Struct

PASS, FAIL, NOT_EVALUATED, NOT_GATED = "pass", "fail", "not_evaluated", "not_gated"
WEIGHTS = {Severity.CRITICAL: 8, Severity.ERROR: 4, Severity.WARNING: 2, Severity.INFO: 1}


class Reason(Enum):
    """Why something was not evaluated, where other code acts on it."""

    SCHEMA_MISMATCH = "the schema does not match"
    NO_VALUE = "the column has no value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one expectation."""

    id: str
    code: str
    name: str
    field: str
    severity: Severity
    outcome: str
    message: str = ""
    violations: int | None = None
    actual: Any = None
    expected: Any = None
    how: str | None = None
    cause: str | None = None
    samples: tuple[Any, ...] = ()
    age: int | None = None  # in seconds, where it is about one; below zero where it lies in the future
    structural: bool = False  # schema, required field or key: refused at every level of enforcement
    reason: Reason | None = None  # not kept

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "id": self.id,
            "code": f"FLOE-{self.code}",
            "name": self.name,
            "field": self.field,
            "severity": str(self.severity),
            "outcome": self.outcome,
            "message": self.message,
            "violations": self.violations,
            "actual": self.actual,
            "expected": self.expected,
            "how": self.how,
            "cause": self.cause,
            "samples": list(self.samples),
        }

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> "Outcome":
        """An outcome from its shape."""
        kept = {key: value for key, value in said.items() if key in cls.__dataclass_fields__}
        severity, code = Severity.of(said["severity"]), said["code"].removeprefix("FLOE-")
        return cls(**{**kept, "severity": severity, "code": code, "samples": tuple(said["samples"])})

    def to_row(self) -> dict[str, Any]:
        """The outcome as the registry keeps it."""
        kept = ("code", "name", "severity", "field", "outcome", "violations", "actual", "expected", "message", "cause")
        said = self.to_dict()
        return {"expectation": self.id, **{key: said[key] for key in kept}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one dataset's plan."""

    contract: str
    version: str
    dataset: str
    checked_at: str
    expectations: tuple[Outcome, ...]
    rows: int | None = None
    snapshot: str | None = None
    cost: dict[str, Any] = field(default_factory=dict)
    read: dict[str, Any] | None = None  # files read, of how many, how many an earlier run answers for, and its snapshot
    location: str | None = None
    table_uid: str | None = None  # another table at the same place has another
    committed_at: str | None = None  # when the table's data last changed, where its log says it
    scope: str | None = None  # the part that was read, where it was not the whole
    owner: str | None = None
    support: tuple[str, ...] = ()
    target: Target | None = field(default=None, compare=False)  # how the table was looked for; not kept
    schema: Struct | None = field(default=None, compare=False)  # of the table; not kept
    nulls: Mapping[str, int] | None = field(default=None, compare=False)  # by column, where metadata tells; not kept

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The expectations that were broken, worst first."""
        return tuple(sorted((e for e in self.expectations if e.outcome == FAIL), key=lambda e: -e.severity))

    @property
    def not_evaluated(self) -> tuple[Outcome, ...]:
        """The expectations nobody could judge."""
        return tuple(e for e in self.expectations if e.outcome == NOT_EVALUATED)

    @property
    def passed(self) -> bool:
        """Whether no critical or error expectation failed."""
        return not any(e.severity >= Severity.ERROR for e in self.failed)

    @property
    def outcome(self) -> str:
        """One word for the whole: never pass where something was not evaluated."""
        if not self.passed:
            return FAIL
        return NOT_EVALUATED if self.not_evaluated else PASS

    @property
    def score(self) -> float | None:
        """0 to 100: the weighted share of good rows over what was evaluated."""
        judged = [e for e in self.expectations if e.outcome in (PASS, FAIL)]
        total = sum(WEIGHTS[e.severity] for e in judged)
        if not total:
            return None
        return round(100 * sum(WEIGHTS[e.severity] * self._good(e) for e in judged) / total, 2)

    def _repr_html_(self) -> str:
        return result_as_html(self)

    def _good(self, expectation: Outcome) -> float:
        if expectation.outcome == PASS:
            return 1.0
        bad = expectation.violations
        return 1 - min(bad / self.rows, 1.0) if bad and self.rows and expectation.how else 0.0

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> "Result":
        """A result from its shape."""
        kept = {key: value for key, value in said.items() if key in cls.__dataclass_fields__}
        support = tuple(said.get("support", ()))
        return cls(**{**kept, "support": support, "expectations": tuple(map(Outcome.of, said["expectations"]))})

    def to_dict(self) -> dict[str, Any]:
        """One element of `results`."""
        return {
            "contract": self.contract,
            "version": self.version,
            "dataset": self.dataset,
            "outcome": self.outcome,
            "passed": self.passed,
            "rows": self.rows,
            "checked_at": self.checked_at,
            "snapshot": self.snapshot,
            "location": self.location,
            "table_uid": self.table_uid,
            "committed_at": self.committed_at,
            "score": self.score,
            "partial": bool(self.not_evaluated or self.scope),
            "scope": self.scope,
            "owner": self.owner,
            "support": list(self.support),
            "expectations": [expectation.to_dict() for expectation in self.expectations],
            "cost": self.cost,
            "read": self.read,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """What a gate did with a batch."""

    table: str
    mode: str
    written: int
    refused: bool
    result: Result
    run_id: str
    location: str
    format: str
    level: str
    verdict: str = ""  # what the matrix says of it
    created: bool = False
    quarantined: int = 0
    shadow: bool = False
    batch_id: str | None = None
    snapshot_before: str | None = None
    snapshot_after: str | None = None
    schema_version: int | None = None
    schema_hash: str | None = None
    way: str | None = None  # how the rows came into the table
    feature_version: str | None = None  # of a Gold snapshot
    repeated: bool = False  # the batch was accepted before, and this is what came of it then
    notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        return write_as_html(self)

    @property
    def would_refuse(self) -> bool:
        """Whether a gate in shadow would have refused what it let through."""
        return self.shadow and self.verdict == "refuse"

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> "WriteResult":
        """A result from its shape."""
        kept = {key: value for key, value in said.items() if key in cls.__dataclass_fields__}
        given = {"result": Result.of(said["result"]), "notes": tuple(said["notes"]), "level": said["enforcement"]}
        return cls(**{**kept, **given})

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "table": self.table,
            "mode": self.mode,
            "written": self.written,
            "quarantined": self.quarantined,
            "refused": self.refused,
            "shadow": self.shadow,
            "batch_id": self.batch_id,
            "run_id": self.run_id,
            "location": self.location,
            "format": self.format,
            "enforcement": self.level,
            "verdict": self.verdict,
            "created": self.created,
            "snapshot_before": self.snapshot_before,
            "snapshot_after": self.snapshot_after,
            "schema_version": self.schema_version,
            "schema_hash": self.schema_hash,
            "way": self.way,
            "feature_version": self.feature_version,
            "repeated": self.repeated,
            "notes": list(self.notes),
            "result": self.result.to_dict(),
        }
