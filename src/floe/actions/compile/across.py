"""What only several contracts show: ids, references, tables, labels, input ports, the versions of one contract, and what ends
with a deprecated one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

from floe import registry
from floe.actions.compile.contract import CompiledContract, CompiledProduct
from floe.actions.compile.judge import apply_ignores
from floe.actions.diff.pairing import version_of
from floe.actions.diff.previous import History
from floe.actions.load.major_line import registered
from floe.contract.compat.versions import name_of
from floe.contract.lint import RULES
from floe.contract.lint.rule import folder_findings
from floe.contract.lint.views import fold
from floe.model import Contract, ContractError, Finding, Place, RegistryError, Severity
from floe.model.contract import Version
from floe.model.lifecycle import ENDING, Standing, ending, settled
from floe.settings import Settings

if TYPE_CHECKING:
    from floe.registry import Store


_REFERENCE = "reference-unknown-dataset"
_VERSIONS = ("E520", "E521", "E522", "E523", "E524", "E527", "E528")
# so many contracts of one name, meaning and label are compared
_FEW = 4
_FIRST = Version(0, 0, 0)


class CrossContractCheck:
    """All contracts of a run; `whole` gives one of them as a whole, `elsewhere` the lifecycle of one outside,
    `moved` the lifecycle of one that was moved in the registry.
    """

    def __init__(
        self,
        products: Sequence[CompiledProduct],
        contracts: Sequence[CompiledContract],
        whole: Callable[[CompiledContract], Contract | None],
        elsewhere: Callable[[str], list[str] | None],
        history: History,
        moved: Callable[[str], list[str] | None] = lambda _: None,
    ) -> None:
        self.products, self.contracts, self.whole, self.elsewhere, self.history = (
            products,
            contracts,
            whole,
            elsewhere,
            history,
        )
        self.moved = moved
        self.words = {word for compiled in contracts for word in compiled.datasets}
        self.names: defaultdict[str, list[CompiledContract]] = defaultdict(list)
        for compiled in contracts:
            for name in dict.fromkeys((compiled.name, compiled.contract_id)):
                if name:
                    self.names[name].append(compiled)

    def of(self, compiled: CompiledContract) -> list[Finding]:
        """What was found in one contract, in the light of the others."""
        found = compiled.findings
        if any(finding.name == "identity-not-kept" and self._carried_on(finding, compiled) for finding in found):
            found = [finding for finding in found if finding.code not in _VERSIONS]
        return [
            _referred(finding)
            for finding in found
            if not (finding.name == _REFERENCE and fold(finding.target) in self.words)
        ]

    def _carried_on(self, finding: Finding, compiled: CompiledContract) -> bool:
        """Whether another contract has the name that this one gave up: then the file holds another contract now."""
        return any(other is not compiled for other in self.names.get(finding.target, ()))

    def findings(self) -> Iterator[Finding]:
        """Findings about contracts that refer to each other."""
        yield from self._twice()
        yield from apply_ignores([*self._clashes(), *self._lines(), *self._gone()])
        yield from self._inputs()

    def _twice(self) -> Iterator[Finding]:
        """Contracts that share an id, or a name and version; versions of one contract share its id and name."""
        reported: set[int] = set()
        for word, several in self.names.items():
            first: dict[tuple[str, str], CompiledContract] = {}
            for compiled in several:
                clash = first.setdefault((compiled.name, str((compiled.summary or {}).get("version"))), compiled)
                if clash is compiled:
                    clash = next((other for other in first.values() if other.name != compiled.name), compiled)
                if clash is not compiled and id(compiled) not in reported:
                    reported.add(id(compiled))
                    yield _same_id(word, clash, compiled)

    def _clashes(self) -> Iterator[Finding]:
        """Findings of the rules over several contracts, evaluated only on contracts that may contradict."""
        wanted = {id(compiled) for compiled in (*self._sharing_tables(), *self._labelled_differently())}
        if wanted:
            contracts = [self.whole(compiled) for compiled in self.contracts if id(compiled) in wanted]
            yield from folder_findings([contract for contract in contracts if contract], RULES)

    def _sharing_tables(self) -> Iterator[CompiledContract]:
        """Contracts of a table that others describe too."""
        tables: defaultdict[tuple[str, ...], list[CompiledContract]] = defaultdict(list)
        for compiled in self.contracts:
            for key in compiled.tables:
                tables[tuple(key)].append(compiled)
        for several in tables.values():
            if len(several) > 1:
                yield from several

    def _labelled_differently(self) -> Iterator[CompiledContract]:
        """A few contracts of each label, where fields of one meaning have several labels."""
        labels: defaultdict[str, defaultdict[str, list[CompiledContract]]] = defaultdict(lambda: defaultdict(list))
        for compiled in self.contracts:
            for meaning, label in compiled.labels:
                labels[meaning][label].append(compiled)
        for by_label in labels.values():
            if len(by_label) > 1:
                for several in by_label.values():
                    yield from several[:_FEW]

    def _lines(self) -> Iterator[Finding]:
        """Each version of a contract against the next lower one, if there are several."""
        for name, several in self.names.items():
            if len(several) == 1 or several[0].name != name or len({compiled.name for compiled in several}) > 1:
                continue
            contracts = [contract for compiled in several if (contract := self.whole(compiled))]
            line = sorted(contracts, key=version_of)
            for i, (old, new) in enumerate(pairwise(line), 1):
                if version_of(old) < version_of(new):
                    yield from self.history.step(old, new, True, line[:i])

    def _gone(self) -> Iterator[Finding]:
        """Contracts that were there before and are no longer, or have moved to another file."""
        words: dict[str, set[str]] = {
            compiled_product.folder: {name.lower() for name in compiled_product.outputs}
            for compiled_product in self.products
        }
        for compiled in self.contracts:
            words[compiled.folder] |= {*compiled.datasets, *(name.lower() for name in compiled.ports)}
        for old in self.history.gone(words):
            several = self.names.get(name_of(old)) or self.names.get(old.id) or []
            if not several:
                yield from self.history.step(old, None, False)
            elif len(several) == 1 and several[0].summary:
                yield from self.history.step(old, self.whole(several[0]), True)

    def _inputs(self) -> Iterator[Finding]:
        """Input ports whose contract is ending, or is none: wrong where its product is here, else perhaps of another repository."""
        products = {f"{product.entry['domain']}.{product.entry['name']}" for product in self.products if product.entry}
        tables: dict[str, CompiledContract] = {}
        for compiled in self.contracts:
            tables |= {key[1]: compiled for key in compiled.tables if key[0] == "table_id"}
        for product in self.products:
            for port, name, place in product.inputs:
                state = self._lifecycle(name, self._named(name) or tables.get(fold(name)))
                if state is None:
                    certain = name.rsplit("/", 1)[0] in products
                    yield _no_input(f"Input port '{port}' of '{product.title}'", name, Place(*place), certain)
                elif state:
                    yield _ending(name, state, f"Input port '{port}' of '{product.title}' reads it", Place(*place))

    def _lifecycle(self, name: str, compiled: CompiledContract | None) -> list[str] | None:
        """The lifecycle of an input's contract: from the registry, or else from its document."""
        moved = self.moved(name)
        if moved is not None:
            return moved
        return compiled.lifecycle if compiled else self.elsewhere(name)

    def _named(self, name: str) -> CompiledContract | None:
        """The contract of a name and version, or else its latest version."""
        bare, _, version = name.rpartition(":") if "/" in name and ":" in name else (name, "", "")
        known = self.names.get(name) or [
            compiled
            for compiled in self.names.get(bare, ())
            if version in ("", (compiled.summary or {}).get("version"))
        ]
        return max(
            known,
            key=lambda compiled: Version.read(str((compiled.summary or {}).get("version"))) or _FIRST,
            default=None,
        )


def _referred(finding: Finding) -> Finding:
    """A reference that leads nowhere is an error now."""
    if finding.name != _REFERENCE or not finding.counts or finding.severity is Severity.INFO:
        return finding
    return replace(finding, severity=Severity.ERROR, detail="No compiled contract has it")


def _same_id(word: str, other: CompiledContract, compiled: CompiledContract) -> Finding:
    return Finding(
        "E508",
        "contract-id-duplicated",
        Severity.ERROR,
        f"Two contracts have the name '{word}'",
        f"{other.source} and {compiled.source}",
        "Change the id and name of one of them",
        compiled.place,
        ("id",),
    )


def _no_input(who: str, name: str, place: Place, certain: bool) -> Finding:
    return Finding(
        "E500",
        "input-contract-not-found",
        Severity.CRITICAL if certain else Severity.WARNING,
        f"{who} names the contract '{name}', which is not found",
        "Its product is in this repository and has no such contract" if certain else "It may be in another repository",
        "Write the contract as domain.product/contract, or correct its name",
        place,
        ("input_ports",),
    )


def _ending(name: str, lifecycle: Sequence[str], who: str, place: Place) -> Finding:
    state, day, replacement = lifecycle
    code, severity, text = ending(name, state, day, replacement)
    advice = f"Read another contract, e.g. '{replacement}'"
    return Finding(code, f"input-contract-{state}", severity, text, who, advice, place, ("input_ports",))


class Endings:
    """The lifecycle of contracts by the names of input ports: the registry is read once, documents only if needed."""

    def __init__(self, names: Iterable[str], settings: Settings, today: date) -> None:
        self.settings, self.today = settings, today
        self._store: Store | None = None
        self._ids: dict[str, str] = {}
        self._moved: dict[tuple[str, int], Standing] = {}
        wanted = {_bare(name) for name in names}
        if wanted:
            self._ask(wanted)

    def _ask(self, wanted: set[str]) -> None:
        try:
            self._store = registry.find_store(self.settings.registry.url, self.settings.root)
            if self._store:
                self._ids = registry.names.ids_by_name(self._store, wanted)
                self._moved = registry.lifecycle.standings(self._store, self._ids.values(), self.today)
        except RegistryError as error:
            self.settings.say(f"! {error.message}; the lifecycle of input ports is unknown")
            self._store = None

    def moved(self, name: str) -> list[str] | None:
        """The ending of a contract whose state was moved in the registry; None where none was."""
        contract = self._ids.get(_bare(name))
        if not any(moved == contract for moved, _ in self._moved):
            return None
        standing = self._standing(name)
        return _ending_lines(standing) if standing and (standing.contract, standing.major) in self._moved else None

    def known(self, name: str) -> list[str] | None:
        """The ending of a contract that is registered; None where it is not."""
        standing = self._standing(name) if _bare(name) in self._ids else None
        return None if standing is None else _ending_lines(standing)

    def _standing(self, name: str) -> Standing | None:
        """The MAJOR line of a name: that of its version, or else the newest."""
        if self._store is None:
            return None
        try:
            found = registered(self._store, name, self.settings)
        except ContractError:
            return None
        major = found.asked.major if found.asked else found.majors[-1]
        return self._moved.get((found.contract_id, major)) or settled(found.first(major)(), self.today)


def _bare(name: str) -> str:
    bare, _, tail = name.rpartition(":")
    return bare if bare and Version.read(tail) else name


def _ending_lines(standing: Standing) -> list[str]:
    """The lifecycle in compiled contracts: state, last day, replacement; empty if it does not end."""
    if standing.state not in ENDING:
        return []
    return [standing.state, str(standing.sunset_date or "not said"), standing.replacement or "not said"]
