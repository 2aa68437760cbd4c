"""What a new version of a contract changes, and for whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any

from floe.model.finding import Finding, Severity
from floe.model.tree import Place

FORMATS = ("delta", "iceberg_v2", "iceberg_v3", "avro")


class Bump(IntEnum):
    """The part of a version that a change raises; ordered."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    def __str__(self) -> str:
        return self.name


class Impact(StrEnum):
    """What a change means to one side: fine, works but may surprise, breaks."""

    OK = "ok"
    RISK = "risk"
    BREAK = "break"


ROLLOUT = {
    Bump.MAJOR: ("coordinated", "must migrate"),
    Bump.MINOR: ("independent", "optional adoption"),
    Bump.PATCH: ("automatic", "no impact"),
    Bump.NONE: ("none", "no impact"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference between two versions, judged."""

    change: str
    row: str
    path: str
    old: Any
    new: Any
    bump: Bump
    reader: Impact
    writer: Impact
    basis: str
    dangerous: bool = False
    klass: str | None = None
    formats: Mapping[str, str] | None = None
    note: str = ""
    place: Place | None = field(default=None, compare=False)
    more: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "change": self.change,
            "row": self.row,
            "path": self.path,
            "old": self.old,
            "new": self.new,
            "bump": str(self.bump),
            "reader": str(self.reader),
            "writer": str(self.writer),
            "dangerous": self.dangerous,
            "class": self.klass,
            "basis": self.basis,
            "formats": dict(self.formats) if self.formats else None,
            "note": self.note,
            **self.more,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What changed between two versions of one contract, what that asks for, and what is wrong with it."""

    contract: str
    old: str | None
    new: str | None
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...] = ()
    declared: Bump = Bump.NONE
    migrations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def bump(self) -> Bump:
        """The largest bump of its changes."""
        return max((change.bump for change in self.changes), default=Bump.NONE)

    @property
    def ok(self) -> bool:
        """Whether nothing of it is an error."""
        return not any(finding.severity >= Severity.ERROR for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """One element of `results`."""
        rollout, impact = ROLLOUT[self.bump]
        return {
            "contract": self.contract,
            "from": self.old,
            "to": self.new,
            "bump": str(self.bump),
            "declared": str(self.declared),
            "ok": self.ok,
            "rollout": rollout,
            "consumer_impact": impact,
            "changes": [change.to_dict() for change in self.changes],
            "breaking_changes": [self._told(change) for change in self.changes if change.bump is Bump.MAJOR],
            "compatible_changes": [
                self._told(change) for change in self.changes if change.bump in (Bump.MINOR, Bump.PATCH)
            ],
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def _told(self, change: Change) -> dict[str, Any]:
        """A change as consumers are told of it."""
        field_ = change.path.split(".", 1)[-1]
        match change.change:
            case "type-changed":
                said = {"type": "field_retyped", "field": field_, "from": change.old, "to": change.new}
            case "field-renamed":
                said = {"type": "field_renamed", "old_field": change.old, "new_field": change.new}
            case "field-added" | "required-field-added":
                said = {"type": "field_added", "field": field_, "required": change.change != "field-added"}
            case "enum-value-added":
                said = {"type": "enum_value_added", "field": field_, "new_value": change.new}
            case name:
                said = {"type": name.replace("-", "_"), "field": field_, "from": change.old, "to": change.new}
        return {**said, **self.migrations.get(change.path, {})}
