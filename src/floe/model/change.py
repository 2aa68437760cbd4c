"""What a new version of a contract changes, and for whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any

from floe.model.finding import Finding, Place, Severity

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
    """One difference between two versions, with its bump and impact."""

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


def below(path: str) -> str:
    """A path without its first step, which may be in backticks; the path itself if it has only one.

    >>> below("orders.total"), below("`a.b`.total"), below("orders")
    ('total', 'total', 'orders')
    """
    if not path.startswith("`"):
        return path.split(".", 1)[-1]
    end = path.find("`.", 1)
    return path[end + 2 :] if end > 0 else path


@dataclass(frozen=True, slots=True)
class Compatibility:
    """Whether the side of a compatibility mode still works, and the changes that break it."""

    mode: str
    breaks: tuple[Change, ...]

    @property
    def compatible(self) -> bool:
        """Whether nothing breaks."""
        return not self.breaks

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        breaks = [{"change": change.change, "row": change.row, "path": change.path} for change in self.breaks]
        return {"mode": self.mode, "compatible": self.compatible, "breaks": breaks}


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """The changes between two versions of a contract, the bump they require, and the findings."""

    contract: str
    old: str | None
    new: str | None
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...] = ()
    declared: Bump = Bump.NONE
    migrations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    hash: str = ""
    earlier: tuple["Diff", ...] | None = None
    compatibility: "Compatibility | None" = None

    @property
    def bump(self) -> Bump:
        """The largest bump of its changes."""
        return max((change.bump for change in self.changes), default=Bump.NONE)

    @property
    def ok(self) -> bool:
        """Whether none of it is an error, also against earlier versions if they were compared."""
        own = not any(finding.severity >= Severity.ERROR and finding.counts for finding in self.findings)
        return own and all(other.ok for other in self.earlier or ())

    @property
    def rollout(self) -> str:
        """How the new version is brought to its consumers."""
        return ROLLOUT[self.bump][0]

    @property
    def consumer_impact(self) -> str:
        """What consumers have to do."""
        return ROLLOUT[self.bump][1]

    @property
    def breaking_changes(self) -> list[dict[str, Any]]:
        """The breaking changes, as in notifications to consumers."""
        return [self.told(change) for change in self.changes if change.bump is Bump.MAJOR]

    @property
    def compatible_changes(self) -> list[dict[str, Any]]:
        """The compatible changes, as in notifications to consumers."""
        return [self.told(change) for change in self.changes if change.bump in (Bump.MINOR, Bump.PATCH)]

    def reaches(self, severity: Severity) -> bool:
        """Whether a finding, also one against an earlier version, is at least so bad."""
        own = any(finding.severity >= severity and finding.counts for finding in self.findings)
        return own or any(other.reaches(severity) for other in self.earlier or ())

    def to_dict(self) -> dict[str, Any]:
        """One element of `results`."""
        shape: dict[str, Any] = {
            "contract": self.contract,
            "from": self.old,
            "to": self.new,
            "bump": str(self.bump),
            "declared": str(self.declared),
            "ok": self.ok,
            "rollout": self.rollout,
            "consumer_impact": self.consumer_impact,
            "changes": [change.to_dict() for change in self.changes],
            "breaking_changes": self.breaking_changes,
            "compatible_changes": self.compatible_changes,
            "findings": [finding.to_dict() for finding in self.findings],
            "notes": list(self.notes),
            "hash": self.hash or None,
        }
        if self.earlier is not None:
            shape["transitive"] = [other.to_dict() for other in self.earlier]
        if self.compatibility is not None:
            shape["compatibility"] = self.compatibility.to_dict()
        return shape

    def told(self, change: Change) -> dict[str, Any]:
        """A change as in notifications to consumers."""
        field_ = below(change.path)
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
