"""What rules are asked about: the parts of a contract, each with what surrounds it where a rule needs that."""

import difflib
import posixpath
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

from floe.model import Contract, Dataset, Field, QualityRule, Relationship, Sla, Step
from floe.settings import LABELS

_HINTS = 20


class Names:
    """The names of a contract's datasets and fields, for references; made once per contract."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self._fields: dict[str, frozenset[str]] = {}
        self._hints = _HINTS

    @cached_property
    def datasets(self) -> dict[str, Dataset]:
        """Each dataset by its name, physical name, last part of it, and id."""
        found: dict[str, Dataset] = {}
        for dataset in self.contract.datasets:
            physical = dataset.physical_name or ""
            for word in (dataset.name, physical, physical.split(".")[-1], dataset.node.get("id")):
                if isinstance(word, str) and word:
                    found.setdefault(fold(word), dataset)
        return found

    def dataset(self, word: str) -> Dataset | None:
        """The dataset of this contract that a word names."""
        return self.datasets.get(fold(word))

    def fields(self, dataset: Dataset) -> frozenset[str]:
        """Every way to name a field of a dataset, folded."""
        key = str(dataset.at)
        if key not in self._fields:
            self._fields[key] = frozenset(word for part in dataset.fields for word in _words(part, ("",)))
        return self._fields[key]

    def has(self, dataset: Dataset, path: str) -> bool:
        """Whether a dataset has a field of this name or dotted path."""
        return plain(path) in self.fields(dataset)

    def near(self, dataset: Dataset, path: str) -> str:
        """What the author may have meant, as a sentence; looked for a few times only, since it takes long."""
        self._hints -= 1
        if self._hints < 0:
            return ""
        shown = {fold(part.name): part.name for part in dataset.fields if part.name}
        close = difflib.get_close_matches(plain(path), list(shown)[:2000], 1)
        return f"Did you mean '{shown[close[0]]}'? " if close else ""


class Neighbours:
    """The datasets of all contracts of a lint run; made only where a reference leads out of its contract."""

    def __init__(self, contracts: Sequence[Contract] = ()) -> None:
        self.contracts = contracts

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[Names, Dataset]]]:
        found: dict[str, list[tuple[Names, Dataset]]] = {}
        for names in map(Names, self.contracts):
            for word, dataset in names.datasets.items():
                found.setdefault(word, []).append((names, dataset))
        return found

    def named(self, word: str) -> Sequence[tuple[Names, Dataset]]:
        """The datasets that a word names, each with the names of its contract."""
        return self._by_name.get(fold(word), ())


@dataclass(frozen=True, slots=True)
class LintScope:
    """What a lint run knows beside the contract: labels, whether the manifest lists them, the root, paths, other contracts."""

    labels: tuple[str, ...] = LABELS
    listed: bool = False
    root: str = "."
    resolve: Callable[[str], str] = field(default=posixpath.normpath, compare=False)
    neighbours: Neighbours = field(default_factory=Neighbours, compare=False)


def fold(name: str) -> str:
    """A name as it is compared: in one Unicode form, without case."""
    return name.lower() if name.isascii() else unicodedata.normalize("NFKC", name).casefold()


def plain(path: str) -> str:
    """A field's path as references write it: folded, without marks for items and map values."""
    return fold(path.replace("[]", "").replace("{}", "").replace("{key}", "").replace("`", ""))


def _words(part: Field, prefixes: tuple[str, ...]) -> Iterator[str]:
    own = {word for word in (part.name, part.column, part.node.get("id")) if word and isinstance(word, str)}
    paths = tuple({f"{prefix}{plain(word)}" for prefix in prefixes for word in own}) or tuple(
        prefix.removesuffix(".") for prefix in prefixes
    )
    yield from (path for path in paths if path)
    below = tuple(f"{path}." for path in paths)
    for child in part.fields:
        yield from _words(child, below)


@dataclass(frozen=True, slots=True)
class RuleOf:
    """A quality rule with its contract, its dataset, and the field where it stands on one."""

    noun: QualityRule
    names: Names
    dataset: Dataset
    field: Field | None

    @property
    def subject(self) -> str:
        """What the rule is about, as people say it."""
        return self.field.path if self.field else self.dataset.name


@dataclass(frozen=True, slots=True)
class ReferenceOf:
    """A relationship with its contract, its dataset, and the field where it stands on one."""

    noun: Relationship
    names: Names
    dataset: Dataset
    field: Field | None
    scope: LintScope


@dataclass(frozen=True, slots=True)
class SlaOf:
    """A service level with its contract."""

    noun: Sla
    names: Names


@dataclass(frozen=True, slots=True)
class DatasetOf:
    """A dataset with the names of its contract."""

    noun: Dataset
    names: Names


@dataclass(frozen=True, slots=True)
class Classified:
    """A field with a classification, and the labels there are."""

    noun: Field
    labels: tuple[str, ...]
    listed: bool


@dataclass(frozen=True, slots=True)
class Referring:
    """A contract with the root that its references may not leave."""

    noun: Contract
    scope: LintScope


@dataclass(frozen=True, slots=True)
class Texts:
    """Every text of a contract with its path."""

    noun: Contract
    found: tuple[tuple[tuple[Step, ...], str], ...]


@dataclass(frozen=True, slots=True)
class ContractFolder:
    """All contracts of one lint run."""

    contracts: tuple[Contract, ...]


def asked(contract: Contract, scope: LintScope) -> Iterator[Any]:
    """Every part of a contract that a rule may be asked about, in one walk."""
    names = Names(contract)
    yield contract
    yield Referring(contract, scope)
    texts: list[tuple[tuple[Step, ...], str]] = []
    _gather(contract.node, (), texts)
    yield Texts(contract, tuple(texts))
    yield from contract.servers
    for dataset in contract.datasets:
        yield dataset
        yield DatasetOf(dataset, names)
        yield from (RuleOf(rule, names, dataset, None) for rule in dataset.rules)
        yield from (ReferenceOf(entry, names, dataset, None, scope) for entry in dataset.relationships)
        for part in dataset.walk():
            yield part
            if part.classification:
                yield Classified(part, scope.labels, scope.listed)
            yield from (RuleOf(rule, names, dataset, part) for rule in part.rules)
            yield from (ReferenceOf(entry, names, dataset, part, scope) for entry in part.relationships)
    yield from (SlaOf(sla, names) for sla in contract.sla)


def _gather(node: Any, at: tuple[Step, ...], found: list[tuple[tuple[Step, ...], str]]) -> None:
    """Every text below a node with its path."""
    items: Any = node.items() if isinstance(node, dict) else enumerate(node)
    for step, value in items:
        if isinstance(value, str):
            found.append(((*at, step), value))
        elif isinstance(value, dict | list):
            _gather(value, (*at, step), found)


def is_number(value: Any) -> bool:
    """Whether a value is a number; true and false are none."""
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def is_open(value: Any) -> bool:
    """Whether a value names a variable such as ${VAR}, so that nothing can be said about it yet."""
    return isinstance(value, str) and "${" in value


def shown(value: Any) -> str:
    """A value in a message, cut where it is long."""
    text = str(value)
    return text if len(text) <= 80 else f"{text[:80]}…"
