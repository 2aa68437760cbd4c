"""Compile: the contracts of products resolved, judged and stored."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from floe.actions.drift import drift
from floe.actions.parents import shown
from floe.actions.resolve import Opened, Resolved, Resolver, open_product
from floe.actions.settings import load_settings
from floe.contract.formats.canonical import content_hash
from floe.contract.formats.policies import read_policies, read_waivers
from floe.contract.lint import RULES
from floe.contract.lint.ignore import ignored
from floe.contract.lint.policy_broken import DEMANDS
from floe.contract.lint.rule import findings as rule_findings
from floe.contract.lint.rule import in_order
from floe.contract.lint.secret import hide, secrets_in
from floe.contract.lint.tiers import policy_findings, tier_findings
from floe.contract.lint.views import Scope, fold
from floe.contract.resolve import artifacts
from floe.contract.resolve.inherit import Effective
from floe.contract.resolve.waive import waived
from floe.model import Contract, Finding, FloeError, Place, SettingError, Severity
from floe.model.clock import utc_now
from floe.model.policy import Policy, Waiver
from floe.model.settings import Settings

FILE = "compiled_artifacts.json"
# what fails compiling at the default level
CRITICAL = ("E500", "E501", "E502", "E503", "E509", "E511", "E512", "E520", "E530", "E531")
_FAILS = {"alert_only": Severity.CRITICAL, "block": Severity.ERROR}
_REFERENCE = "reference-unknown-dataset"
_MANY = 50
_CHUNK = 25


@dataclass(frozen=True, slots=True)
class CompileResult:
    """What compiling came to: its steps, what was found, and the artifacts."""

    steps: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]
    artifacts: dict[str, Any]
    level: str
    file: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the level of enforcement makes what was found a failure."""
        least = _FAILS.get(self.level)
        return least is not None and any(one.severity >= least for one in self.findings if one.counts)

    @property
    def contracts(self) -> list[dict[str, Any]]:
        """The compiled contracts."""
        found: list[dict[str, Any]] = self.artifacts["data_contracts"]
        return found

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        counts = {
            str(severity): sum(one.severity is severity for one in self.findings if one.counts)
            for severity in reversed(Severity)
        }
        return {
            "steps": [{"step": i, "title": title, "said": said} for i, (title, said) in enumerate(self.steps, 1)],
            "findings": [one.to_dict() for one in self.findings],
            "contracts": [{key: one[key] for key in _SUMMARY} for one in self.contracts],
            "artifacts": self.file,
            "summary": {
                "products": len(self.artifacts["products"]),
                "contracts": len(self.contracts),
                "enforcement": self.level,
                "failed": self.failed,
                **counts,
            },
        }


_SUMMARY = ("id", "version", "file", "content_hash", "effective_hash", "schema_hash")


@dataclass(frozen=True, slots=True)
class _Rulebook:
    """What contracts are judged by."""

    policies: tuple[Policy, ...]
    waivers: tuple[Waiver, ...]
    scope: Scope
    today: date
    directions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _One:
    """A compiled contract as it leaves the process that made it: its artifact, findings, and what others may refer to."""

    source: str
    findings: tuple[Finding, ...]
    entry: dict[str, Any] | None = None
    id: str = ""
    identity: str = ""
    place: Place | None = None
    datasets: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()
    generated: bool = False
    parents: int = 0
    tables: tuple[str, ...] = ()


@dataclass(slots=True)
class _Run:
    """What a run gathers."""

    folder: Path
    settings: Settings
    level: str
    products: list[Opened] = field(default_factory=list)
    ones: list[_One] = field(default_factory=list)


def compile(
    folder: str | Path = ".",
    *,
    settings: Settings | None = None,
    output: str | Path | None = None,
    store: bool = True,
    today: date | None = None,
    processes: int | None = None,
) -> CompileResult:
    """Resolve, judge and store the contracts of a product, or of every product below a folder.

    Args:
        folder: a product's folder, or one with several products below it.
        settings: those of the folder, unless given.
        output: where the artifacts go; `compiled_artifacts.json` in the folder, unless given.
        store: whether to write them; they are not written where something fails.
        today: the day by which waivers are judged.
        processes: how many to use; as many as there are cores where there is much to do, unless given.
    """
    start = Path(folder).resolve()
    if not start.is_dir():
        raise FloeError(f"{folder} is no folder", "Name the folder of a product")
    settings = settings or load_settings(start=start)
    run = _Run(start, settings, settings["data_contracts.enforcement"])
    run.products = [open_product(one, settings) for one in product_folders(start)]
    rules = _rulebook(settings, today or utc_now().date())
    run.ones = _compiled(run, rules, processes)
    found = [] if run.level == "off" else _judged(run, rules)
    made = _artifacts(run)
    result = CompileResult(tuple(_steps(run, found)), tuple(found), made, run.level)
    path = Path(output) if output else start / FILE
    if store and not result.failed and run.ones:
        _write(path, made)
        result = replace(result, file=shown(path))
    return replace(result, steps=tuple(_steps(run, found, result)))


def product_folders(start: Path) -> list[Path]:
    """The folder itself, and every folder below it, that has a floe.yaml; the folder itself where there is none."""
    found = []
    for here, folders, files in os.walk(start):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in ("node_modules", "target"))
        if "floe.yaml" in files:
            found.append(Path(here))
    return sorted(found) or [start]


def _rulebook(settings: Settings, today: date) -> _Rulebook:
    where = settings.origin("policies")
    policies = read_policies(settings["policies"], where, DEMANDS)
    waivers = read_waivers(settings["waivers"], settings.origin("waivers"))
    listed = settings.origin("classifications") != "default"
    labels = tuple(label for label in settings["classifications"] if isinstance(label, str))
    scope = Scope(labels, listed, str(settings.root), lambda path: os.path.realpath(Path(path)))
    return _Rulebook(policies, waivers, scope, today, settings["compatibility.sla_directions"])


def _compiled(run: _Run, rules: _Rulebook, processes: int | None) -> list[_One]:
    """Every contract of every product; in several processes where there are many."""
    documents = [(index, path) for index, one in enumerate(run.products) for path in one.documents]
    size = len(documents) + sum(len(one.product.outputs) for one in run.products if one.product)
    workers = processes or (min(os.cpu_count() or 1, 8) if size >= _MANY else 1)
    worker = _Worker(run.settings, rules, run.folder)
    if workers > 1:
        return _in_parallel(run, worker, documents, workers)
    ones = [worker.document(run.products[index], path) for index, path in documents]
    return [*ones, *_ports(run, worker, ones)]


def _ports(run: _Run, worker: "_Worker", ones: Iterable[_One]) -> list[_One]:
    """The contracts of the ports that no document describes."""
    claimed: dict[str, list[str]] = {}
    for one in ones:
        claimed.setdefault(_folder_of(one.source, run), []).extend(one.ports)
    return [
        worker.port(opened, port.name)
        for opened in run.products
        for port in worker.resolver.free_ports(opened, claimed.get(str(opened.folder), []))
    ]


def _folder_of(source: str, run: _Run) -> str:
    """The product's folder that a document belongs to."""
    path = Path(source).resolve()
    folders = {str(opened.folder) for opened in run.products}
    return next((str(folder) for folder in path.parents if str(folder) in folders), "")


def _in_parallel(run: _Run, worker: "_Worker", documents: list[tuple[int, Path]], workers: int) -> list[_One]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    chunks = [documents[i : i + _CHUNK] for i in range(0, len(documents), _CHUNK)]
    global _shared  # noqa: PLW0603  (handed down to forked processes without being copied)
    _shared = (run, worker)
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
        ones = [one for part in pool.map(_chunk, chunks) for one in part]
    return [*ones, *_ports(run, worker, ones)]


_shared: "tuple[_Run, _Worker] | None" = None


def _chunk(documents: Sequence[tuple[int, Path]]) -> list[_One]:
    assert _shared is not None
    run, worker = _shared
    return [worker.document(run.products[index], path) for index, path in documents]


class _Worker:
    """Compiles one contract after another; parents are read once."""

    def __init__(self, settings: Settings, rules: _Rulebook, folder: Path) -> None:
        self.settings, self.rules, self.folder = settings, rules, folder
        self.resolver = Resolver(settings)
        self.off = settings["data_contracts.enforcement"] == "off"
        self._files: dict[str, str] = {"": ""}
        self._hashes: dict[str, str] = {}

    def document(self, opened: Opened, path: Path) -> _One:
        return self._one(self.resolver.document(opened, path))

    def port(self, opened: Opened, name: str) -> _One:
        made = next(one for one in opened.product.outputs if one.name == name) if opened.product else None
        assert made is not None
        return self._one(self.resolver.port(opened, made))

    def _one(self, resolved: Resolved) -> _One:
        effective = resolved.effective
        if effective is None:
            found = [] if self.off else _finished(resolved.findings, self.rules, resolved.source)
            return _One(resolved.source, tuple(found), ports=resolved.ports, generated=resolved.generated)
        contract = effective.contract
        compared, drifted = ((), []) if self.off else drift(contract, self.settings)
        found = [] if self.off else [*resolved.findings, *judge(effective, self.rules), *drifted]
        identity = contract.identity.rsplit(":", 1)[0]
        return _One(
            resolved.source,
            tuple(_finished(found, self.rules, identity)),
            artifacts.entry(effective, resolved.document or contract, self._relative, resolved.ports, form=resolved.form, hash_of=self._hash),
            contract.id,
            contract.identity,
            contract.node.value_places.get("id", contract.node.place),
            tuple(fold(word) for dataset in contract.datasets for word in _called(contract, dataset)),
            resolved.ports,
            resolved.generated,
            len(effective.ancestors),
            tuple(compared),
        )

    def _hash(self, parent: Contract) -> str:
        if parent.source not in self._hashes:
            self._hashes[parent.source] = content_hash(parent)
        return self._hashes[parent.source]

    def _relative(self, file: str) -> str:
        if file not in self._files:
            self._files[file] = Path(os.path.relpath(Path(file).resolve(), self.folder)).as_posix()
        return self._files[file]


def _called(contract: Contract, dataset: Any) -> set[str]:
    physical = dataset.physical_name or dataset.name
    return {dataset.name, physical, physical.rsplit(".", 1)[-1], contract.table_id(dataset) or dataset.name}


def judge(effective: Effective, rules: _Rulebook) -> list[Finding]:
    """What floe's rules, the parents and the policies say of an effective contract."""
    contract = effective.contract
    found = rule_findings(contract, RULES, rules.scope)
    for parent in effective.parents:
        found += tier_findings(effective.own, parent.contract, RULES, rules.scope.labels, rules.directions)
    policies, broken = list(rules.policies), []
    for holder in (*effective.ancestors, effective.own):
        try:
            policies += _policies_of(holder)
        except SettingError as error:
            broken.append(_unreadable(holder, error))
    found += policy_findings(contract, tuple(policies), RULES)
    return [*found, *broken]


def judge_contract(contract: Contract, settings: Settings, today: date | None = None) -> list[Finding]:
    """What rules, policies and waivers say of a contract that stands alone."""
    rules = _rulebook(settings, today or utc_now().date())
    found = judge(Effective(contract, contract), rules)
    return _finished(found, rules, contract.identity.rsplit(":", 1)[0])


def _policies_of(holder: Contract) -> tuple[Policy, ...]:
    entries = holder.custom.get("policies")
    if entries is None:
        return ()
    return read_policies(entries, holder.source, DEMANDS, holder.source)


def _unreadable(holder: Contract, error: SettingError) -> Finding:
    place = holder.node.value_places.get("customProperties", holder.node.place)
    return Finding(
        "E501",
        "policy-unreadable",
        Severity.CRITICAL,
        error.message,
        "",
        error.suggestion,
        place,
        ("customProperties",),
    )


def _finished(found: Iterable[Finding], rules: _Rulebook, contract: str) -> list[Finding]:
    """Findings as compiling says them: its severities, comments and waivers heard, secrets hidden."""
    judged = [_severity(one) for one in found]
    texts: dict[str, str] = {}
    for file in {one.place.file for one in judged if one.place}:
        try:
            texts[file] = Path(file).read_text("utf-8", "replace")
        except OSError:
            texts[file] = ""
    heard = [
        one
        for file, text in texts.items()
        for one in ignored([each for each in judged if each.place and each.place.file == file], text, file)
    ]
    hidden = {file: secrets_in(text) for file, text in texts.items()}
    heard = [hide(one, hidden[one.place.file]) if one.place else one for one in heard]
    heard += [one for one in judged if one.place is None]
    return in_order(waived(list(dict.fromkeys(heard)), rules.waivers, contract, rules.today))


def _severity(finding: Finding) -> Finding:
    if finding.severity < Severity.ERROR:
        return finding
    wanted = Severity.CRITICAL if finding.code in CRITICAL else Severity.ERROR
    return finding if finding.severity is wanted else replace(finding, severity=wanted)


def _judged(run: _Run, rules: _Rulebook) -> list[Finding]:
    """All findings: of the products, of each contract, and of contracts side by side."""
    known = {word for one in run.ones for word in one.datasets}
    found = [_severity(finding) for opened in run.products for finding in opened.findings]
    for one in run.ones:
        found += [_referred(finding, known) for finding in one.findings]
    found = [one for one in found if one.name != "" and not _elsewhere(one, known)]
    return in_order([*found, *_twice(run.ones)])


def _target(finding: Finding) -> str:
    words = finding.message.split("'")
    return fold(words[3]) if finding.name == _REFERENCE and len(words) > 3 else ""


def _elsewhere(finding: Finding, known: set[str]) -> bool:
    """Whether a reference leads to another contract that was compiled too."""
    return finding.name == _REFERENCE and _target(finding) in known


def _referred(finding: Finding, known: set[str]) -> Finding:
    """A reference that leads nowhere is an error now."""
    if finding.name != _REFERENCE or not finding.counts or _elsewhere(finding, known):
        return finding
    return replace(finding, severity=Severity.ERROR, detail="No contract that was compiled has it")


def _twice(ones: Sequence[_One]) -> list[Finding]:
    """Contracts that share an id or a name and version."""
    first: dict[str, _One] = {}
    found = []
    for one in ones:
        for word in dict.fromkeys((one.id, one.identity)):
            other = first.setdefault(word, one) if word else one
            if other is not one:
                found.append(_same_id(word, other, one))
                break
    return found


def _same_id(word: str, other: _One, one: _One) -> Finding:
    return Finding(
        "E508",
        "contract-id-duplicated",
        Severity.ERROR,
        f"Two contracts are called '{word}'",
        f"{other.source} and {one.source}",
        "Give one of them another id and name",
        one.place,
        ("id",),
    )


def _artifacts(run: _Run) -> dict[str, Any]:
    """The file's content: the same for the same input, wherever and whenever it is made."""
    products = [
        artifacts.product_entry(one.product, Path(os.path.relpath(one.folder, run.folder)).as_posix())
        for one in run.products
        if one.product
    ]
    contracts = sorted((one.entry for one in run.ones if one.entry), key=lambda one: (one["id"], one["file"]))
    return {"format": artifacts.FORMAT, "enforcement": run.level, "products": products, "data_contracts": contracts}


def _write(path: Path, made: dict[str, Any]) -> None:
    """Write a file beside and put it in place, so that a reader sees the old one or the new one."""
    text = _text(made)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, "utf-8", "surrogatepass")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise FloeError(f"{path} cannot be written: {error.strerror}", "Name another file with --output") from None


def _text(made: dict[str, Any]) -> str:
    """The file's text: a line for each product and contract, so that a change touches the lines it is about."""
    parts = [f"{_json(key)}: {_lines(value)}" for key, value in sorted(made.items())]
    return "{" + ",\n".join(parts) + "}\n"


def _lines(value: Any) -> str:
    return "[\n" + ",\n".join(map(_json, value)) + "]" if isinstance(value, list) and value else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _steps(run: _Run, found: Sequence[Finding], result: CompileResult | None = None) -> list[tuple[str, str]]:
    """The steps of resolution, and what each came to."""
    products = [one.product for one in run.products if one.product]
    outputs, inputs = sum(len(one.outputs) for one in products), sum(len(one.inputs) for one in products)
    who = str(products[0]) if len(products) == 1 else _plural(len(products), "product")
    generated = sum(bool(one.ports) for one in run.ones)
    explicit = [one for one in run.ones if not one.generated]
    merged = sum(bool(one.ports) for one in explicit)
    inherit = sum(bool(one.parents) for one in run.ones)
    dbt = sum(one.dbt is not None for one in run.products)
    tables = sum(len(one.tables) for one in run.ones)
    stored = "nothing: no contract came through"
    if result and result.file:
        stored = f"{result.file}: {_plural(len(result.contracts), 'contract')}"
    elif result and result.failed:
        stored = "not written: something fails; an older file stays as it was"
    return [
        ("Parse floe.yaml", f"{who}, {_plural(outputs, 'output port')}, {_plural(inputs, 'input port')}"),
        ("Generate contracts from ports", f"{_plural(generated, 'contract')}{', enriched from dbt' if dbt else ''}"),
        ("Merge explicit documents", f"{_plural(len(explicit), 'document')}, {merged} over generated contracts"),
        ("Apply inheritance", f"{_plural(inherit, 'contract')} with parents"),
        ("Check schema, policy, inheritance, tables", _checked(run, found, tables)),
        ("Store compiled artifacts", stored),
        ("Register in registry and catalog", "not yet: floe keeps no contracts in a registry so far"),
        ("Hand to the monitor", "not yet: floe has no monitor so far"),
    ]


def _checked(run: _Run, found: Sequence[Finding], tables: int) -> str:
    if run.level == "off":
        return "nothing is checked: enforcement is off"
    worst = [one for one in found if one.counts and one.severity >= Severity.WARNING]
    reached = f"{_plural(tables, 'table')} compared" if tables else "no table reachable, none compared"
    return f"{_plural(len(worst), 'finding')}, {reached}"
