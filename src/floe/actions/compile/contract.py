"""One compiled contract: the result, small enough to be passed on and stored."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from floe.actions.compile.judge import Rulebook, apply_ignores, drift, judge, targets
from floe.actions.diff.previous import History
from floe.actions.load.product import OpenProduct, Resolved, Resolver, open_product
from floe.contract.formats.canonical import content_hash
from floe.contract.lint.rules.classification_differs import labels
from floe.contract.lint.rules.secret import without_secrets
from floe.contract.lint.together import table_key
from floe.contract.lint.views import fold
from floe.contract.resolve import artifacts
from floe.contract.sources.files import Disk, hash_now
from floe.model import Contract, Dataset, Finding, Place
from floe.model.lifecycle import ENDING
from floe.settings import Settings

SUMMARY = ("id", "version", "file", "content_hash", "effective_hash", "schema_hash")


@dataclass(slots=True)
class CompiledContract:
    """A contract after compiling: findings before waivers, what others may refer to, what decided about it.

    `line` is its line of the artifacts until that is kept elsewhere; `at` is where, with length and checksum.
    """

    folder: str
    document: str  # its file; empty where a port alone makes it
    source: str
    findings: list[Finding]
    summary: dict[str, Any] | None = None
    contract_id: str = ""
    lifecycle: list[str] = field(default_factory=list)
    name: str = ""
    place: Place | None = None
    datasets: list[str] = field(default_factory=list)
    tables: list[list[str]] = field(default_factory=list)
    labels: list[list[str]] = field(default_factory=list)
    ports: list[str] = field(default_factory=list)
    generated: bool = False
    parents: int = 0
    compared: list[str] = field(default_factory=list)
    targets: list[list[str | None]] = field(default_factory=list)
    files: dict[str, str | None] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)  # parents by name, with the files that may have it
    before: str = ""
    at: list[int] = field(default_factory=list)
    line: bytes | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What it is kept under: its file, or its folder and port."""
        return (self.document, "") if self.document else (self.folder, self.ports[0])

    @property
    def about(self) -> str:
        """What waivers call the contract."""
        return self.name or self.source


@dataclass(slots=True)
class CompiledProduct:
    """A product after opening: its line of the artifacts, its findings, its ports."""

    folder: str
    findings: list[Finding]
    title: str = ""
    entry: dict[str, Any] | None = None
    outputs: list[str] = field(default_factory=list)
    inputs: list[list[Any]] = field(default_factory=list)
    dbt: bool = False
    documents: list[str] = field(default_factory=list)
    files: dict[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """Some documents and ports of a product; `rest` means the ports without a document."""

    folder: str
    every: tuple[str, ...]
    documents: tuple[str, ...]
    ports: tuple[str, ...] = ()
    rest: bool = False


class CompileWorker:
    """Compiles one contract after another; parents are read once."""

    def __init__(self, settings: Settings, rules: Rulebook, folder: Path, history: History) -> None:
        self.settings, self.rules, self.folder, self.history = settings, rules, folder, history
        self.files = Disk()
        self.resolver = Resolver(settings, self.files)
        self.off = settings.data_contracts.enforcement == "off"
        self._relatives: dict[str, str] = {"": ""}
        self._hashes: dict[str, str] = {}
        self._opened: OpenProduct | None = None

    def opened(self, folder: str, every: Sequence[str]) -> OpenProduct:
        """A product's folder; the last one is remembered."""
        if self._opened is None or str(self._opened.folder) != folder:
            self._opened = open_product(Path(folder), self.settings, self.files, [Path(name) for name in every])
        return self._opened

    def done(self, task: Task) -> tuple[CompiledProduct, list[CompiledContract]]:
        """The result of a task."""
        opened = self.opened(task.folder, task.every)
        contracts = [
            self._contract(opened, self.resolver.document(opened, Path(document)), document)
            for document in task.documents
        ]
        claimed = [port for compiled in contracts for port in compiled.ports]
        wanted = [port for port in self.resolver.free_ports(opened, claimed) if task.rest or port.name in task.ports]
        contracts += [self._contract(opened, self.resolver.port(opened, port), "") for port in wanted]
        return self._product(opened), contracts

    def loose(self, path: str) -> CompiledContract:
        """A contract's file that belongs to no product."""
        opened = OpenProduct(Path(path).parent, None, (), ())
        return self._contract(opened, self.resolver.document(opened, Path(path)), path)

    def resolved(self, compiled: CompiledContract, every: Sequence[str]) -> Contract | None:
        """A contract as a whole again, for rules over several contracts."""
        opened = self.opened(compiled.folder, every)
        if compiled.document:
            found = self.resolver.document(opened, Path(compiled.document))
        else:
            port = next(
                output_port
                for output_port in self.resolver.free_ports(opened, ())
                if output_port.name == compiled.ports[0]
            )
            found = self.resolver.port(opened, port)
        return found.effective.contract if found.effective else None

    def _product(self, opened: OpenProduct) -> CompiledProduct:
        made = opened.product
        out = CompiledProduct(
            str(opened.folder),
            list(opened.findings),
            dbt=opened.dbt is not None,
            documents=[str(path) for path in opened.documents],
            files={name: self.files.hashes.get(name) for name in opened.files},
        )
        if made:
            out.title = str(made)
            out.entry = artifacts.product_entry(made, Path(os.path.relpath(opened.folder, self.folder)).as_posix())
            out.outputs = [port.name for port in self.resolver.free_ports(opened, ())]
            out.inputs = [[port.name, port.contract, list(port.place)] for port in made.inputs]
        return out

    def _contract(self, opened: OpenProduct, resolved: Resolved, document: str) -> CompiledContract:
        compiled = CompiledContract(str(opened.folder), document, resolved.source, [], ports=list(resolved.ports))
        compiled.generated, compiled.names = (
            resolved.generated,
            {name: list(self.resolver.parents.looked(name)) for name in resolved.names},
        )
        found = list(resolved.findings)
        if resolved.effective is not None:
            found += self._filled(compiled, resolved)
        if not self.off:
            compiled.findings = apply_ignores(found)
        compiled.files.update((name, self.files.hashes.get(name)) for name in resolved.files)
        return compiled

    def _filled(self, compiled: CompiledContract, resolved: Resolved) -> Iterator[Finding]:
        """Add the facts of the effective contract to a record, with its findings."""
        effective = resolved.effective
        assert effective is not None
        contract = effective.contract
        tables = targets(contract, self.settings)
        entry = artifacts.entry(
            effective,
            resolved.document or contract,
            self._relative,
            resolved.ports,
            form=resolved.form,
            hash_of=self._hash,
        )
        compiled.line, compiled.summary = artifacts.line(entry), {key: entry[key] for key in SUMMARY}
        compiled.contract_id, compiled.name = contract.id, contract.identity.rsplit(":", 1)[0]
        compiled.lifecycle = lifecycle(contract)
        compiled.place = contract.node.value_places.get("id", contract.node.place)
        compiled.datasets = [fold(word) for dataset in contract.datasets for word in _called(contract, dataset)]
        compiled.tables = [list(table_key(contract, dataset)) for dataset in contract.datasets]
        compiled.labels = [list(pair) for pair in labels(contract)]
        compiled.parents = len(effective.ancestors)
        compiled.targets = [[target.name, target.path] for _, target in tables]
        found = [] if self.off else list(judge(effective, self.rules))
        if self.off or any(finding.name == "secret" for finding in found):
            compiled.line = artifacts.line({**entry, "contract": without_secrets(entry["contract"])})
            compiled.targets = [without_secrets(target) for target in compiled.targets]
        yield from found
        compiled.compared, drifted = drift(tables, self.settings)
        yield from drifted
        compiled.before, versions, beside = self.history.judged(
            resolved, contract, Path(compiled.folder), compiled.document
        )
        compiled.files.update((name, hash_now(name)) for name in beside)
        yield from versions

    def _hash(self, parent: Contract) -> str:
        if parent.source not in self._hashes:
            self._hashes[parent.source] = content_hash(parent)
        return self._hashes[parent.source]

    def _relative(self, file: str) -> str:
        if file not in self._relatives:
            self._relatives[file] = Path(os.path.relpath(Path(file).resolve(), self.folder)).as_posix()
        return self._relatives[file]


def lifecycle(contract: Contract) -> list[str]:
    """The state of a contract that is ending, its last day, and what comes after it; empty for others."""
    state = str(contract.custom.get("lifecycleState") or contract.status or "").lower()
    told = contract.custom.get("deprecation")
    said = told if isinstance(told, dict) else {}
    day = str(said.get("sunsetDate") or said.get("sunset_date") or "not said")
    return [state, day, str(said.get("replacement") or "not said")] if state in ENDING else []


def _called(contract: Contract, dataset: Dataset) -> set[str]:
    physical = dataset.physical_name or dataset.name
    return {dataset.name, physical, physical.rsplit(".", 1)[-1], contract.table_id(dataset) or dataset.name}
