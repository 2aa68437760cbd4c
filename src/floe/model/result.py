"""Results of a run: one outcome per expectation by its threshold, the decision of a gate, and the written rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, StrEnum
from fractions import Fraction
from typing import Any, NamedTuple

from floe.model.contract import Target
from floe.model.finding import Severity
from floe.model.plan import Expectation, MonitorOnly, RowCount
from floe.model.show import result_as_html, write_as_html
from floe.model.types import Struct

PASS, FAIL, NOT_EVALUATED, NOT_GATED = "pass", "fail", "not_evaluated", "not_gated"
WEIGHTS = {Severity.CRITICAL: 8, Severity.ERROR: 4, Severity.WARNING: 2, Severity.INFO: 1}


class Reason(Enum):
    """Why something was not evaluated, where other code acts on it."""

    SCHEMA_MISMATCH = "the schema does not match"
    NO_VALUE = "the column has no value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one expectation."""

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
    method: str | None = None  # the way in which a key or a reference was checked
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
            "severity": self.severity.word,
            "outcome": self.outcome,
            "message": self.message,
            "violations": self.violations,
            "actual": self.actual,
            "expected": self.expected,
            "how": self.how,
            "method": self.method,
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
    """The result of one dataset's plan."""

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
    committed_at: str | None = None  # the last change of the table's data, if its log has it
    scope: str | None = None  # the part that was read, where it was not the whole
    owner: str | None = None
    support: tuple[str, ...] = ()
    target: Target | None = field(default=None, compare=False)  # how the table was looked for; not kept
    schema: Struct | None = field(default=None, compare=False)  # of the table; not kept
    nulls: Mapping[str, int] | None = field(default=None, compare=False)  # by column, if metadata has them; not stored

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The expectations that were broken, worst first."""
        return tuple(sorted((e for e in self.expectations if e.outcome == FAIL), key=lambda e: -e.severity))

    @property
    def not_evaluated(self) -> tuple[Outcome, ...]:
        """The expectations that were not evaluated."""
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
    verdict: str = ""  # the decision of the matrix
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
    repeated: bool = False  # the batch was accepted before, and this is its first result
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


class Measured(NamedTuple):
    """The number found, of how many rows (None: not known), what it says where it breaks the promise, and how keys were checked."""

    number: int
    rows: int | None
    message: str = ""
    samples: tuple[Any, ...] = ()
    method: str | None = None


def judged_outcome(expectation: Expectation, measured: Measured, how: str, *, empty_passes: bool = False) -> Outcome:
    """The outcome of an expectation whose number is known; at a gate an empty batch violates no expectation on rows."""
    share = expectation.unit == "percent"
    if share and measured.rows is None:
        return not_evaluated(expectation, "the number of rows is unknown")
    if share and not measured.rows and not empty_passes:
        return not_evaluated(expectation, "the table is empty, so a percentage of its rows is undefined")
    value = Fraction(measured.number * 100, measured.rows or 1) if share else Fraction(measured.number)
    kept = (empty_passes and measured.rows == 0) or holds(expectation.operators, value)
    return Outcome(
        id=expectation.id,
        code=expectation.code,
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=PASS if kept else FAIL,
        message="" if kept else measured.message,
        violations=None if isinstance(expectation.check, RowCount) else measured.number,
        actual=round(float(value), 4) if share else measured.number,
        expected=expectation.expected,
        how=how,
        samples=() if kept else measured.samples,
        method=measured.method,
        structural=expectation.structural,
    )


def not_evaluated(expectation: Expectation, cause: str | None = None, reason: Reason | None = None) -> Outcome:
    """An expectation that was not evaluated, and why: never a pass."""
    known = expectation.cause or cause
    gated = expectation.gated or known is not None
    return Outcome(
        id=expectation.id,
        code="E580",
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=NOT_GATED
        if not cause and (isinstance(expectation.check, MonitorOnly) or not expectation.gated)
        else NOT_EVALUATED,
        message=f"'{expectation.name}' of '{expectation.field}' was not evaluated"
        if gated
        else "it applies to the whole table, not to a batch",
        cause=known,
        expected=expectation.expected,
        reason=reason,
    )


def without_value(expectation: Expectation) -> Outcome:
    """The outcome of an age where no row has a value."""
    return not_evaluated(expectation, f"'{expectation.field}' has no value to compute an age from", Reason.NO_VALUE)


def answered(expectation: Expectation, kept: bool, actual: Any, message: str) -> Outcome:
    """The outcome of an expectation on a whole table; duplicates are counted in rows."""
    return Outcome(
        id=expectation.id,
        code=expectation.code,
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=PASS if kept else FAIL,
        message="" if kept else message,
        violations=actual if expectation.code == "E551" else None,
        actual=actual,
        expected=expectation.expected,
        how="scan",
    )


def plain(number: Fraction) -> int | float:
    """A number as results show it."""
    return int(number) if number.denominator == 1 else float(number)


_ONE: dict[str, tuple[str, Callable[[Fraction, Fraction], bool]]] = {
    "mustBe": ("=", lambda value, bound: value == bound),
    "mustNotBe": ("≠", lambda value, bound: value != bound),
    "mustBeGreaterThan": (">", lambda value, bound: value > bound),
    "mustBeGreaterOrEqualTo": ("≥", lambda value, bound: value >= bound),
    "mustBeGreaterThanOrEqualTo": ("≥", lambda value, bound: value >= bound),
    "mustBeLessThan": ("<", lambda value, bound: value < bound),
    "mustBeLessOrEqualTo": ("≤", lambda value, bound: value <= bound),
    "mustBeLessThanOrEqualTo": ("≤", lambda value, bound: value <= bound),
}
_TWO = {"mustBeBetween": True, "mustNotBeBetween": False}


def problem(operators: Mapping[str, Any]) -> str | None:
    """Why a threshold cannot be evaluated; None if it can."""
    if not operators:
        return "the rule has no threshold"
    for name, bound in operators.items():
        wanted = 2 if name in _TWO else 1
        bounds = bound if isinstance(bound, list) else [bound]
        if len(bounds) != wanted or any(
            isinstance(bound, bool) or not isinstance(bound, int | Decimal) for bound in bounds
        ):
            return f"'{name}' needs {'two numbers' if wanted == 2 else 'a number'}"
    return None


def holds(operators: Mapping[str, Any], value: Fraction) -> bool:
    """Whether a number keeps every operator; `between` includes both ends.

    >>> holds({"mustBe": 0}, Fraction(0)), holds({"mustBeBetween": [1, 3]}, Fraction(3))
    (True, True)
    >>> holds({"mustBeLessThan": Decimal("0.1")}, Fraction(1, 10))
    False
    """
    return all(_keeps(name, bound, value) for name, bound in operators.items())


def _keeps(name: str, bound: Any, value: Fraction) -> bool:
    if name in _TWO:
        low, high = (Fraction(value) for value in bound)
        return (low <= value <= high) is _TWO[name]
    return _ONE[name][1](value, Fraction(bound))


def described(operators: Mapping[str, Any], unit: str | None) -> str:
    """A threshold in a few signs.

    >>> described({"mustBeLessThan": 5}, "percent"), described({"mustBeBetween": [1, 3]}, None)
    ('< 5 %', 'between 1 and 3')
    """
    said = [_sign(name, bound) for name, bound in operators.items()]
    return " and ".join(said) + (" %" if unit == "percent" else "")


def _sign(name: str, bound: Any) -> str:
    if name in _TWO:
        return f"{'' if _TWO[name] else 'not '}between {bound[0]} and {bound[1]}"
    return f"{_ONE[name][0]} {bound}"


class Verdict(StrEnum):
    """What a gate does; ordered from the mildest to the strictest by `MATRIX`."""

    WRITE = "write"
    RECORD = "write, record"
    LOG = "write, log"
    ALERT = "write, alert"
    REFUSE = "refuse"


STRUCTURE = "schema, type, null in a required field, null or duplicate key"
CRITICAL = "data rule critical, or a critical/error rule not evaluated"
ERROR = "data rule error"
WARNING = "data rule warning"

# at a Silver or Gold gate: what was found -> level of enforcement -> what happens
MATRIX: dict[str, dict[str, Verdict]] = {
    STRUCTURE: {"off": Verdict.REFUSE, "warn": Verdict.REFUSE, "alert_only": Verdict.REFUSE, "block": Verdict.REFUSE},
    CRITICAL: {"off": Verdict.RECORD, "warn": Verdict.LOG, "alert_only": Verdict.REFUSE, "block": Verdict.REFUSE},
    ERROR: {"off": Verdict.RECORD, "warn": Verdict.LOG, "alert_only": Verdict.ALERT, "block": Verdict.REFUSE},
    WARNING: {"off": Verdict.WRITE, "warn": Verdict.LOG, "alert_only": Verdict.ALERT, "block": Verdict.ALERT},
}
# compile and run time: level -> what happens
LEVELS: dict[str, tuple[str, str]] = {
    "off": ("nothing is checked", "nothing is checked"),
    "warn": ("findings are printed, exit 0", "violations are logged"),
    "alert_only": ("critical findings fail", "OpenLineage FAIL, metrics, alerts; processing goes on"),
    "block": ("error and critical fail", "the pipeline is stopped"),
}
_ORDER = list(Verdict)


def kind(outcome: Outcome) -> str | None:
    """The row of the matrix for an outcome; None if it has no effect."""
    if outcome.outcome == NOT_EVALUATED:
        return CRITICAL if outcome.severity >= Severity.ERROR else WARNING
    if outcome.outcome != FAIL:
        return None
    if outcome.structural:
        return STRUCTURE
    return row_of(outcome.severity)


def row_of(severity: Severity) -> str:
    """The row of the matrix a broken data rule falls into."""
    return {Severity.CRITICAL: CRITICAL, Severity.ERROR: ERROR}.get(severity, WARNING)


def decide(outcomes: tuple[Outcome, ...], level: str, layer: str) -> Verdict:
    """What a gate does with a batch: the strictest cell any outcome falls into; Bronze always writes."""
    verdicts = [MATRIX[row][level] for row in map(kind, outcomes) if row]
    strictest = max(verdicts, key=_ORDER.index, default=Verdict.WRITE)
    return Verdict.RECORD if layer == "bronze" and strictest is not Verdict.WRITE else strictest
