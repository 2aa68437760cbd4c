"""Which contract of one side belongs to which of the other."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from floe.actions.diff.contract_set import (
    ChangesFile,
    ContractSet,
    Source,
    at_revision,
    load_line,
    load_set,
    refuse_broken,
)
from floe.contract.compat.versions import name_of
from floe.contract.formats.canonical import content_hash
from floe.contract.sources.git import Range, Repository, parse_range
from floe.model import Contract, ContractError, SettingError
from floe.model.contract import Version
from floe.settings import Settings

_NOTHING = ChangesFile()


@dataclass(frozen=True, slots=True)
class VersionPair:
    """An old and a new version of one contract, either of which may be missing, and what is known around them."""

    old: Contract | None
    new: Contract | None
    changes_file: ChangesFile = _NOTHING
    history: tuple[Contract, ...] = ()
    revision: str = ""  # of the new version, where it is not of the working tree

    @property
    def present(self) -> Contract:
        """The version that is there; a pair always has one."""
        found = self.new or self.old
        assert found is not None
        return found


def version_pairs(old: Source, new: Source | None, whole_line: bool, settings: Settings) -> Iterator[VersionPair]:
    """The pairs that two sides make; with the whole line, each with all versions of its contract that are known."""
    between = _range(old)
    if between:
        path = str(new or ".")
        repository = Repository(Path.cwd())
        start = repository.parted(between.old, between.new) if between.parted else between.old or "HEAD"
        before, after = (
            at_revision(repository, start, path, f"git:{start}:"),
            at_revision(repository, between.new, path),
        )
        yield from _tagged(_paired(before, after), repository, between.new, whole_line)
    elif new is not None:
        if whole_line:
            yield from _lines(load_line(old, settings), load_set(new, settings))
        else:
            yield from _paired(load_set(old, settings), load_set(new, settings))
    elif whole_line:
        yield from _versions(load_line(old, settings))
    else:
        raise SettingError(
            f"A new version is needed to compare {old.identity if isinstance(old, Contract) else old} with",
            "Pass it after the old version, or compare two revisions: floe diff main..HEAD [PATH]",
        )


def _range(old: Source) -> Range | None:
    """The two revisions that an argument means, unless it is a contract, a text or a path."""
    if isinstance(old, Contract) or "\n" in str(old) or Path(old).exists():
        return None
    return parse_range(str(old))


def _paired(before: ContractSet, after: ContractSet) -> Iterator[VersionPair]:
    """Pairs of contracts by identity, else by id, else by file; two single contracts are a pair."""
    refuse_broken(before, after)
    if before.folder != after.folder:
        kinds = ("a folder", "one contract") if before.folder else ("one contract", "a folder")
        raise ContractError(
            f"{before.name} is {kinds[0]} and {after.name} is {kinds[1]}",
            "Compare a folder with a folder, or a contract with a contract; --transitive takes a folder of versions",
            "E500",
        )
    if not before.folder:
        yield VersionPair(before.contracts[0], after.contracts[0], after.changes_of(after.contracts[0]))
        return
    _refuse_empty(before, after)
    olds, news = _by_name(before), _by_name(after)
    for name in sorted(olds.keys() & news.keys()):
        new = news.pop(name)
        yield VersionPair(olds.pop(name), new, after.changes_of(new))
    for old, new in _moved(list(olds.values()), list(news.values())):
        olds.pop(name_of(old)), news.pop(name_of(new))
        yield VersionPair(old, new, after.changes_of(new))
    yield from (VersionPair(old, None) for old in olds.values())
    yield from (VersionPair(None, new, after.changes_of(new)) for new in news.values())


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


def _refuse_empty(*sides: ContractSet) -> None:
    if not any(contract_set.contracts for contract_set in sides):
        names = " and ".join(side.name for side in sides)
        raise ContractError(f"{names} contain no contract", "Pass folders with contracts", "E500")


def _by_name(contract_set: ContractSet) -> dict[str, Contract]:
    found: defaultdict[str, list[Contract]] = defaultdict(list)
    for contract in contract_set.contracts:
        found[name_of(contract)].append(contract)
    for name, several in found.items():
        if len(several) > 1:
            files = ", ".join(f"{contract.source} ({contract.version})" for contract in several)
            raise ContractError(
                f"{contract_set.name} contains {len(several)} contracts with the identity '{name}': {files}",
                "Keep one, or compare versions with --transitive",
                "E500",
            )
    return {name: several[0] for name, several in found.items()}


def _lines(before: ContractSet, after: ContractSet) -> Iterator[VersionPair]:
    """Each new contract with the version before it, among all the versions of the old side."""
    refuse_broken(before, after)
    _refuse_empty(after)
    for name, new in _by_name(after).items():
        line = [
            contract
            for contract in before.contracts
            if name_of(contract) == name or (not before.folder and not after.folder)
        ]
        yield in_line(line, new, after.changes_of(new))


def _versions(contract_set: ContractSet) -> Iterator[VersionPair]:
    """The highest version of each contract with the versions before it: in the same folder, else at git tags."""
    refuse_broken(contract_set)
    _refuse_empty(contract_set)
    lines: defaultdict[str, list[Contract]] = defaultdict(list)
    for contract in contract_set.contracts:
        lines[name_of(contract)].append(contract)
    for line in lines.values():
        new = max(line, key=version_of)
        line.remove(new)
        _refuse_twice(new, line)
        tagged = [] if line or new.is_resolved else _at_tags(new, Repository(Path.cwd()))
        yield in_line(line or tagged, new, contract_set.changes_of(new))


def _refuse_twice(new: Contract, line: Sequence[Contract]) -> None:
    same = [contract for contract in line if version_of(contract) == version_of(new)]
    if same:
        raise ContractError(
            f"{same[0].source} and {new.source} are both {new.identity}", "Keep one file per version", "E523"
        )


def in_line(line: Sequence[Contract], new: Contract, changes_file: ChangesFile) -> VersionPair:
    """A new version with the next lower one."""
    below = [contract for contract in line if version_of(contract) < version_of(new)] or list(line)
    return VersionPair(max(below, key=version_of, default=None), new, changes_file, tuple(line))


def _at_tags(new: Contract, repository: Repository) -> list[Contract]:
    """The versions of a contract that git's tags hold, each once."""
    found: dict[str, Contract] = {}
    for tag in repository.tags():
        if repository.blob(tag, new.source) is not None:
            for old in at_revision(repository, tag, new.source, f"git:{tag}:").contracts:
                found[old.version] = old
    return [old for old in found.values() if content_hash(old) != content_hash(new)]


def _tagged(
    pairs: Iterator[VersionPair], repository: Repository, revision: str, whole_line: bool
) -> Iterator[VersionPair]:
    for pair in pairs:
        tagged = _at_tags(pair.new, repository) if whole_line and pair.new else []
        yield replace(pair, history=tuple(tagged), revision=revision)


def version_of(contract: Contract) -> Version:
    """A contract's version, 0.0.0 where it is none."""
    return Version.read(contract.version) or Version(0, 0, 0)
