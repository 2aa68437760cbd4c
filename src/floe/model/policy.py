"""Requirements of parents and the platform for every contract, and their waivers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from typing import Any

from floe.model.finding import Finding, Place, Severity, dotted


@dataclass(frozen=True, slots=True)
class RequiredColumn:
    """A column that every dataset must have, with its type and whether it must be required."""

    name: str
    type: str | None = None
    required: bool = False


@dataclass(frozen=True, slots=True)
class Policy:
    """One demand: of the contract, of the columns that fit, of a service level, or of the columns of each dataset."""

    name: str
    require: tuple[str, ...] = ()
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    levels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    fields: tuple[RequiredColumn, ...] = ()
    datasets: tuple[str, ...] = ("*",)
    domains: tuple[str, ...] = ("*",)
    severity: Severity | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Waiver:
    """An approved exception: a finding of this code at this path counts as information until its last day."""

    code: str
    path: str
    reason: str = ""
    approver: str = ""
    until: date | None = None
    contract: str = "*"
    place: Place | None = field(default=None, compare=False)

    def covers(self, finding: Finding, contract: str) -> bool:
        """Whether a waiver is for a finding: by the path in its message, or by its place in the contract."""
        if finding.code != self.code or not fnmatchcase(contract, self.contract):
            return False
        # users copy the quoted part of a message into a waiver
        quoted = finding.message.split("'")[1::2]
        return any(fnmatchcase(word, self.path) for word in (*quoted, dotted(finding.path)))
