"""CI: check the contracts that changed since a git revision, for a pull request."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from floe.actions.approve import FILE, approvals, approved
from floe.actions.ci.compiled import compiled
from floe.actions.diff import DiffResult, Question, compare
from floe.actions.diff.contract_set import ContractSet, base_of, in_files
from floe.actions.diff.pairing import VersionPair, in_line
from floe.actions.lint import LintResult, lint
from floe.actions.load.settings import load_settings
from floe.contract.compat.versions import name_of
from floe.contract.sources.files import may_hold_contract
from floe.contract.sources.git import Repository
from floe.model import Contract, Finding, FloeError, Place, Severity
from floe.model.approval import Approval
from floe.model.change import Bump, Diff
from floe.settings import Settings


@dataclass(frozen=True, slots=True)
class CiStep:
    """A contract or product that was checked, with its findings."""

    name: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class CiResult:
    """What changed since a revision, with the findings of each step."""

    since: str
    files: tuple[str, ...]
    lint: LintResult
    diff: DiffResult
    steps: tuple[CiStep, ...]
    approved: tuple[tuple[Diff, Approval], ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All that was found."""
        return tuple(finding for step in self.steps for finding in step.findings)

    def reaches(self, severity: Severity) -> bool:
        """Whether something that counts is at least so bad."""
        return any(finding.severity >= severity and finding.counts for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "since": self.since,
            "files": list(self.files),
            "lint": self.lint.to_dict(),
            "diff": self.diff.to_dict(),
            "steps": [
                {"name": step.name, "findings": [finding.to_dict() for finding in step.findings]} for step in self.steps
            ],
            "approved": [
                {"contract": one.contract, "diff": one.hash, "approver": approval.approver, "reason": approval.reason}
                for one, approval in self.approved
            ],
            "summary": {
                "files": len(self.files),
                "contracts": len(self.diff.results),
                "bump": str(self.diff.bump),
                "ok": not self.reaches(Severity.ERROR),
            },
        }


def ci(since: str, path: str | Path = ".", *, settings: Settings | None = None, today: date | None = None) -> CiResult:
    """Lint, diff and compile of the contracts below a path that differ from where we parted from a revision."""
    settings = settings or load_settings()
    today = today or settings.clock().date()
    repository = Repository(Path.cwd())
    base = repository.parted(since, "HEAD")
    all_changed = repository.changed(base, path)
    if not all_changed and not Path(path).exists():
        raise FloeError(f"{path} does not exist, and did not at {since}", "Check the path")
    changed = _contract_files(all_changed)
    judged = _linted(path, changed)
    before, after = base_of(repository, base, changed, f"git:{since}:"), _now(changed)
    everything = judged.contracts
    linted = _of_files(judged, changed)
    pairs = list(_pairs(before, after, everything))
    compared = compare(pairs, Question(), settings)
    given, wrong = approvals(settings, today)
    compared, allowed = _with_approvals(compared, given, today)
    said = (*judged.findings, *compared.findings)
    steps = (
        CiStep("lint", linted.findings),
        CiStep("diff", compared.findings),
        CiStep("compile", tuple(compiled(Path(path), all_changed, said, base, today))),
        CiStep("base", before.broken),
        CiStep("approvals", (*wrong, *_missing(compared, pairs, allowed))),
    )
    files = tuple(sorted({_file(contract) for side in (before, after) for contract in side.contracts}))
    return CiResult(since, files, linted, compared, steps, allowed)


def _contract_files(changed: Sequence[str]) -> set[str]:
    """The changed files that may be contracts, and those next to a changed changes.yaml."""
    found = {name for name in changed if may_hold_contract(Path(name)) or _outside(name)}
    for name in changed:
        folder = Path(name).parent
        if Path(name).name == "changes.yaml" and folder.is_dir():
            found |= {str(path) for path in folder.iterdir() if path.is_file() and may_hold_contract(Path(path.name))}
    return found


def _outside(name: str) -> bool:
    """Whether a file elsewhere in the repository may be a contract by its name."""
    return Path(name).is_absolute() and may_hold_contract(Path(Path(name).name))


def _linted(path: str | Path, changed: set[str]) -> LintResult:
    """Everything below the path, for rules that compare contracts; nothing if nothing changed."""
    there = [name for name in sorted(changed) if Path(name).is_file()]
    if not there:
        return LintResult((), 0, ())
    return lint([str(path)] if Path(path).is_dir() else there)


def _of_files(result: LintResult, changed: set[str]) -> LintResult:
    """Only what was found in changed files."""
    found = tuple(finding for finding in result.findings if finding.place and _same(finding.place.file) in changed)
    contracts = tuple(contract for contract in result.contracts if _same(contract.source) in changed)
    return LintResult(found, len(contracts), contracts)


def _same(file: str) -> str:
    return str(Path(file))


def _file(contract: Contract) -> str:
    """The file of a contract, whatever revision it was read from."""
    return contract.source.split(":", 2)[-1] if contract.source.startswith("git:") else _same(contract.source)


def _now(changed: set[str]) -> ContractSet:
    return in_files("the working tree", [Path(name) for name in sorted(changed) if Path(name).is_file()])


def _pairs(before: ContractSet, after: ContractSet, everything: Sequence[Contract]) -> Iterator[VersionPair]:
    """Contracts by file, else by identity; a new file with the version before it, if a file of that is kept."""
    unread = {_same(finding.place.file) for finding in after.broken if finding.place}
    olds = {_file(contract): contract for contract in before.contracts if _file(contract) not in unread}
    left = []
    for new in after.contracts:
        old = olds.get(_file(new))
        if old and _carries_on(old, new, before, after):
            yield VersionPair(olds.pop(_file(new)), new, after.changes_of(new))
        else:
            left.append(new)
    for new in left:
        moved = next((file for file, old in olds.items() if name_of(old) == name_of(new)), None)
        if moved:
            yield VersionPair(olds.pop(moved), new, after.changes_of(new))
        else:
            yield in_line(_other_versions(new, everything), new, after.changes_of(new))
    yield from (VersionPair(old, None) for old in olds.values())


def _carries_on(old: Contract, new: Contract, before: ContractSet, after: ContractSet) -> bool:
    """Whether two contracts of one file are versions of one contract."""
    return name_of(old) == name_of(new) or old.id == new.id or _alone(new, before, after)


def _other_versions(new: Contract, everything: Sequence[Contract]) -> list[Contract]:
    """The versions of a contract that other files keep."""
    same_name = (contract for contract in everything if name_of(contract) == name_of(new))
    return [contract for contract in same_name if _file(contract) != _file(new)]


def _alone(new: Contract, before: ContractSet, after: ContractSet) -> bool:
    """Whether no other contract carries on the old one's name, so that the same file means the same contract."""
    here = [old for old in before.contracts if _file(old) == _file(new)]
    return not any(name_of(other) == name_of(old) for old in here for other in after.contracts)


def _with_approvals(
    compared: DiffResult, given: Sequence[Approval], today: date
) -> tuple[DiffResult, tuple[tuple[Diff, Approval], ...]]:
    """Diffs in which what was approved does not count, and the approvals that were used."""
    results, used = [], []
    for result in compared.results:
        fitting = [approval for approval in given if result.hash and approval.covers("E517", result.hash, today)]
        waiver = next((approval for approval in fitting if approval.code == "E520"), None)
        used += [(result, approval) for approval in fitting[:1]]
        results.append(replace(result, findings=approved(result.findings, waiver)))
    return DiffResult(tuple(results)), tuple(used)


def _missing(
    compared: DiffResult, pairs: Sequence[VersionPair], approved: Sequence[tuple[Diff, Approval]]
) -> Iterator[Finding]:
    """A finding for each MAJOR version without approval."""
    places = {name_of(pair.present): pair.present for pair in pairs}
    allowed = {one.hash for one, _ in approved}
    for result in compared.results:
        if result.bump is Bump.MAJOR and result.hash not in allowed:
            contract = places[result.contract]
            place = contract.node.value_places.get("version") or Place(contract.source, 1, 1)
            yield Finding(
                "E517",
                "approval-missing",
                Severity.ERROR,
                f"The MAJOR change of '{result.contract}' is not approved",
                f"{result.old} → {result.new or 'none'}, diff {result.hash}",
                f"Add to {FILE}: - {{code: E517, diff: {result.hash}, reason: …, approver: …}}",
                place,
            )
