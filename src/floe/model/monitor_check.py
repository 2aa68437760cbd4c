"""Checks of the monitor and their outcomes for a dataset."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from floe.model.finding import Severity
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome, Result
from floe.model.violation_type import violation_type

KINDS = (
    "availability",
    "freshness",
    "schema_drift",
    "quality",
    "latency",
    "retention",
    "cost",
    "deprecation",
    "recovery",
    "anomaly",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorCheck:
    """One outcome of a monitored dataset: its kind, its severity, and how much of its limit is used."""

    kind: str
    outcome: Outcome
    level: Severity | None = None  # None: nothing to report
    used: float | None = None  # 1.0 is all that the contract allows
    value: float | None = None
    target: float | None = None
    took: float | None = None  # seconds, of a probe

    @property
    def type(self) -> str:
        """The violation's type."""
        return violation_type(self.outcome.code)

    @property
    def status(self) -> str:
        """One word: ok, unknown, or how bad it is."""
        if self.outcome.outcome == NOT_EVALUATED:
            return "unknown"
        return str(self.level) if self.level else "ok"

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        said = self.outcome.to_dict()
        kept = ("id", "code", "name", "field", "outcome", "message", "violations", "actual", "expected", "how", "cause")
        shown = {key: said[key] for key in kept}
        used = None if self.used is None else round(self.used, 4)
        return {"kind": self.kind, "status": self.status, "type": self.type, **shown, "used": used}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    """The checks of one dataset; `error` is why a contract could not be checked at all."""

    contract: str
    version: str
    dataset: str
    at: str
    run_id: str
    checks: tuple[MonitorCheck, ...] = ()
    result: Result | None = None
    kinds: tuple[str, ...] = ()  # those that were checked
    seconds: float = 0.0
    retired: bool = False
    error: str | None = None
    notes: tuple[str, ...] = ()
    incidents: tuple[Mapping[str, Any], ...] = ()  # what opened, worsened or closed

    @property
    def outcome(self) -> str:
        """One word for the whole: never pass where something was not evaluated."""
        if any(check.outcome.outcome == FAIL and (check.level or 0) >= Severity.ERROR for check in self.checks):
            return FAIL
        unknown = self.error or any(check.outcome.outcome == NOT_EVALUATED for check in self.checks)
        return NOT_EVALUATED if unknown else PASS

    @property
    def score(self) -> float | None:
        """0 to 100, of the expectations on rows; None if they were not checked."""
        return score_of(self.checks, self.result.rows if self.result else None)

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "contract": self.contract,
            "version": self.version,
            "dataset": self.dataset,
            "outcome": self.outcome,
            "checked_at": self.at,
            "run_id": self.run_id,
            "kinds": list(self.kinds),
            "score": self.score,
            "seconds": round(self.seconds, 3),
            "error": self.error,
            "notes": list(self.notes),
            "checks": [check.to_dict() for check in self.checks],
            "incidents": [dict(incident) for incident in self.incidents],
        }


def score_of(checks: tuple[MonitorCheck, ...], rows: int | None) -> float | None:
    """The score of the checks that are about rows."""
    judged = tuple(
        check.outcome for check in checks if check.kind == "quality" and check.outcome.name != "quality-score-low"
    )
    whole = Result(contract="", version="", dataset="", checked_at="", expectations=judged, rows=rows)
    return whole.score if judged else None
