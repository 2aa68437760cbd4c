"""Lint: a contract against the standard and floe's own rules."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from os import fspath
from pathlib import Path
from typing import Any

from floe.actions.load.settings import load_settings
from floe.contract.formats import read
from floe.contract.lint import RULES, baseline
from floe.contract.lint.ignore import ignored
from floe.contract.lint.rule import (
    findings as rule_findings,
    folder_findings,
    in_order,
    said_once,
    without_consequences,
)
from floe.contract.lint.rules.secret import hide, secrets_in
from floe.contract.lint.run import looks_like_contract
from floe.contract.lint.views import LintScope, Neighbours
from floe.contract.sources.files import contract_files, read_bytes
from floe.model import Contract, ContractError, Finding, Place, SettingError, Severity
from floe.model.yaml_text import MAX_BYTES
from floe.settings import LABELS, Settings
from floe.system.full_disk import remedy
from floe.system.whole_file import write_whole

Source = str | Path | Contract
_INLINE = "<text>"


@dataclass(frozen=True, slots=True)
class LintResult:
    """What was found, in how many files, the contracts that could be read, and the files that are none."""

    findings: tuple[Finding, ...]
    files: int
    contracts: tuple[Contract, ...]
    skipped: tuple[str, ...] = ()

    def count(self, severity: Severity) -> int:
        """How many findings of this severity are held against the contracts."""
        return sum(finding.severity is severity for finding in self.findings if finding.counts)

    def reaches(self, severity: Severity) -> bool:
        """Whether a finding that counts is at least so bad."""
        return any(finding.severity >= severity for finding in self.findings if finding.counts)

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        counts = {str(severity): self.count(severity) for severity in reversed(Severity)}
        beside = {
            "ignored": sum(bool(finding.ignored) for finding in self.findings),
            "known": sum(finding.known for finding in self.findings),
            "skipped": len(self.skipped),
        }
        return {
            "findings": [finding.to_dict() for finding in self.findings],
            "summary": {"files": self.files, "contracts": len(self.contracts), **counts, **beside},
            "skipped": list(self.skipped),
        }


@dataclass(frozen=True, slots=True)
class _Text:
    """One document to lint: its bytes or contract, its name, and the folder it was found in, if one was named."""

    data: bytes | str | Contract
    name: str
    folder: Path | None = None


@dataclass(slots=True)
class _LintRun:
    """What a lint run gathers while it goes from document to document."""

    progress: Callable[[int, str], None]
    labels: Sequence[str] | None
    found: list[Finding] = field(default_factory=list)
    contracts: list[Contract] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    scopes: dict[Path, LintScope] = field(default_factory=dict)
    read: list[tuple[Contract, Path, list[Finding]]] = field(default_factory=list)
    files: int = 0


def lint(
    source: Source | Sequence[Source],
    *,
    labels: Sequence[str] | None = None,
    known: str | Path | None = None,
    every: bool = False,
    progress: Callable[[int, str], None] = lambda _number, _name: None,
) -> LintResult:
    """What is wrong with a contract: a path, a folder, YAML text, a loaded contract, or several of them.

    Args:
        source: what to lint.
        labels: the classifications there are; else those of the manifest, else floe's own.
        known: a baseline file; findings it knows are marked and do not count.
        every: list what is alike one by one, instead of once with its number.
        progress: called with the number and name of each document before it is read.
    """
    sources = [source] if isinstance(source, str | Path | Contract) else list(source)
    run = _LintRun(progress, labels)
    for value in sources:
        meant = [_take(text, run) for text in _texts(value, run.found)]
        if _is_folder(value) and not any(meant):
            run.found.append(_no_contract(value))
    _ask_rules(run)
    found = _judged(run, known)
    listed = found if every else said_once(found)
    return LintResult(tuple(listed), run.files, tuple(run.contracts), tuple(run.skipped))


def _judged(run: _LintRun, known: str | Path | None) -> list[Finding]:
    """All findings in order: ignored and known ones marked, secrets hidden."""
    found = [*run.found, *folder_findings(run.contracts, RULES)] if len(run.contracts) > 1 else run.found
    found = _with_comments(found, run.texts)
    if known is not None:
        path = Path(known)
        found = baseline.known(found, _baseline(path), _relative_to(path))
    files = {finding.place.file for finding in found if finding.place}
    secrets = {file: secrets_in(run.texts.get(file, "")) for file in files}
    found = [hide(finding, secrets[finding.place.file]) if finding.place else finding for finding in found]
    return in_order(found)


def write_baseline(result: LintResult, file: str | Path) -> None:
    """Write the findings of a run to a baseline."""
    path = Path(file)
    try:
        write_whole(path, baseline.write(result.findings, _relative_to(path)))
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise SettingError(f"{path} cannot be written: {reason}", remedy(error, "Pass another file")) from None


def _baseline(path: Path) -> Counter[tuple[str, str, str, str, str]]:
    try:
        return baseline.read(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError):
        raise SettingError(f"Baseline {path} cannot be read", "Write one with --write-baseline") from None


def _relative_to(path: Path) -> Callable[[str], str]:
    """Files as seen from the baseline, so that it holds wherever the command runs."""
    folder = os.path.dirname(os.path.realpath(path))
    return lambda file: Path(os.path.relpath(os.path.realpath(file), folder)).as_posix() if file else ""


def _take(text: _Text, run: _LintRun) -> bool:
    """Read one document, once; whether it was meant as a contract."""
    if text.name in run.texts and text.name != _INLINE:
        return text.name not in run.skipped
    run.progress(run.files + len(run.skipped) + 1, text.name)
    contract, findings = _read(text, run)
    if contract is None and text.folder and not looks_like_contract(run.texts[text.name], text.name, findings):
        run.skipped.append(text.name)
        return False
    run.files += 1
    run.found += findings
    if contract:
        run.contracts.append(contract)
        run.read.append((contract, text.folder or Path(text.name).parent, findings))
    return True


def _ask_rules(run: _LintRun) -> None:
    """Run the rules on each contract after all are read: some refer to others."""
    neighbours = Neighbours(run.contracts)
    for contract, folder, refused in run.read:
        scope = _scope(folder, run, neighbours)
        run.found += without_consequences(rule_findings(contract, RULES, scope), refused)


def _read(text: _Text, run: _LintRun) -> tuple[Contract | None, list[Finding]]:
    if isinstance(text.data, Contract):
        return text.data, []
    run.texts[text.name] = _decoded(text.data[:MAX_BYTES])
    return read(text.data, text.name)


def _decoded(data: bytes | str) -> str:
    """The text in which comments and secrets are looked for, also where it cannot be parsed."""
    if isinstance(data, str):
        return data
    utf_16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    return data.decode("utf-16" if utf_16 else "utf-8", "replace").removeprefix("\ufeff")


def _scope(start: Path, run: _LintRun, neighbours: Neighbours) -> LintScope:
    """The context of rules besides the contract, once for each folder."""
    if start not in run.scopes:
        run.scopes[start] = _scope_of(start, run.labels, neighbours)
    return run.scopes[start]


def _scope_of(start: Path, labels: Sequence[str] | None, neighbours: Neighbours) -> LintScope:
    folder = start.resolve()
    settings = load_settings(start=folder)
    listed = labels is not None or settings.origin("classifications") != "default"
    given = labels if labels is not None else settings.classifications
    words = tuple(label for label in given if isinstance(label, str)) if listed else LABELS
    root = _root(folder, settings)
    return LintScope(words, listed, str(root), lambda path: os.path.realpath(Path(path)), neighbours)


def _root(folder: Path, settings: Settings) -> Path:
    """The folder below which contracts may refer to one another."""
    if (settings.root / "manifest.yaml").is_file():
        return settings.root
    here = Path.cwd().resolve()
    return here if folder.is_relative_to(here) else folder


def _with_comments(found: Sequence[Finding], texts: dict[str, str]) -> list[Finding]:
    """The findings of each file with those that its comments ignore marked."""
    by_file: dict[str, list[Finding]] = {name: [] for name in texts}
    for finding in found:
        by_file.setdefault(finding.place.file if finding.place else "", []).append(finding)
    return [finding for name, ones in by_file.items() for finding in ignored(ones, texts.get(name, ""), name)]


def _is_folder(source: Source) -> bool:
    """Whether a folder is named; an empty text, as a variable without a value gives it, names none."""
    return not isinstance(source, Contract) and not _is_text(source) and bool(source) and Path(source).is_dir()


def _is_text(source: str | Path) -> bool:
    return isinstance(source, str) and "\n" in source


def _texts(source: Source, found: list[Finding]) -> Iterator[_Text]:
    """The texts of a source; what cannot be read is a finding, not an exception."""
    if isinstance(source, Contract):
        yield _Text(source, source.source)
    elif _is_text(source):
        yield _Text(fspath(source), _INLINE)
    elif not source:
        found.append(_no_path())
    elif _is_folder(source):
        folder = Path(source)
        for path in contract_files(folder):
            yield from _one(path, found, folder)
    else:
        yield from _one(Path(source), found, None)


def _one(path: Path, found: list[Finding], folder: Path | None) -> Iterator[_Text]:
    try:
        # realpath, unlike resolve, accepts a link to itself; reading it reports the error
        if folder and not Path(os.path.realpath(path)).is_relative_to(folder.resolve()):
            found.append(_outside(path))
            return
        yield _Text(read_bytes(path), str(path), folder)
    except ContractError as error:
        found += error.findings


def _no_contract(source: Source) -> Finding:
    return Finding(
        "E500",
        "folder-empty",
        Severity.CRITICAL,
        f"Folder {source} contains no contract",
        suggestion="Pass a contract file or a folder of contracts",
        place=Place(str(source), 1, 1),
    )


def _no_path() -> Finding:
    return Finding(
        "E500",
        "contract-not-found",
        Severity.CRITICAL,
        "The path is empty",
        "A shell variable may be empty",
        "Pass a contract file or a folder",
    )


def _outside(path: Path) -> Finding:
    return Finding(
        "E507",
        "path-outside-root",
        Severity.ERROR,
        f"{path} points outside the folder and is not read",
        "It is a symbolic link to a file elsewhere",
        "Copy the contract into the folder, or pass the file itself",
        Place(str(path), 1, 1),
    )
