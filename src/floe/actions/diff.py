"""Diff: what a new version of a contract changes, for whom, and which version it needs."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from floe.actions.find_versions import Beside, Side, Source, at_revision, refuse_broken, side
from floe.actions.settings import load_settings
from floe.contract.compat import CHANGES
from floe.contract.compat.diff import changes
from floe.contract.compat.history import read_out, with_reuse
from floe.contract.compat.migrations import Migrations, migrations, not_made
from floe.contract.compat.pairs import Terms
from floe.contract.compat.versions import Move, name_of, version_findings, version_notes
from floe.contract.formats.canonical import content_hash
from floe.contract.sources.git import Repository, parse_range
from floe.model import Contract, ContractError, Finding, SettingError, Severity, locate
from floe.model.change import Bump, Change, Diff, Impact
from floe.model.json_text import dumps
from floe.model.settings import Settings
from floe.model.version import Version

_NOTHING = Beside()


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
            finding for result in self.results for one in (result, *(result.earlier or ())) for finding in one.findings
        )

    def fails(self, severity: Severity) -> bool:
        """Whether a finding is at least so bad, or the mode of compatibility that was asked about does not hold."""
        incompatible = any(one.compatibility and not one.compatibility.compatible for one in self.results)
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
        """Whether earlier versions are asked about too."""
        return self.transitive or (self.mode or "").endswith("_transitive")


@dataclass(frozen=True, slots=True)
class _Pair:
    """An old and a new version of one contract, either of which may be missing, and what is known around them."""

    old: Contract | None
    new: Contract | None
    beside: Beside = _NOTHING
    history: tuple[Contract, ...] = ()


def diff(old: Source, new: Source, settings: Settings | None = None) -> Diff:
    """What changes from one version of a contract to another: paths, ids, git:REV:path, YAML texts or loaded contracts."""
    results = diff_all(old, new, settings=settings).results
    if len(results) != 1:
        raise ValueError(f"floe.diff compares one pair of contracts, not {len(results)}; `floe diff` compares folders")
    return results[0]


def diff_all(
    old: Source, new: Source | None = None, question: Question | None = None, settings: Settings | None = None
) -> DiffResult:
    """What changes between two sides: contracts, folders of them, or git revisions (`main..HEAD` and a path)."""
    settings, question = settings or load_settings(), question or Question()
    pairs = list(_pairs(old, new, question, settings))
    return compare(pairs_of(pairs), question, settings)


def pairs_of(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Pairs by the name of their contracts."""
    return sorted(pairs, key=lambda pair: name_of(_there(pair)))


def compare_sides(before: Side, after: Side, settings: Settings) -> DiffResult:
    """What changes between two folders of contracts."""
    return compare(pairs_of(list(_paired(before, after))), Question(), settings)


def compare(pairs: Sequence[_Pair], question: Question, settings: Settings) -> DiffResult:
    """One diff per pair, and what changes.yaml lists although no contract beside it did it."""
    terms, results = terms_of(settings), []
    used: set[int] = set()
    for pair in pairs:
        result, by_now = _diff(pair, question, terms)
        results.append(result)
        used |= by_now
    return DiffResult(tuple(_with_unused(results, pairs, used)))


def terms_of(settings: Settings) -> Terms:
    """What the settings say about changes."""
    return Terms(
        labels=tuple(map(str, settings["classifications"])),
        table_format=str(settings["tables.format"]),
        widening_is_minor=settings["compatibility.type_widening"] == "minor",
    )


def _there(pair: _Pair) -> Contract:
    found = pair.new or pair.old
    assert found is not None
    return found


def _diff(pair: _Pair, question: Question, terms: Terms) -> tuple[Diff, frozenset[int]]:
    if pair.old is None or pair.new is None:
        return _one_sided(pair), frozenset()
    found = with_reuse(changes(pair.old, pair.new, CHANGES, terms), pair.history)
    plans = migrations(pair.old, pair.new, found, pair.beside.listed)
    others = tuple(one for one in pair.history if one is not pair.new and one is not pair.old)
    result = _judged(Move(pair.old, pair.new, found, plans.by_path, others), plans)
    if question.whole_line:
        result = replace(result, earlier=tuple(_earlier(pair, others, terms)))
    return _with_mode(result, question), plans.used


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
        hash=_hash(move),
    )


def _hash(move: Move) -> str:
    """What an approval names: both contents and what consumers are told; any edit of them makes another one."""
    told = {path: dict(plan) for path, plan in sorted(move.migrations.items())}
    text = dumps([name_of(move.new), content_hash(move.old), content_hash(move.new), move.new.version, told])
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _earlier(pair: _Pair, others: Sequence[Contract], terms: Terms) -> Iterator[Diff]:
    """The new version against each other one of its MAJOR line that is below it, the latest first."""
    assert pair.new is not None
    new = Version.read(pair.new.version)
    for old in sorted(others, key=_version, reverse=True):
        if new and _version(old).major == new.major and _version(old) < new:
            found = with_reuse(changes(old, pair.new, CHANGES, terms), others)
            plans = migrations(old, pair.new, found, pair.beside.listed)
            yield _judged(Move(old, pair.new, found, plans.by_path), plans)


def _with_mode(result: Diff, question: Question) -> Diff:
    if question.mode is None:
        return result
    asked: list[Change] = list(result.changes)
    for other in (result.earlier or ()) if question.whole_line else ():
        asked += [change for change in other.changes if change not in asked]
    return replace(result, compatibility=read_out(question.mode, asked))


def _one_sided(pair: _Pair) -> Diff:
    """A contract that is new, or gone: gone is a breaking change, unless it was retired."""
    if pair.new:
        new = pair.new
        return Diff(contract=name_of(new), old=None, new=new.version, changes=(), notes=("a new contract",))
    old = _there(pair)
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
    digest = hashlib.sha256(f"removed {name_of(old)} {content_hash(old)}".encode()).hexdigest()
    return Diff(
        contract=name_of(old),
        old=old.version,
        new=None,
        changes=(gone,),
        findings=() if retired else (_gone(old),),
        notes=("the contract is gone",),
        hash=f"sha256:{digest}",
    )


def _gone(old: Contract) -> Finding:
    return Finding(
        "E520",
        "contract-removed",
        Severity.CRITICAL,
        f"Contract '{name_of(old)}' is gone without having been retired",
        f"Version {old.version} has status {old.status or 'active'}",
        "Deprecate it first, and remove it when it is retired",
        locate(old.node, "version"),
    )


def _with_unused(results: Sequence[Diff], pairs: Sequence[_Pair], used: set[int]) -> Iterator[Diff]:
    """Results with what their changes.yaml got wrong, each said once."""
    said: set[str] = set()
    for result, pair in zip(results, pairs, strict=True):
        beside = pair.beside
        if not beside.source or beside.source in said or pair.old is None:
            yield result
            continue
        said.add(beside.source)
        unused = [entry for entry in beside.listed if id(entry) not in used]
        yield replace(result, findings=(*result.findings, *beside.findings, *map(not_made, unused)))


def _pairs(old: Source, new: Source | None, question: Question, settings: Settings) -> Iterator[_Pair]:
    between = None if isinstance(old, Contract) or Path(old).exists() else parse_range(str(old))
    if between:
        path = str(new or ".")
        repository = Repository(Path.cwd())
        start = repository.parted(between.old, between.new) if between.parted else between.old or "HEAD"
        before, after = (
            at_revision(repository, start, path, f"git:{start}:"),
            at_revision(repository, between.new, path),
        )
        yield from _tagged(_paired(before, after), repository, question)
    elif new is not None:
        before, after = side(old, settings), side(new, settings)
        yield from _lines(before, after) if question.whole_line else _paired(before, after)
    elif question.whole_line:
        yield from _versions(side(old, settings))
    else:
        raise SettingError(
            f"floe diff needs a new version to compare {old} with",
            "Name it after the old one, or compare two revisions: floe diff main..HEAD [PATH]",
        )


def _paired(before: Side, after: Side) -> Iterator[_Pair]:
    """Contracts of two sides by identity, else by id, else by the place of their file; a lone pair belongs together."""
    refuse_broken(before, after)
    if before.folder != after.folder:
        kinds = ("a folder", "one contract") if before.folder else ("one contract", "a folder")
        raise ContractError(
            f"{before.name} is {kinds[0]} and {after.name} is {kinds[1]}",
            "Compare a folder with a folder, or a contract with a contract; --transitive takes a folder of versions",
            "E500",
        )
    if not before.folder:
        yield _Pair(before.contracts[0], after.contracts[0], after.told(after.contracts[0]))
        return
    _refuse_empty(before, after)
    olds, news = _by_name(before), _by_name(after)
    for name in sorted(olds.keys() & news.keys()):
        new = news.pop(name)
        yield _Pair(olds.pop(name), new, after.told(new))
    for old, new in _moved(list(olds.values()), list(news.values())):
        olds.pop(name_of(old)), news.pop(name_of(new))
        yield _Pair(old, new, after.told(new))
    yield from (_Pair(old, None) for old in olds.values())
    yield from (_Pair(None, new, after.told(new)) for new in news.values())


def _moved(olds: Sequence[Contract], news: Sequence[Contract]) -> Iterator[tuple[Contract, Contract]]:
    """Contracts whose identity changed: the same ODCS id, or the same file name."""
    left = list(olds)
    for new in news:
        same = [old for old in left if old.id == new.id] or [
            old for old in left if Path(old.source.rsplit(":", 1)[-1]).name == Path(new.source).name
        ]
        if len(same) == 1:
            left.remove(same[0])
            yield same[0], new


def _refuse_empty(*sides: Side) -> None:
    if not any(one.contracts for one in sides):
        names = " and ".join(one.name for one in sides)
        raise ContractError(f"{names} hold no contract", "Name folders with contracts in them", "E500")


def _by_name(one: Side) -> dict[str, Contract]:
    found: defaultdict[str, list[Contract]] = defaultdict(list)
    for contract in one.contracts:
        found[name_of(contract)].append(contract)
    for name, several in found.items():
        if len(several) > 1:
            files = ", ".join(f"{contract.source} ({contract.version})" for contract in several)
            raise ContractError(
                f"{one.name} holds {len(several)} contracts with the identity '{name}': {files}",
                "Keep one, or compare versions with --transitive",
                "E500",
            )
    return {name: several[0] for name, several in found.items()}


def _lines(before: Side, after: Side) -> Iterator[_Pair]:
    """Each new contract with the version before it, among all the versions of the old side."""
    refuse_broken(before, after)
    _refuse_empty(after)
    for name, new in _by_name(after).items():
        line = [one for one in before.contracts if name_of(one) == name or (not before.folder and not after.folder)]
        yield _in_line(line, new, after.told(new))


def _versions(one: Side) -> Iterator[_Pair]:
    """The highest version of each contract with the versions before it: in the same folder, else at git tags."""
    refuse_broken(one)
    _refuse_empty(one)
    lines: defaultdict[str, list[Contract]] = defaultdict(list)
    for contract in one.contracts:
        lines[name_of(contract)].append(contract)
    for line in lines.values():
        new = max(line, key=_version)
        line.remove(new)
        _refuse_twice(new, line)
        yield _in_line(line or _at_tags(new, Repository(Path.cwd())), new, one.told(new))


def _refuse_twice(new: Contract, line: Sequence[Contract]) -> None:
    same = [one for one in line if _version(one) == _version(new)]
    if same:
        raise ContractError(
            f"{same[0].source} and {new.source} both are {new.identity}", "Keep one file per version", "E523"
        )


def _in_line(line: Sequence[Contract], new: Contract, beside: Beside) -> _Pair:
    below = [one for one in line if _version(one) < _version(new)] or list(line)
    return _Pair(max(below, key=_version, default=None), new, beside, tuple(line))


def _at_tags(new: Contract, repository: Repository) -> list[Contract]:
    """The versions of a contract that git's tags hold, each once."""
    found: dict[str, Contract] = {}
    for tag in repository.tags():
        if repository.blob(tag, new.source) is not None:
            for old in at_revision(repository, tag, new.source, f"git:{tag}:").contracts:
                found[old.version] = old
    return [old for old in found.values() if content_hash(old) != content_hash(new)]


def _tagged(pairs: Iterator[_Pair], repository: Repository, question: Question) -> Iterator[_Pair]:
    for pair in pairs:
        tagged = _at_tags(pair.new, repository) if question.whole_line and pair.new else []
        yield replace(pair, history=tuple(tagged))


def _version(contract: Contract) -> Version:
    return Version.read(contract.version) or Version(0, 0, 0)
