"""Lint: a contract against the standard and floe's own rules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import fspath
from pathlib import Path
from typing import Any

from floe.contract.formats import read
from floe.contract.lint import RULES
from floe.contract.lint.rule import findings as rule_findings
from floe.contract.sources.files import contract_files, read_bytes
from floe.model import Contract, ContractError, Finding, Place, Severity

Source = str | Path | Contract


@dataclass(frozen=True, slots=True)
class LintResult:
    """What was found, in how many files, and the contracts that could be read."""

    findings: tuple[Finding, ...]
    files: int
    contracts: tuple[Contract, ...]

    def count(self, severity: Severity) -> int:
        """How many findings have this severity."""
        return sum(finding.severity is severity for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        counts = {str(severity): self.count(severity) for severity in reversed(Severity)}
        return {
            "findings": [finding.to_dict() for finding in self.findings],
            "summary": {"files": self.files, "contracts": len(self.contracts), **counts},
        }


def lint(source: Source | Sequence[Source]) -> LintResult:
    """What is wrong with a contract: a path, a folder, YAML text, a loaded contract, or several of them."""
    sources = [source] if isinstance(source, str | Path | Contract) else list(source)
    found: list[Finding] = []
    contracts: list[Contract] = []
    files = 0
    for data, name in (pair for one in sources for pair in _texts(one, found)):
        files += 1
        contract, findings = (data, []) if isinstance(data, Contract) else read(data, name)
        found += findings
        if contract:
            contracts.append(contract)
            found += rule_findings(contract, RULES)
    return LintResult(tuple(found), files, tuple(contracts))


def _texts(source: Source, found: list[Finding]) -> Iterator[tuple[bytes | str | Contract, str]]:
    """The texts a source stands for; what cannot be had is found, not raised."""
    if isinstance(source, Contract):
        yield source, source.source
    elif isinstance(source, str) and "\n" in source:
        yield source, "<text>"
    elif Path(source).is_dir():
        paths = list(contract_files(Path(source)))
        if not paths:
            text = f"Folder {fspath(source)} holds no YAML file"
            found.append(
                Finding(
                    "E500",
                    "folder-empty",
                    Severity.CRITICAL,
                    text,
                    suggestion="Name a contract, or a folder with contracts in it",
                    place=Place(fspath(source), 1, 1),
                )
            )
        for path in paths:
            yield from _one(path, found)
    else:
        yield from _one(Path(source), found)


def _one(path: Path, found: list[Finding]) -> Iterator[tuple[bytes, str]]:
    try:
        yield read_bytes(path), str(path)
    except ContractError as error:
        found += error.findings
