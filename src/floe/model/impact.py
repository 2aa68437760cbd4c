"""Whom a change reaches: consumers at the end of edges between contracts and tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from floe.model.change import Change, Impact

ALL = ""  # the path of a whole contract


@dataclass(frozen=True, slots=True)
class Use:
    """A consumer of a contract or table; columns are None if they are unknown."""

    node: str
    team: str
    contact: str
    source: str  # registered, input_port, dbt, lineage
    columns: tuple[str, ...] | None = None
    name: str = ""  # of the port or exposure
    version_range: str = ""
    through: str | None = None


@dataclass(frozen=True, slots=True)
class LineageEdge:
    """What is made from what; `columns` leads from a source's path to target paths, None where that is not known.

    `uses` are the source's columns that the target is made from, where nothing more is known.
    """

    source: str
    target: str
    by: str
    columns: Mapping[str, frozenset[str]] | None = None
    uses: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """A use that a change reaches: by which columns, over which way, and which changes those are."""

    use: Use
    way: tuple[str, ...]  # the contracts and tables from the changed one to the used one
    columns: tuple[str, ...]
    changes: tuple[Change, ...]

    @property
    def impact(self) -> Impact:
        """The worst that the changes mean to a reader."""
        broken = any(change.reader is Impact.BREAK for change in self.changes)
        return Impact.BREAK if broken else Impact.RISK

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        use = self.use
        return {
            "team": use.team,
            "contact": use.contact,
            "contract": use.node,
            "version_range": use.version_range or None,
            "source": use.source,
            "name": use.name or None,
            "uses": None if use.columns is None else list(use.columns),
            "columns": list(self.columns),
            "impact": str(self.impact),
            "depth": len(self.way),
            "way": list(self.way),
            "changes": [
                {"change": change.change, "path": change.path, "reader": str(change.reader)} for change in self.changes
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactOf:
    """Whom the change of one contract reaches: for certain, and perhaps."""

    contract: str
    old: str | None
    new: str | None
    bump: str
    changed: tuple[str, ...]
    affected: tuple[Reached, ...]
    may_break: tuple[Reached, ...]

    def to_dict(self) -> dict[str, Any]:
        """One element of `results`."""
        return {
            "contract": self.contract,
            "from": self.old,
            "to": self.new,
            "bump": self.bump,
            "changed": list(self.changed),
            "affected": [reached.to_dict() for reached in self.affected],
            "may_break": [reached.to_dict() for reached in self.may_break],
        }
