"""Compile: resolve, check and store the contracts of products."""

import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, TypedDict, Unpack

from floe.actions.compile.across import CrossContractCheck, Endings
from floe.actions.compile.batch import Run, carry_out
from floe.actions.compile.cache import Cache, DamagedError
from floe.actions.compile.contract import CompiledContract, CompileWorker, lifecycle
from floe.actions.compile.judge import Rulebook, apply_waivers, as_compiled, rulebook
from floe.actions.diff.previous import History, bases
from floe.actions.load.product import open_product, shown
from floe.actions.load.settings import load_settings
from floe.contract.lint.rule import in_order
from floe.contract.resolve import artifacts
from floe.contract.sources.files import Folders
from floe.events.trace import span
from floe.model import Contract, Finding, FloeError, SettingError, Severity
from floe.settings import Settings
from floe.system.full_disk import remedy

FILE = "compiled_artifacts.json"
_FAILS = {"alert_only": Severity.CRITICAL, "block": Severity.ERROR}


@dataclass(frozen=True, slots=True)
class CompileResult:
    """The result of compiling: its steps, the findings, and the artifacts."""

    steps: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]
    level: str
    run: Run = field(repr=False, compare=False)
    file: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the level of enforcement makes what was found a failure."""
        least = _FAILS.get(self.level)
        return least is not None and any(finding.severity >= least for finding in self.findings if finding.counts)

    @property
    def contracts(self) -> list[dict[str, Any]]:
        """The compiled contracts: identity, version, file and hashes."""
        return [compiled.summary for compiled in _in_line(self.run.contracts) if compiled.summary]

    @property
    def artifacts(self) -> dict[str, Any]:
        """The content of the artifacts' file."""
        made: dict[str, Any] = json.loads(b"".join(_text(self.run, self.level)))
        return made

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        counts = {
            str(severity): sum(finding.severity is severity for finding in self.findings if finding.counts)
            for severity in reversed(Severity)
        }
        return {
            "steps": [{"step": i, "title": title, "said": said} for i, (title, said) in enumerate(self.steps, 1)],
            "findings": [finding.to_dict() for finding in self.findings],
            "contracts": self.contracts,
            "artifacts": self.file,
            "summary": {
                "products": sum(compiled_product.entry is not None for compiled_product in self.run.products),
                "contracts": len(self.contracts),
                "enforcement": self.level,
                "failed": self.failed,
                **counts,
            },
        }


class Options(TypedDict, total=False):
    """How to compile."""

    output: str | Path | None  # where the artifacts go; compiled_artifacts.json in the folder, unless given
    store: bool  # whether to write them; they are not written where something fails
    cache: bool  # whether to read and write the cache of results
    since: str | None  # a git revision to compare versions with, instead of HEAD and the last tag
    processes: int | None  # how many to use; as many as there are cores where there is much to do, unless given


def compile(
    folder: str | Path = ".",
    *,
    settings: Settings | None = None,
    today: date | None = None,
    **options: Unpack[Options],
) -> CompileResult:
    """Resolve, check and store the contracts of a product, or of every product below a folder.

    Args:
        folder: a product's folder, or one with several products below it.
        settings: those of the folder, unless given.
        today: the day for which waivers are valid.
        options: how to compile: output, store, cache, since, processes.
    """
    start = Path(folder).resolve()
    if not start.is_dir():
        raise FloeError(f"{folder} is not a folder", "Pass the folder of a product")
    if (processes := options.get("processes")) is not None and processes < 1:
        raise SettingError(f"--processes is {processes}, expected 1 or more", "Pass --processes 1 or more")
    settings = settings or load_settings(start=start)
    today = today or settings.clock().date()
    with span(settings, "floe.compile", enforcement=settings.data_contracts.enforcement) as say:
        try:
            result = _compiled(start, settings, today, options)
        except DamagedError:
            result = _compiled(start, settings, today, options)  # what was kept is forgotten by now
        say(contracts=len(result.contracts), findings=len(result.findings), failed=result.failed)
    return result


def _compiled(start: Path, settings: Settings, today: date, options: Options) -> CompileResult:
    rules, level = rulebook(settings), settings.data_contracts.enforcement
    since, output = options.get("since"), options.get("output")
    now = time.time_ns()  # noqa: TID251  (compared with times of files, which are the machine's whatever clock is given)
    cache = Cache(settings, start, since, now, options.get("cache", True) and not settings.untrusted)
    try:
        known, why = ([], "") if level == "off" else bases(start, settings.root, since)
        history = History(settings, known)
        worker = CompileWorker(settings, rules, start, history)
        run = Run(settings, Folders(start), worker, cache, history, options.get("processes"))
        carry_out(run)
        found = [] if level == "off" else _judged(run, rules, today)
        result = CompileResult((), tuple(found), level, run)
        path = Path(output) if output else start / FILE
        if options.get("store", True) and not result.failed and run.contracts:
            _write(path, _text(run, level))
            result = replace(result, file=shown(path))
    except DamagedError:
        cache.forget()
        raise
    finally:
        cache.close()
    return replace(result, steps=tuple(steps(run, found, result.failed, result.file, why)))


def _judged(run: Run, rules: Rulebook, today: date) -> list[Finding]:
    """All findings: of the products, of each contract, and of several contracts."""
    documents = {product.folder: product.documents for product in run.products}

    def whole(compiled: CompiledContract) -> Contract | None:
        return run.worker.resolved(compiled, documents[compiled.folder])

    names = [name for product in run.products for _, name, _ in product.inputs]
    ends = Endings(names, run.settings, today)

    def elsewhere(name: str) -> list[str] | None:
        here = _elsewhere(run, name)
        return ends.known(name) if here is None else here

    across = CrossContractCheck(run.products, run.contracts, whole, elsewhere, run.history, ends.moved)
    found = [as_compiled(finding) for product in run.products for finding in product.findings]
    for compiled in run.contracts:
        found += apply_waivers(across.of(compiled), rules, compiled.about, today)
    several = [as_compiled(finding) for finding in across.findings()]
    return in_order(dict.fromkeys([*found, *apply_waivers(several, rules, "", today)]))


def _elsewhere(run: Run, name: str) -> list[str] | None:
    """The lifecycle of the contract of this name below the root, outside of what is compiled; None where there is none."""
    resolver, root = run.worker.resolver, run.settings.root
    if known := resolver.parents.named(name):
        return lifecycle(known[0])
    if str(root) == run.folders.start or "/" not in name:
        return None
    product, port = name.split(":", 1)[0].rsplit("/", 1)
    for folder in Folders(root).products():
        opened = open_product(Path(folder), run.settings, resolver.files, ())
        if opened.product and str(opened.product) == product:
            return [] if any(output_port.name == port for output_port in resolver.free_ports(opened, ())) else None
    return None


def _in_line(contracts: Sequence[CompiledContract]) -> list[CompiledContract]:
    """The contracts in the order of the artifacts."""
    made = [compiled for compiled in contracts if compiled.summary]
    return sorted(
        made, key=lambda compiled: (compiled.summary["id"], compiled.summary["file"]) if compiled.summary else ("", "")
    )


def _text(run: Run, level: str) -> Iterator[bytes]:
    """The file's content: the same for the same input, wherever and whenever it is made."""
    lines = run.cache.lines.read(compiled.at for compiled in _in_line(run.contracts))
    return artifacts.text(
        level,
        (artifacts.line(compiled_product.entry) for compiled_product in run.products if compiled_product.entry),
        lines,
    )


def _write(path: Path, text: Iterator[bytes]) -> None:
    """Write a temporary file and move it into place, so that a reader sees the old one or the new one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.writelines(text)
        beside.replace(path)
    except OSError as error:
        raise FloeError(
            f"{path} cannot be written: {error.strerror}", remedy(error, "Pass another file with --output")
        ) from None
    finally:
        beside.unlink(missing_ok=True)


def steps(run: Run, found: Sequence[Finding], failed: bool, file: str | None, why: str) -> list[tuple[str, str]]:
    """The steps of resolution; `file` is the path of the artifacts, `why` the reason for not comparing versions."""
    generated = sum(bool(compiled.ports) for compiled in run.contracts)
    from_dbt = ", enriched from dbt" if any(product.dbt for product in run.products) else ""
    explicit = [compiled for compiled in run.contracts if not compiled.generated]
    merged = sum(bool(compiled.ports) for compiled in explicit)
    inherit = sum(bool(compiled.parents) for compiled in run.contracts)
    return [
        ("Parse floe.yaml", _parsed(run)),
        ("Generate contracts from ports", f"{_plural(generated, 'contract')}{from_dbt}"),
        ("Merge explicit documents", f"{_plural(len(explicit), 'document')}, {merged} over generated contracts"),
        ("Apply inheritance", f"{_plural(inherit, 'contract')} with parents"),
        ("Check schema, policy, inheritance, versions, tables", _checked(run, found, why)),
        ("Store compiled artifacts", _stored(run, failed, file)),
        ("Register in registry and catalog", "run floe publish"),
        ("Hand over to the monitor", "floe monitor reads the file" if file else "nothing to hand over"),
    ]


def _parsed(run: Run) -> str:
    products = [(product.title, product.entry) for product in run.products if product.entry]
    outputs = sum(len(entry["output_ports"]) for _, entry in products)
    inputs = sum(len(entry["input_ports"]) for _, entry in products)
    name = products[0][0] if len(products) == 1 else _plural(len(products), "product")
    return f"{name}, {_plural(outputs, 'output port')}, {_plural(inputs, 'input port')}"


def _stored(run: Run, failed: bool, file: str | None) -> str:
    if file:
        return f"{file}: {_plural(sum(compiled.summary is not None for compiled in run.contracts), 'contract')}"
    if failed:
        return "not written: something fails; an older file stays as it was"
    return "nothing: no contract came through"


def _checked(run: Run, found: Sequence[Finding], why: str) -> str:
    if run.worker.off:
        return "nothing is checked: enforcement is off"
    worst = [finding for finding in found if finding.counts and finding.severity >= Severity.WARNING]
    tables = sum(len(compiled.compared) for compiled in run.contracts)
    reached = f"{_plural(tables, 'table')} compared" if tables else "no table reachable, none compared"
    before = " and ".join(base.name for base in run.history.bases)
    versions = f"versions compared with {before}" if before else f"no versions compared: {why}"
    return f"{_plural(len(worst), 'finding')}, {reached}, {versions}"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
