"""Who blocks what: the one table that says what a gate does with what it found."""

from enum import StrEnum

from floe.model.finding import Severity
from floe.model.result import FAIL, NOT_EVALUATED, Outcome


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
    """The row of the matrix an outcome falls into; None where it asks for nothing."""
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
