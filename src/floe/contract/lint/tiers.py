"""What rules of inheritance are asked about: a part of a child beside the same part of its parent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from floe.contract.lint.rule import Rule, findings_of
from floe.contract.lint.views import fold
from floe.model import Contract, Dataset, Field, Finding, QualityRule, Sla
from floe.model.policy import Policy
from floe.model.service_level import level_name


@dataclass(frozen=True, slots=True)
class TieredField:
    """A field of a child with that of its parent, and the labels from the weakest to the strongest."""

    noun: Field
    parent: Field
    dataset: str
    labels: tuple[str, ...]

    @property
    def path(self) -> str:
        """The field as messages name it."""
        return f"{self.dataset}.{self.noun.path}"

    def rank(self, label: str | None) -> int | None:
        """How strong a label is; None where the list does not have it."""
        folded = [fold(name) for name in self.labels]
        return folded.index(fold(label)) if label and fold(label) in folded else None


@dataclass(frozen=True, slots=True)
class TieredDataset:
    """A dataset of a child with that of its parent."""

    noun: Dataset
    parent: Dataset


@dataclass(frozen=True, slots=True)
class TieredSla:
    """A service level of a child with that of its parent, and which way it gets stricter where the settings say so."""

    noun: Sla
    parent: Sla
    way: str | None = None


@dataclass(frozen=True, slots=True)
class TieredRules:
    """The quality rules of a part of a child with those of its parent; `said` tells whether the child lists any."""

    noun: Dataset | Field
    parent: tuple[QualityRule, ...]
    child: tuple[QualityRule, ...]
    subject: str
    said: bool


@dataclass(frozen=True, slots=True)
class Governed:
    """An effective contract with a policy that it is under."""

    noun: Contract
    policy: Policy


def tier_findings(
    child: Contract,
    parent: Contract,
    rules: tuple[Rule, ...],
    labels: tuple[str, ...],
    directions: Mapping[str, str] | None = None,
) -> list[Finding]:
    """Where a child asks for less than its parent; `directions` says which way other service levels get stricter."""
    return findings_of(_pairs(child, parent, labels, directions or {}), rules)


def policy_findings(contract: Contract, policies: tuple[Policy, ...], rules: tuple[Rule, ...]) -> list[Finding]:
    """Which policies an effective contract breaks."""
    domain = contract.domain or "default"
    under = (policy for policy in policies if any(fnmatchcase(domain, pattern) for pattern in policy.domains))
    return findings_of((Governed(contract, policy) for policy in under), rules)


def _pairs(child: Contract, parent: Contract, labels: tuple[str, ...], directions: Mapping[str, str]) -> Iterator[Any]:
    for dataset in child.datasets:
        for other in parent.datasets:
            if fnmatchcase(dataset.name, other.name):
                yield from _dataset_pairs(dataset, other, labels)
    for sla in child.sla:
        for level in parent.sla:
            if _same_level(sla, level, child.sla, parent.sla):
                yield TieredSla(sla, level, directions.get(level_name(sla.property)))


def _dataset_pairs(dataset: Dataset, parent: Dataset, labels: tuple[str, ...]) -> Iterator[Any]:
    yield TieredDataset(dataset, parent)
    yield _rules(dataset, parent, dataset.name)
    mine = {part.path: part for part in dataset.walk()}
    for other in parent.walk():
        if part := mine.get(other.path):
            tiered = TieredField(part, other, dataset.name, labels)
            yield tiered
            yield _rules(part, other, tiered.path)


def _rules(part: Dataset | Field, parent: Dataset | Field, subject: str) -> TieredRules:
    return TieredRules(part, parent.rules, part.rules, subject, "quality" in part.node)


def _same_level(sla: Sla, other: Sla, mine: tuple[Sla, ...], theirs: tuple[Sla, ...]) -> bool:
    """Whether two service levels speak of one thing: the same name, and the same element where either side has several."""
    name = level_name(sla.property)
    if name != level_name(other.property) or (sla.driver or "") != (other.driver or ""):
        return False
    several = any(sum(level_name(level.property) == name for level in side) > 1 for side in (mine, theirs))
    return not several or other.element is None or fold(sla.element or "") == fold(other.element)
