"""Diff: what a new version of a contract changes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floe.actions.find import load_contract
from floe.actions.settings import load_settings
from floe.contract.compat import CHANGES
from floe.contract.compat.diff import changes
from floe.contract.compat.pairs import Terms
from floe.model import Contract
from floe.model.change import Bump, Diff
from floe.model.settings import Settings

Source = str | Path | Contract


@dataclass(frozen=True, slots=True)
class DiffResult:
    """One diff per contract."""

    results: tuple[Diff, ...]

    @property
    def bump(self) -> Bump:
        """The largest bump of all."""
        return max((result.bump for result in self.results), default=Bump.NONE)

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return all(result.ok for result in self.results)

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        summary = {"contracts": len(self.results), "bump": str(self.bump), "ok": self.ok}
        return {"results": [result.to_dict() for result in self.results], "summary": summary}


def diff(old: Source, new: Source, settings: Settings | None = None) -> DiffResult:
    """What changes from one version to another: paths, ids, YAML texts or loaded contracts."""
    settings = settings or load_settings()
    before, after = load_contract(old, settings), load_contract(new, settings)
    return DiffResult((_diff(before, after, terms_of(settings)),))


def terms_of(settings: Settings) -> Terms:
    """What the settings say about changes."""
    return Terms(
        labels=tuple(map(str, settings["classifications"])),
        table_format=str(settings["tables.format"]),
        widening_is_minor=settings["compatibility.type_widening"] == "minor",
    )


def _diff(old: Contract, new: Contract, terms: Terms) -> Diff:
    return Diff(
        contract=new.identity.rsplit(":", 1)[0],
        old=old.version,
        new=new.version,
        changes=tuple(changes(old, new, CHANGES, terms)),
    )
