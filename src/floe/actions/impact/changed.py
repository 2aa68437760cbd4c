"""The paths that changes are about, as consumers know them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from floe.actions.diff.pairing import VersionPair
from floe.contract.formats.odcs import step
from floe.model import Contract, Dataset
from floe.model.change import Change, Impact
from floe.model.impact import ALL

_RENAMED = ("field-renamed", "field-case-changed", "physical-name-changed", "table-renamed")
_GONE = "contract-removed"


@dataclass(slots=True)
class Changed:
    """Paths with the numbers of their changes: those that go on to what is made from them, and those that stay here."""

    paths: dict[str, frozenset[int]] = field(default_factory=dict)
    here: dict[str, frozenset[int]] = field(default_factory=dict)

    def add(self, path: str, number: int, goes_on: bool) -> None:
        """Know one more change of a path."""
        side = self.paths if goes_on else self.here
        side[path] = side.get(path, frozenset()) | {number}


def changed_paths(pair: VersionPair, changes: Sequence[Change]) -> Changed:
    """The changes that readers notice, by path; a change of a whole dataset affects others only if it breaks readers."""
    contracts = [contract for contract in (pair.old, pair.new) if contract]
    fields, datasets = _known(contracts)
    changed = Changed()
    for number, change in enumerate(changes):
        if change.reader is Impact.OK:
            continue
        for path in _paths(change, fields | datasets, pair.old):
            whole = path in datasets and len(datasets) == 1
            on = path in fields or change.change == _GONE or (path in datasets and change.reader is Impact.BREAK)
            changed.add(ALL if whole else path, number, on)
    return changed


def _known(contracts: Sequence[Contract]) -> tuple[set[str], set[str]]:
    datasets = [dataset for contract in contracts for dataset in contract.datasets]
    fields = {f"{step(dataset.name)}.{part.path}" for dataset in datasets for part in dataset.walk()}
    return fields, {step(dataset.name) for dataset in datasets}


def _paths(change: Change, known: set[str], old: Contract | None) -> set[str]:
    """The nearest paths of a change, also by the previous name of a renamed field."""
    found = {_nearest(change.path, known)}
    if change.change in _RENAMED and old:
        parent = change.path.rpartition(".")[0]
        found |= {path for dataset in old.datasets for path in _before(dataset, parent, str(change.old))}
    return found


def _nearest(path: str, known: set[str]) -> str:
    """The path of a field, or else of the part that contains it; everything if there is none."""
    while path and path not in known:
        path = path[: max(path.rfind(mark) for mark in ".[{")] if any(mark in path for mark in ".[{") else ALL
    return path


def _before(dataset: Dataset, parent: str, name: str) -> set[str]:
    """The old path of a part that was called so."""
    if not parent:
        return {step(dataset.name)} if name in (dataset.name, dataset.physical_name) else set()
    whole = {f"{step(dataset.name)}.{part.path}": part for part in dataset.walk()}
    return {
        path for path, part in whole.items() if path.rpartition(".")[0] == parent and name in (part.name, part.column)
    }
