"""Effective: a contract with all it inherits, and where every value came from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floe.actions.load.product import OpenProduct, Resolved, Resolver, open_product, shown
from floe.actions.load.settings import folder_of, load_settings
from floe.contract.formats.odcs.fit import comparable
from floe.contract.lint.rules.secret import hidden
from floe.contract.resolve.artifacts import Origin, origins, plain
from floe.contract.sources.files import contract_files
from floe.model import Contract, ContractError, Finding, Severity
from floe.settings import Settings


@dataclass(frozen=True, slots=True)
class EffectiveContract:
    """An effective contract, every value with its origin, and what was found while resolving it."""

    contract: Contract
    values: tuple[Origin, ...]
    parents: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "contract": self.contract.identity,
            "parents": [{"tier": tier, "file": file} for tier, file in self.parents],
            "values": [{**origin.to_dict(), "value": plain(origin.value)} for origin in self.values],
            "findings": [finding.to_dict() for finding in self.findings],
        }


def effective(name: str | Path, settings: Settings | None = None) -> EffectiveContract:
    """The effective contract of a file, a product's folder, an id or a table_id."""
    path = Path(name)
    if settings is None:
        settings = load_settings(start=folder_of(path))
    resolver = Resolver(settings)
    found = [_resolved(path, resolver)] if path.is_file() else _named(str(name), resolver)
    whole = [resolved for resolved in found if resolved.effective]
    if len(whole) > 1:
        listed = ", ".join(_identity(resolved) for resolved in whole)
        raise ContractError(f"'{name}' names {len(whole)} contracts", f"Pass one of {listed}", "E500")
    if not whole:
        _refuse(str(name), found)
    return _with_origins(whole[0])


def _with_origins(resolved: Resolved) -> EffectiveContract:
    made = resolved.effective
    assert made is not None
    values = tuple(origins(hidden(comparable(made.contract.node)), made.tiers))
    parents = tuple((made.tiers[contract.source], contract.source) for contract in made.ancestors)
    return EffectiveContract(made.contract, values, parents, resolved.findings)


def _refuse(name: str, found: list[Resolved]) -> None:
    wrong = tuple(finding for resolved in found for finding in resolved.findings if finding.severity >= Severity.ERROR)
    if wrong:
        raise ContractError(f"{wrong[0].place}: {wrong[0].message}", wrong[0].suggestion, wrong[0].code, wrong)
    raise ContractError(f"Unknown contract '{name}'", "Pass a contract file or a product folder", "E500")


def _identity(resolved: Resolved) -> str:
    return resolved.effective.contract.identity if resolved.effective else resolved.source


def _resolved(path: Path, resolver: Resolver) -> Resolved:
    """A document as part of its product, if it has one."""
    whole = path.resolve()
    for folder in whole.parents:
        if (folder / "floe.yaml").is_file():
            opened = open_product(folder, resolver.settings)
            if whole in [document.resolve() for document in opened.documents]:
                return resolver.document(opened, whole)
    return resolver.document(OpenProduct(whole.parent, None, (whole,), ()), whole)


def _named(name: str, resolver: Resolver) -> list[Resolved]:
    """The contracts of a product's folder, or those below the root that have a name."""
    if Path(name).is_dir():
        opened = open_product(Path(name).resolve(), resolver.settings)
        return [*_all(opened, resolver), Resolved(None, opened.findings, name)]
    root = resolver.settings.root
    folders = sorted(path.parent for path in root.rglob("floe.yaml"))
    everything = [
        resolved for folder in folders for resolved in _all(open_product(folder, resolver.settings), resolver)
    ]
    known = {resolved.source for resolved in everything}
    alone = [path for path in contract_files(root) if shown(path) not in known]
    everything += [resolver.document(OpenProduct(path.parent, None, (path,), ()), path) for path in alone]
    return [resolved for resolved in everything if resolved.effective and name in _names(resolved.effective.contract)]


def _all(opened: OpenProduct, resolver: Resolver) -> list[Resolved]:
    documents = [resolver.document(opened, path) for path in opened.documents]
    claimed = [port for resolved in documents for port in resolved.ports]
    return [*documents, *(resolver.port(opened, port) for port in resolver.free_ports(opened, claimed))]


def _names(contract: Contract) -> set[str | None]:
    tables = {contract.table_id(dataset) for dataset in contract.datasets}
    return {contract.id, contract.name, contract.identity, contract.identity.rsplit(":", 1)[0], *tables}
