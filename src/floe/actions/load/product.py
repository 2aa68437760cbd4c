"""Resolve: the effective contracts of a product folder, and the contracts that others extend."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from floe.contract.formats import odcs, read
from floe.contract.formats.config import product
from floe.contract.formats.foreign.dbt_manifest import Manifest, recognises
from floe.contract.formats.foreign.unreadable import unreadable
from floe.contract.formats.odcs.fit import comparable
from floe.contract.formats.text import json_text
from floe.contract.resolve.inherit import ContractFamily, Effective
from floe.contract.resolve.merge import merge
from floe.contract.sources.files import Disk, contract_files, root
from floe.model import Contract, ContractError, Finding, Map, Place, Severity
from floe.model.product import OutputPort, Product
from floe.model.yaml_text import add, add_all, copy, maps
from floe.settings import Settings

_PATH = re.compile(r"[/\\]|\.(?:ya?ml|json)$", re.IGNORECASE)  # what names a file, not a contract


def shown(path: Path) -> str:
    """A path relative to the current folder if it is below, else absolute."""
    whole, here = os.path.abspath(path), os.getcwd()
    return os.path.relpath(whole, here) if whole.startswith(here + os.sep) else whole


class Parents:
    """The contracts below a root, found by path, id, or table."""

    def __init__(self, top: Path, files: Disk) -> None:
        self.root, self.files = top, files
        self._read: dict[str, Contract | Finding] = {}
        self._named: dict[str, list[Contract]] = {}
        self._looked: dict[str, tuple[str, ...]] = {}
        self._texts: dict[str, bytes] | None = None
        self._asked: dict[tuple[str, str], tuple[str, ...]] = {}
        self._outside: set[tuple[str, str]] = set()

    def seed(self, looked: Mapping[str, Sequence[str]]) -> None:
        """The files that may have some names, where that is known already; they are not looked for again."""
        self._looked.update((name, tuple(paths)) for name, paths in looked.items())

    def looked(self, name: str) -> tuple[str, ...]:
        """The files that may have a name."""
        return self._looked.get(name, ())

    def asked(self, name: str, child: Contract) -> tuple[tuple[str, ...], str]:
        """The files that decided which parent a child got, and the name that was looked for in all others."""
        paths = self._asked.get((child.source, name), ())
        return (*paths, *self._looked.get(name, ())), name if name in self._looked else ""

    def find(self, name: str, child: Contract, place: Place) -> Contract | Finding:
        """The parent that a child names, or what is wrong."""
        path = self._path(name, child)
        if path is None and (child.source, name) in self._outside:
            return _outside(name, place)
        found = [self._load(path)] if path else self.named(name)
        found = [
            contract for contract in found if isinstance(contract, Finding) or contract.source != child.source or path
        ]
        if not found:
            return _missing(name, place, "No file and no contract has this name", "Correct the name, or write its path")
        if len(found) > 1:
            files = ", ".join(finding.source for finding in found if isinstance(finding, Contract))
            return _missing(name, place, f"{len(found)} contracts have it: {files}", "Write the path of one of them")
        finding = found[0]
        if isinstance(finding, Finding):
            detail = f"{finding.place}: {finding.message}"
            return _missing(name, place, detail, finding.suggestion, "cannot be read")
        return finding

    def _path(self, name: str, child: Contract) -> Path | None:
        tried: list[str] = []
        found = None
        homes = self._homes(child)
        for folder in (os.path.dirname(child.source), str(self.root)) if name else ():
            path = os.path.abspath(os.path.join(folder, name))
            if not any(_below(path, home) for home in homes):
                if _PATH.search(name):
                    self._outside.add((child.source, name))
                continue
            tried.append(path)
            if self.files.is_file(path):
                found = Path(path)
                break
        self._asked[child.source, name] = tuple(tried)
        return found

    def _homes(self, child: Contract) -> list[str]:
        """The folders that must contain a contract's parents, also after following links."""
        folder = Path(os.path.realpath(os.path.dirname(child.source) or "."))
        homes = [str(path) for path in (self.root, Path.cwd()) if _below(str(folder), str(path))]
        top = root(folder)
        if (top / "manifest.yaml").is_file():  # the current folder does not widen a root that is given
            return [str(top)]
        return homes or [str(top)]

    def _load(self, path: Path) -> Contract | Finding:
        name = shown(path)
        if name not in self._read:
            try:
                contract, found = read(self.files.read(path), name)
            except ContractError as error:
                contract, found = None, list(error.findings)
            worst = next((finding for finding in found if finding.severity is Severity.CRITICAL), None)
            self._read[name] = worst or contract or found[0]
        return self._read[name]

    def named(self, name: str) -> list[Contract]:
        """The contracts of this id; only files that have its last part as some name are read as contracts."""
        if name not in self._named:
            if name not in self._looked:
                self._looked[name] = self._fitting(may_name(name))
            loaded = [self._load(Path(path)) for path in self._looked[name] if _below(path, str(self.root))]
            contracts = [contract for contract in loaded if isinstance(contract, Contract)]
            self._named[name] = [contract for contract in contracts if name in _names(contract)]
        return self._named[name]

    def _fitting(self, named: re.Pattern[bytes]) -> tuple[str, ...]:
        if self._texts is None:
            self._texts = {os.path.abspath(path): self.files.read(path) for path in self.files.below(self.root)}
        return tuple(path for path, text in self._texts.items() if named.search(text))


def _below(path: str, folder: str) -> bool:
    """Whether a path stays below a folder, by the places that links lead to."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def may_name(name: str) -> re.Pattern[bytes]:
    """A text that every contract of this name contains."""
    word = name.rsplit("/", 1)[-1].split(":", 1)[0] if "/" in name else name.rsplit(".", 1)[-1]
    return re.compile(rb"\b(?:id|name|physicalName|table_id)\b[^\n]*" + re.escape(word.encode()))


def _names(contract: Contract) -> set[str | None]:
    tables = {contract.table_id(dataset) for dataset in contract.datasets}
    return {contract.id, contract.name, contract.identity, contract.identity.rsplit(":", 1)[0], *tables}


def _outside(name: str, place: Place) -> Finding:
    text = f"Parent '{name}' is outside the contract root"
    detail = "Parents must be below the contract root, also after following symbolic links"
    suggestion = "Use a relative path below the contract root, or a contract's id"
    return Finding("E507", "reference-unsafe", Severity.ERROR, text, detail, suggestion, place)


def _missing(name: str, place: Place, detail: str, suggestion: str, what: str = "is not found") -> Finding:
    text = f"Parent '{name}' {what}"
    return Finding("E516", "parent-not-found", Severity.ERROR, text, detail, suggestion, place)


_MANIFESTS = ("target/manifest.json", "dbt/target/manifest.json")
_DBT_VERSIONS = (9, 10, 11, 12, 20)
_DATASET = ("description", "properties", "quality", "relationships", "tags")


@dataclass(frozen=True, slots=True)
class Resolved:
    """One effective contract with all that was found on the way.

    `document` is what was written, before anything joined it; `files` are those that decided about it, and `names` the
    parents that were looked for in all others.
    """

    effective: Effective | None
    findings: tuple[Finding, ...]
    source: str
    ports: tuple[str, ...] = ()
    generated: bool = False
    document: Contract | None = None
    form: Map | None = None  # the document's comparable tree
    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenProduct:
    """A product folder before its contracts are resolved."""

    folder: Path
    product: Product | None
    documents: tuple[Path, ...]
    findings: tuple[Finding, ...]
    dbt: "DbtManifest | None" = None
    files: tuple[str, ...] = ()


@dataclass(slots=True)
class DbtManifest:
    """A dbt manifest, read model by model."""

    manifest: Manifest
    source: str
    trees: dict[str, Map | None] = field(default_factory=dict)

    def tree(self, *names: str) -> Map | None:
        """The contract of the first model of these names."""
        for name in names:
            if name not in self.trees:
                try:
                    self.trees[name] = self.manifest.contract(name)[0]
                except KeyError:
                    self.trees[name] = None
            if self.trees[name] is not None:
                return self.trees[name]
        return None


def open_product(
    folder: Path, settings: Settings, files: Disk | None = None, documents: Sequence[Path] | None = None
) -> OpenProduct:
    """Read floe.yaml, and list what else there is, unless that is known."""
    path, files = folder / "floe.yaml", files or Disk()
    if not files.is_file(path):
        return OpenProduct(folder, None, (), (_no_product(folder),), files=(str(path),))
    made, found = product.read(files.read(path), shown(path))
    documents = tuple(product_documents(folder)) if documents is None else tuple(documents)
    generation = settings.data_contracts.auto_generation
    generating = generation.enabled and generation.from_ports
    if made and not documents and not (made.outputs and generating):
        found.append(_nothing(made))
    asked, dbt = [str(path)], None
    if generation.enabled and generation.from_dbt_manifest:
        try:
            dbt = _dbt(folder, files, asked)
        except ContractError as error:
            found += error.findings
    return OpenProduct(folder, made, documents, tuple(found), dbt, tuple(asked))


def product_documents(folder: Path) -> Iterator[Path]:
    """The documents of a product's folder."""
    for name in ("datacontract.yaml", "datacontract.yml"):
        if (folder / name).is_file():
            yield folder / name
    if (folder / "contracts").is_dir():
        yield from contract_files(folder / "contracts")


def _dbt(folder: Path, files: Disk, asked: list[str]) -> DbtManifest | None:
    path = None
    for name in _MANIFESTS:
        asked.append(str(folder / name))
        if files.is_file(folder / name):
            path = folder / name
            break
    if path is None:
        return None
    source = shown(path)
    tree = json_text.parse(files.read(path).decode("utf-8-sig", "replace"), source)
    if not recognises(tree):
        raise unreadable(f"{source} is not a dbt manifest", Place(source, 1, 1), suggestion="Run `dbt parse` again")
    said = str(tree["metadata"]["dbt_schema_version"]).rsplit("/", 1)[-1].removesuffix(".json")
    if "/manifest/" in str(tree["metadata"]["dbt_schema_version"]) and not _known(said):
        text = f"{source} is a dbt manifest of version {said}, which floe does not read"
        known = ", ".join(f"v{number}" for number in _DBT_VERSIONS)
        suggestion = f"floe reads {known}; run `dbt parse` with dbt 1.5 or later"
        place = Place(source, 1, 1)
        finding = Finding("E502", "unsupported-version", Severity.CRITICAL, text, "", suggestion, place)
        raise ContractError(text, suggestion, "E502", (finding,))
    return DbtManifest(Manifest(tree, source), source)


def _known(said: str) -> bool:
    return said[:1] == "v" and said[1:].isdigit() and int(said[1:]) in _DBT_VERSIONS


def _no_product(folder: Path) -> Finding:
    return Finding(
        "E500",
        "product-not-found",
        Severity.CRITICAL,
        f"Folder {shown(folder)} contains no product: floe.yaml does not exist",
        "",
        "Write floe.yaml with floe init, or pass the folder of a product",
        Place(shown(folder), 1, 1),
    )


def _nothing(made: Product) -> Finding:
    return Finding(
        "E500",
        "contract-not-found",
        Severity.CRITICAL,
        f"Product '{made}' has no contract: no datacontract.yaml and no output_ports",
        f"Its {len(made.outputs)} output ports are not used: auto_generation is off" if made.outputs else "",
        "Add output_ports to floe.yaml, or write datacontract.yaml",
        Place(made.source, 1, 1),
    )


class Resolver:
    """Resolves the contracts of products below one root; parents are read once."""

    def __init__(self, settings: Settings, files: Disk | None = None) -> None:
        self.settings = settings
        self.files = files or Disk()
        self.parents = Parents(settings.root, self.files)
        self.family = ContractFamily(self.parents.find)

    def document(self, opened: OpenProduct, path: Path) -> Resolved:
        """The effective contract of an explicit document, on top of the ports and dbt."""
        source, files = shown(path), (str(path), *opened.files)
        try:
            contract, found = read(self.files.read(path), source)
        except ContractError as error:
            return Resolved(None, error.findings, source, files=files)
        if contract is None or any(finding.severity is Severity.CRITICAL for finding in found):
            return Resolved(None, tuple(found), source, files=files)
        every = self._ports(opened)
        ports = [port for port in every if _dataset_of(port, contract, len(every) == 1)]
        base, more = self._base(opened, ports, contract)
        form = comparable(contract.node)
        contradictions: list[Finding] = []
        if base:
            tree, contradictions = merge(base, form)
            own = replace(odcs.contract_in(tree, contract.source), format=contract.format)
        else:
            own, tree = _of_product(contract, form, opened.product)
        effective = self.family.effective(own, {source: "explicit", **_generated(opened)}, form=tree)
        everything = (*found, *more, *contradictions, *effective.findings)
        decided, names = self._decided(effective, files)
        names_of = tuple(port.name for port in ports)
        return Resolved(effective, everything, source, names_of, False, contract, form, decided, names)

    def port(self, opened: OpenProduct, port: OutputPort) -> Resolved:
        """The effective contract of a port that no document describes."""
        source = port.place.file
        tree, found = self._enriched(opened, port)
        tree = comparable(tree)
        contract, more = odcs.read(tree, source)
        if contract is None or any(finding.severity is Severity.CRITICAL for finding in more):
            return Resolved(None, (*found, *more), source, (port.name,), True, files=opened.files)
        effective = self.family.effective(contract, _generated(opened), form=tree)
        everything = (*found, *more, *effective.findings)
        decided, names = self._decided(effective, opened.files)
        return Resolved(effective, everything, source, (port.name,), True, contract, tree, decided, names)

    def _decided(self, effective: Effective, files: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The files that decided about a contract, and the parents that were looked for by name."""
        paths, names = list(files), []
        for child in (effective.own, *effective.ancestors):
            for name, _ in child.extended():
                asked, looked = self.parents.asked(name, child)
                paths += asked
                names += [looked] if looked else []
        return tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(names))

    def free_ports(self, opened: OpenProduct, claimed: Sequence[str]) -> list[OutputPort]:
        """The ports that no document describes."""
        return [port for port in self._ports(opened) if port.name not in claimed]

    def _ports(self, opened: OpenProduct) -> tuple[OutputPort, ...]:
        generation = self.settings.data_contracts.auto_generation
        wanted = generation.enabled and generation.from_ports
        return opened.product.outputs if wanted and opened.product else ()

    def _enriched(self, opened: OpenProduct, port: OutputPort) -> tuple[Map, list[Finding]]:
        """A port's contract over what dbt knows of its model."""
        model = opened.dbt and opened.dbt.tree(port.table.rsplit(".", 1)[-1], port.name)
        if not model:
            return port.tree, []
        base = copy(model)
        lower = Map(base.place)
        for dataset in maps(base.get("schema")):
            kept = Map(dataset.place)
            kept.put("name", port.name, dataset.value_places["name"])
            for key in _DATASET:
                if key in dataset:
                    kept.put(key, dataset[key], dataset.value_places[key], dataset.key_places[key])
            add(lower, "schema", kept, dataset.place)
        if "slaProperties" in base:
            lower.put("slaProperties", base["slaProperties"], base.value_places["slaProperties"])
        return merge(lower, port.tree)

    def _base(
        self, opened: OpenProduct, ports: list[OutputPort], contract: Contract
    ) -> tuple[Map | None, list[Finding]]:
        """The contracts of several ports as one, their datasets named as the document names them."""
        out: Map | None = None
        found: list[Finding] = []
        for port in ports:
            tree, more = self._enriched(opened, port)
            tree = copy(tree)
            found += more
            dataset = tree["schema"][0]
            dataset.put("name", _dataset_of(port, contract), dataset.value_places["name"])
            if out is None:
                out = tree
            else:
                add_all(out, "schema", tree["schema"])
                if "slaProperties" in tree and "slaProperties" not in out:
                    out.put("slaProperties", tree["slaProperties"], tree.value_places["slaProperties"])
        return out, found


def _generated(opened: OpenProduct) -> dict[str, str]:
    files = [opened.product.source] if opened.product else []
    return dict.fromkeys([*files, *([opened.dbt.source] if opened.dbt else [])], "generated")


def _dataset_of(port: OutputPort, contract: Contract, only: bool = True) -> str | None:
    """The dataset of a document that a port gives: by its name or table; a document without any is about its namesake."""
    if not contract.datasets:
        return port.name if only or contract.identity.split("/", 1)[1].split(":")[0] == port.name else None
    for dataset in contract.datasets:
        names = {dataset.name, dataset.physical_name, contract.table_id(dataset)}
        if port.name in names or port.table in names or port.table.rsplit(".", 1)[-1] == dataset.name:
            return dataset.name
    return None


def _of_product(contract: Contract, form: Map, made: Product | None) -> tuple[Contract, Map]:
    """A document and its comparable tree with the domain and product of its folder, where it names none."""
    if made is None or (contract.domain and contract.product):
        return contract, form
    trees = [_shallow(contract.node), _shallow(form)]
    for tree in trees:
        for key, value in (("domain", made.domain), ("dataProduct", made.name)):
            if not tree.get(key):
                tree.put(key, value, Place(made.source, 1, 1))
    node = trees[0]
    return replace(contract, node=node, domain=node["domain"], product=node["dataProduct"]), trees[1]


def _shallow(node: Map) -> Map:
    """A mapping whose copy can get other keys without changing the original."""
    out = Map(node.place)
    out.update(node)
    out.value_places, out.key_places = dict(node.value_places), dict(node.key_places)
    return out
