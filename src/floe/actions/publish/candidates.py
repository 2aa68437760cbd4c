"""The contracts of paths, compiled, each with its findings and the repository that owns it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from floe.actions.compile import compile as compile_products
from floe.actions.compile.contract import CompiledContract, CompileWorker, Task
from floe.actions.compile.judge import apply_waivers, rulebook
from floe.actions.diff.previous import History
from floe.actions.load.find import load_contract
from floe.actions.load.product import OpenProduct, Resolved, product_documents, shown
from floe.contract.compat.versions import VERSION_RULES
from floe.contract.lint.run import looks_like_contract
from floe.contract.sources.files import contract_files, read_bytes
from floe.contract.sources.git import Repository
from floe.model import Contract, ContractError, Finding, FloeError, Severity
from floe.settings import Settings

_FAILS = {"alert_only": Severity.CRITICAL, "block": Severity.ERROR}
# what is refused at every level of enforcement: E510 to E517, E520 to E528, and another repository's contract
REFUSED = (*(f"E{number}" for number in (*range(510, 518), *range(520, 529))), "E541")
# only warnings elsewhere; registered versions are permanent
_ASKED = ("secret", "migration-missing", "deprecation-too-short")
# the registry decides about versions, not git; the test decides about tables
_NOT_OURS = {*(rule.name for rule in VERSION_RULES), "contract-removed", "listed-change-not-made", "product-not-found"}
_DRIFT = tuple(f"E53{digit}" for digit in range(6))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A compiled contract, what was found about it, and who may publish it."""

    compiled: CompiledContract
    worker: CompileWorker
    findings: tuple[Finding, ...]
    repository: str | None
    every: tuple[str, ...] = ()  # the documents of its product

    @property
    def name(self) -> str:
        """Its identity without the version, or its file where it has none."""
        return self.compiled.name or self.compiled.source

    @property
    def version(self) -> str:
        """Its version, empty where it cannot be read."""
        return str((self.compiled.summary or {}).get("version") or "")

    def resolved(self) -> Resolved:
        """The contract as a whole."""
        one, resolver = self.compiled, self.worker.resolver
        if not self.every:
            return resolver.document(OpenProduct(Path(one.document).parent, None, (), ()), Path(one.document))
        opened = self.worker.opened(one.folder, self.every)
        if one.document:
            return resolver.document(opened, Path(one.document))
        port = next(output_port for output_port in resolver.free_ports(opened, ()) if output_port.name == one.ports[0])
        return resolver.port(opened, port)

    def refused(self, level: str) -> list[Finding]:
        """What keeps it from being published."""
        return [finding for finding in self.findings if refuses(finding, level)]


def refuses(finding: Finding, level: str) -> bool:
    """Whether a finding keeps a contract from being published at a level of enforcement."""
    if finding.severity is Severity.INFO or finding.known:
        return False
    if finding.name in _ASKED or (finding.code in REFUSED and finding.severity >= Severity.ERROR):
        return True  # a comment in the file does not waive it; a waiver does
    return finding.counts and finding.severity >= _FAILS.get(level, Severity.CRITICAL + 1)


def find_candidates(paths: Sequence[str | Path | Contract], settings: Settings) -> list[Candidate]:
    """Every contract of files, products, repositories and names; parents come before their children."""
    if settings.data_contracts.enforcement == "off":  # publish checks in any case
        settings = settings.with_values({"data_contracts.enforcement": "warn"})
    found: dict[tuple[str, str], Candidate] = {}
    publisher = FilePublisher(settings)
    for path in paths:
        whole = _file_of(path, settings)
        for candidate in _in_folder(whole, settings, publisher) if whole.is_dir() else [publisher.candidate(whole)]:
            found[candidate.compiled.key] = candidate
    if not found:
        listed = ", ".join(map(str, paths))
        raise ContractError(f"{listed} contains no contract", "Pass a contract file or a folder of contracts", "E500")
    return sorted(found.values(), key=lambda value: (value.compiled.parents, value.name, value.version))


def _file_of(name: str | Path | Contract, settings: Settings) -> Path:
    """The file or folder of a path, an id, a table_id or a loaded contract."""
    if not isinstance(name, Contract) and "\n" not in str(name) and Path(name).exists():
        return Path(name).resolve()
    found = load_contract(name, settings)
    if not Path(found.source).is_file():
        raise ContractError(
            f"{found.identity} has no file, and publishing registers the text of a file",
            "Write it to a file and publish the file",
            "E500",
        )
    return Path(found.source).resolve()


class FilePublisher:
    """Compiles single files, as part of their product if they have one."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.rules = settings, rulebook(settings)
        self.worker = CompileWorker(settings, self.rules, settings.root, History(settings, []))
        self.repositories = Repositories()
        self._known: dict[str, Candidate] = {}

    def candidate(self, path: Path) -> Candidate:
        """The contract of a file."""
        if str(path) not in self._known:
            self._known[str(path)] = self._compiled(path)
        return self._known[str(path)]

    def _compiled(self, path: Path) -> Candidate:
        folder, every = _product(path)
        if folder is None:
            one, said, repository = self.worker.loose(str(path)), None, None
        else:
            product, (one, *_) = self.worker.done(Task(str(folder), every, (str(path),)))
            said, repository = product.findings, (product.entry or {}).get("repository")
        found = [*(said or ()), *apply_waivers(one.findings, self.rules, one.about, self.settings.clock().date())]
        return Candidate(one, self.worker, _ours(found), self.repositories.of(repository, path.parent), every)


def _product(path: Path) -> tuple[Path | None, tuple[str, ...]]:
    """The product's folder that a document belongs to, with all its documents."""
    for folder in path.parents:
        if (folder / "floe.yaml").is_file():
            every = tuple(str(product_document) for product_document in product_documents(folder))
            return (folder, every) if str(path) in every else (None, ())
    return None, ()


def _in_folder(folder: Path, settings: Settings, publisher: "FilePublisher") -> Iterator[Candidate]:
    """The contracts of all products below a folder, and those of files that belong to none."""
    result = compile_products(folder, settings=settings, store=False)
    run, by_file = result.run, _by_file(result.findings)
    products = {product.folder: product for product in run.products}
    for compiled in run.contracts:
        product = products[compiled.folder]
        said = by_file.get(compiled.source, []) + by_file.get(shown(Path(compiled.folder) / "floe.yaml"), [])
        if not compiled.summary and not product.entry and not _is_contract(compiled):
            continue
        repository = publisher.repositories.of((product.entry or {}).get("repository"), Path(compiled.folder))
        every = tuple(product.documents) or (compiled.document,)
        yield Candidate(compiled, run.worker, _ours(dict.fromkeys(said)), repository, every)
    known = {compiled.document for compiled in run.contracts}
    for path in contract_files(folder):
        if str(path) not in known:
            loose = publisher.candidate(path)
            if loose.compiled.summary or _is_contract(loose.compiled):
                yield loose


def _by_file(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    by_file: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_file[finding.place.file if finding.place else ""].append(finding)
    return by_file


def _is_contract(compiled: CompiledContract) -> bool:
    """Whether a file that cannot be read as one is meant to be a contract."""
    try:
        text = read_bytes(Path(compiled.document)).decode("utf-8", "replace")
    except FloeError:
        return True
    return looks_like_contract(text, compiled.source, compiled.findings)


def _ours(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.name not in _NOT_OURS and finding.code not in _DRIFT)


class Repositories:
    """Repositories by folder; git is called once for each."""

    def __init__(self) -> None:
        self._known: dict[Path | None, str | None] = {None: None}
        self._tops: dict[Path, Path | None] = {}

    def of(self, said: str | None, folder: Path) -> str | None:
        """The repository from floe.yaml, or else from git; None if there is none."""
        if said:
            return one_form(said)
        if folder not in self._tops:
            self._tops[folder] = next((path for path in (folder, *folder.parents) if (path / ".git").exists()), None)
        top = self._tops[folder]
        if top not in self._known:
            self._known[top] = _remote(top or folder)
        return self._known[top]


def _remote(folder: Path) -> str | None:
    try:
        address = Repository(folder).remote()
    except FloeError:
        return None
    return one_form(address) if address else None


def one_form(address: str) -> str:
    """A repository's address without what may differ between two copies of it: scheme, user, password, `.git`.

    >>> one_form("https://user:token@github.com/acme/shop.git"), one_form("git@github.com:acme/shop")
    ('github.com/acme/shop', 'github.com/acme/shop')
    """
    bare = re.sub(r"^[a-z+]+://", "", address.strip())
    head, slash, rest = bare.partition("/")
    head = head.rsplit("@", 1)[-1]
    if not slash or ":" in head:
        head = re.sub(r":(?!\d+$)", "/", head)
    return f"{head}{slash}{rest}".removesuffix("/").removesuffix(".git")
