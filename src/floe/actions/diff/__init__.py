"""Diff: what a new version of a contract changes, for whom, and which version it needs."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from floe.actions.diff.contract_set import Source
from floe.actions.diff.inherited import Inheritance
from floe.actions.diff.pairing import VersionPair, version_of, version_pairs
from floe.actions.diff.table import diff_table, is_table
from floe.actions.load.settings import load_settings
from floe.contract.compat import CHANGES
from floe.contract.compat.changes.history import read_out, with_reuse
from floe.contract.compat.diff import changes
from floe.contract.compat.migrations import Migrations, migrations, not_made
from floe.contract.compat.pairs import Terms
from floe.contract.compat.versions import Move, name_of, version_findings, version_notes
from floe.model import Contract, Finding, SettingError, Severity, locate
from floe.model.change import Bump, Change, Diff, Impact
from floe.model.contract import Version
from floe.settings import Settings


@dataclass(frozen=True, slots=True)
class DiffResult:
    """One diff per contract."""

    results: tuple[Diff, ...]

    @property
    def bump(self) -> Bump:
        """The largest bump of all."""
        return max((result.bump for result in self.results), default=Bump.NONE)

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return all(result.ok for result in self.results)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong, also against earlier versions."""
        return tuple(
            finding
            for result in self.results
            for value in (result, *(result.earlier or ()))
            for finding in value.findings
        )

    def fails(self, severity: Severity) -> bool:
        """Whether a finding reaches a severity, or the requested compatibility mode is violated."""
        incompatible = any(result.compatibility and not result.compatibility.compatible for result in self.results)
        return incompatible or any(result.reaches(severity) for result in self.results)

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        summary = {"contracts": len(self.results), "bump": str(self.bump), "ok": self.ok}
        return {"results": [result.to_dict() for result in self.results], "summary": summary}


@dataclass(frozen=True, slots=True)
class Question:
    """How to compare: with the last version or all of the line, and which side must go on as before."""

    transitive: bool = False
    mode: str | None = None

    @property
    def whole_line(self) -> bool:
        """Whether to compare with earlier versions too."""
        return self.transitive or (self.mode or "").endswith("_transitive")


def diff(old: Source, new: Source, settings: Settings | None = None) -> Diff:
    """What changes from one version of a contract to another: paths, ids, git:REV:path, YAML texts or loaded contracts."""
    results = diff_all(old, new, settings=settings).results
    if len(results) != 1:
        raise ValueError(
            f"floe.diff compares two versions of one contract, not {len(results)}; `floe diff` compares folders"
        )
    return results[0]


def diff_all(
    old: Source, new: Source | None = None, question: Question | None = None, settings: Settings | None = None
) -> DiffResult:
    """What changes between two sides: contracts, folders of them, or git revisions (`main..HEAD` and a path)."""
    settings, question = settings or load_settings(), question or Question()
    if new is not None and (is_table(old) or is_table(new)):
        if question.whole_line:
            raise SettingError(
                "--transitive is not available for tables", "Remove --transitive, or use a mode without it"
            )
        return DiffResult((_with_mode(diff_table(old, new, terms_of(settings), settings), question),))
    return compare(list(version_pairs(old, new, question.whole_line, settings)), question, settings)


def compare(pairs: Sequence[VersionPair], question: Question, settings: Settings) -> DiffResult:
    """One diff per pair, and the entries of changes.yaml that no contract makes."""
    terms, results = terms_of(settings), []
    inheritance = Inheritance(settings.root)
    used: set[int] = set()
    pairs = sorted(pairs, key=lambda pair: name_of(pair.present))
    for pair in pairs:
        result, by_now = _diff(pair, question, terms, inheritance)
        results.append(result)
        used |= by_now
    return DiffResult(tuple(_with_unused(results, pairs, used)))


def terms_of(settings: Settings) -> Terms:
    """The settings of diffs."""
    return Terms(
        labels=tuple(map(str, settings.classifications)),
        table_format=str(settings.tables.format),
        widening_is_minor=settings.compatibility.type_widening == "minor",
        sla_directions=settings.compatibility.sla_directions,
    )


def _diff(pair: VersionPair, question: Question, terms: Terms, inheritance: Inheritance) -> tuple[Diff, frozenset[int]]:
    if pair.old is None or pair.new is None:
        return _one_sided(pair), frozenset()
    old, new, notes = inheritance.both(pair.old, pair.new, pair.revision)
    result, used = _step(pair, old, new, terms)
    result = replace(result, notes=(*result.notes, *notes))
    if question.whole_line:
        others = tuple(contract for contract in pair.history if contract is not pair.new and contract is not pair.old)
        result = replace(result, earlier=tuple(_earlier(pair, others, terms)))
    return _with_mode(result, question), used


def diff_effective(pair: VersionPair, settings: Settings) -> Diff:
    """What changes between two contracts that have all they inherit already."""
    if pair.old is None or pair.new is None:
        return _one_sided(pair)
    return _step(pair, pair.old, pair.new, terms_of(settings))[0]


def _step(pair: VersionPair, old: Contract, new: Contract, terms: Terms) -> tuple[Diff, frozenset[int]]:
    found = with_reuse(changes(old, new, CHANGES, terms), pair.history)
    plans = migrations(old, new, found, pair.changes_file.listed)
    others = tuple(contract for contract in pair.history if contract is not pair.new and contract is not pair.old)
    return _judged(Move(old, new, found, plans.by_path, others), plans), plans.used


def _judged(move: Move, plans: Migrations) -> Diff:
    return Diff(
        contract=name_of(move.new),
        old=move.old.version,
        new=move.new.version,
        changes=move.changes,
        findings=(*version_findings(move), *plans.findings),
        declared=move.declared,
        migrations=move.migrations,
        notes=version_notes(move),
        hash=documents_hash(move.old, move.new, move.migrations),
    )


def documents_hash(old: Contract, new: Contract, migrations: Mapping[str, Mapping[str, Any]]) -> str:
    """The content of an approval: both documents and the migration texts; every edit except of comments is another one."""
    told = {path: dict(plan) for path, plan in migrations.items()}
    return _digest([name_of(new), old.node, new.node, told])


def _digest(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, default=str)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _earlier(pair: VersionPair, others: Sequence[Contract], terms: Terms) -> Iterator[Diff]:
    """The new version against each other one of its MAJOR line that is below it, the latest first."""
    assert pair.new is not None
    new = Version.read(pair.new.version)
    for old in sorted(others, key=version_of, reverse=True):
        if new and version_of(old).major == new.major and version_of(old) < new:
            found = with_reuse(changes(old, pair.new, CHANGES, terms), others)
            plans = migrations(old, pair.new, found, pair.changes_file.listed)
            yield _judged(Move(old, pair.new, found, plans.by_path), plans)


def _with_mode(result: Diff, question: Question) -> Diff:
    if question.mode is None:
        return result
    asked: list[Change] = list(result.changes)
    for other in (result.earlier or ()) if question.whole_line else ():
        asked += [change for change in other.changes if change not in asked]
    return replace(result, compatibility=read_out(question.mode, asked))


def _one_sided(pair: VersionPair) -> Diff:
    """A contract that is new or removed; a removal is a breaking change unless the contract was retired."""
    if pair.new:
        new = pair.new
        return Diff(contract=name_of(new), old=None, new=new.version, changes=(), notes=("a new contract",))
    old = pair.present
    gone = Change(
        change="contract-removed",
        row="B2",
        path="",
        old=old.version,
        new=None,
        bump=Bump.MAJOR,
        reader=Impact.BREAK,
        writer=Impact.OK,
        basis="ruling",
    )
    retired = old.status == "retired"
    return Diff(
        contract=name_of(old),
        old=old.version,
        new=None,
        changes=(gone,),
        findings=() if retired else (_gone(old),),
        notes=("contract removed",),
        hash=_digest([name_of(old), old.node]),
    )


def _gone(old: Contract) -> Finding:
    return Finding(
        "E520",
        "contract-removed",
        Severity.CRITICAL,
        f"Contract '{name_of(old)}' was removed before it was retired",
        f"Version {old.version} has status {old.status or 'active'}",
        "Deprecate it first, and remove it after it is retired",
        locate(old.node, "version"),
    )


def _with_unused(results: Sequence[Diff], pairs: Sequence[VersionPair], used: set[int]) -> Iterator[Diff]:
    """Results with the errors of their changes.yaml, each reported once."""
    said: set[str] = set()
    for result, pair in zip(results, pairs, strict=True):
        changes_file = pair.changes_file
        if not changes_file.source or changes_file.source in said or pair.old is None:
            yield result
            continue
        said.add(changes_file.source)
        unused = [entry for entry in changes_file.listed if id(entry) not in used]
        yield replace(result, findings=(*result.findings, *changes_file.findings, *map(not_made, unused)))
