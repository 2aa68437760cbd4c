"""What each rule has left to read: files that neither memory nor their own statistics answer for."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import Any, NamedTuple

from floe.engine.incremental.history import Files, FileSetResult, RuleHistory, bounded, combine
from floe.engine.metadata.proof import AHEAD, file_violations, seconds_of
from floe.engine.plan.expectations import broken_text
from floe.model.age import age_outcome
from floe.model.plan import Expectation, FileStatistics, ForeignKey, RowAge, RowRule, UniqueKey
from floe.model.result import Measured, Outcome, judged_outcome, without_value
from floe.version import __version__

_MOST = 0.5  # the share of a table from which on it is read as a whole
Index = Mapping[str, FileStatistics]


class ReferencedFiles(NamedTuple):
    """A table that keys refer to, as it was before it was read: its identity, and its files."""

    uid: str
    files: Files


class RuleNeed(NamedTuple):
    """A rule, what is known of it, bad rows of files by their statistics, and the files that are left to read."""

    rule: str
    kind: str
    expectation: Expectation
    known: RuleHistory
    proved: Mapping[str, int]
    rest: Files

    @property
    def by_rows(self) -> bool:
        """Whether each row answers by itself."""
        return self.kind in ("row", "newest", "oldest")


class Measurement(NamedTuple):
    """A figure over some files, a few bad rows, and for keys the way that found it."""

    number: int | None
    samples: tuple[Mapping[str, object], ...] = ()
    method: str | None = None


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """What nothing must be read for, what some files must be read for, and what the whole table must be read for."""

    answered: Sequence[RuleNeed] = ()
    some: Sequence[RuleNeed] = ()
    whole: Sequence[RuleNeed] = ()
    anew: Sequence[Expectation] = ()  # of no kind that could be remembered
    files: Files = field(default_factory=frozenset)  # that the rules of `some` about rows read in one pass


def kind_of(expectation: Expectation) -> str | None:
    """How figures of a rule over several sets of files become one; None where they do not."""
    match expectation.check:
        case RowRule():
            return "row"
        case UniqueKey():
            return "key"
        case ForeignKey():
            return "reference"
        case RowAge(kind):
            return kind
    return None


def rule_of(
    expectation: Expectation, kind: str, identities: Mapping[str, str], other: ReferencedFiles | None
) -> str | None:
    """The key of a rule in the history: what it measures, of which columns, by which version; thresholds are applied later."""
    if kind == "reference" and other is None:
        return None
    columns = {name: identities.get(name) for name in expectation.columns} if expectation.columns else dict(identities)
    said = [__version__, kind, astuple(expectation.check), sorted(columns.items()), other and other.uid]
    return f"{kind}:{hashlib.sha256(json.dumps(said).encode()).hexdigest()}"


def need_of(expectation: Expectation, kind: str, rule: str, known: RuleHistory, files: Index) -> RuleNeed:
    """What is left to read of a rule, by what is known of the files that are there."""
    names = frozenset(files)
    held = known.kept(names)
    if kind == "key" and held.clean and held.parts:
        held = RuleHistory()  # one of the two was never written with the other
    rest = names - held.files
    proved = _proved(expectation, {name: files[name] for name in rest}) if kind == "row" and expectation.claims else {}
    return RuleNeed(rule, kind, expectation, held, proved, rest - frozenset(proved))


def _proved(expectation: Expectation, files: Index) -> dict[str, int]:
    counts = {name: file_violations(expectation.claims, file) for name, file in files.items()}
    return {name: count for name, count in counts.items() if count is not None}


def referring(known: RuleHistory, other: ReferencedFiles) -> RuleHistory:
    """What holds of a reference now: where the other table only grew, what was found there still is."""
    if known.others == other.files:
        return known
    grown = known.others is not None and known.others <= other.files
    return RuleHistory(known.clean if grown else frozenset(), (), other.files)


def plan_reads(needs: Iterable[RuleNeed], anew: Sequence[Expectation], files: Index) -> ReadPlan:
    """Who reads what; a rule of which little is known reads the table with those of which nothing is."""
    listed = list(needs)
    answered = [need for need in listed if not need.rest]
    unread = [need for need in listed if need.rest]
    some = _readable_together([need for need in unread if _share(need.rest, files) <= _MOST], files)
    whole = [need for need in unread if need not in some]
    if whole and not any(need.known.files for need in some):
        some, whole = [], [*some, *whole]  # one pass more would spare little
    return ReadPlan(answered, some, whole, anew, _rows_of(some))


def _readable_together(needs: list[RuleNeed], files: Index) -> list[RuleNeed]:
    """The rules that can read their files by themselves; each that cannot takes its files from what the others read."""
    while unfit := [need for need in needs if not _readable(need, _rows_of(needs), files)]:
        needs = [need for need in needs if need not in unfit]
    return needs


def _rows_of(needs: Sequence[RuleNeed]) -> Files:
    """The files that rules about rows read in one pass."""
    found: Files = frozenset()
    return found.union(*(need.rest for need in needs if need.by_rows))


def _share(rest: Files, files: Index) -> float:
    sizes = {name: file.size or 1 for name, file in files.items()}
    return sum(sizes[name] for name in rest) / sum(sizes.values())


def _readable(need: RuleNeed, read: Files, files: Index) -> bool:
    """Whether the files can be read by themselves; a part that is read again must be read as a whole."""
    if any(not files[name].plain for name in need.rest):
        return False
    if need.kind == "key":
        return bool(need.known.files)
    return not need.by_rows or all(part.files <= read or not part.files & read for part in need.known.parts)


def old_files(need: RuleNeed, files: Index) -> tuple[FileStatistics, ...]:
    """The files that are known and whose bounds may hold a key of those that are left to read."""
    known = {name: files[name] for name in need.known.files}
    return near_files(need, files, known, need.expectation.key)


def near_files(need: RuleNeed, files: Index, others: Index, columns: Sequence[str]) -> tuple[FileStatistics, ...]:
    """The files of others whose bounds of columns may hold a key of the files that are left to read."""
    new, pairs = [files[name] for name in need.rest], list(zip(columns, need.expectation.key, strict=True))
    return tuple(file for _, file in sorted(others.items()) if _meets(file, new, pairs))


def _meets(file: FileStatistics, new: Sequence[FileStatistics], pairs: Sequence[tuple[str, str]]) -> bool:
    return file.rows != 0 and any(all(_overlaps(file, value, *pair) for pair in pairs) for value in new)


def _overlaps(file: FileStatistics, two: FileStatistics, column: str, key: str) -> bool:
    """Whether two files may hold the same value; a file of nothing but nulls holds none."""
    if any(file.rows is not None and file.nulls.get(name) == file.rows for file, name in ((file, column), (two, key))):
        return False
    edges: list[Any] = [file.least.get(column), two.most.get(key), two.least.get(key), file.most.get(column)]
    if None in edges:
        return True
    low, most, least, high = edges
    try:
        return bool(low <= most and least <= high)
    except TypeError:
        return True


def hidden(known: RuleHistory, masked: Files) -> RuleHistory:
    """What is known without samples that may no longer be shown."""
    fit = tuple(
        part._replace(samples=tuple(sample for sample in part.samples if _hashed(sample, masked)))
        for part in known.parts
    )
    return replace(known, parts=fit)


def _hashed(sample: Mapping[str, object], masked: Files) -> bool:
    return all(value is None or str(value).startswith("hash:") for name, value in sample.items() if name in masked)


def combined(need: RuleNeed, found: Measurement | None, read: Files) -> Measurement:
    """The figure over all files: what is known, what statistics prove, and what was found in the files that were read."""
    parts = [part for part in need.known.parts if not part.files & read]
    numbers = [part.number for part in parts]
    numbers += [count for name, count in need.proved.items() if name not in read]
    numbers += [found.number] if found else []
    samples = [sample for part in parts for sample in part.samples] + list(found.samples if found else ())
    return Measurement(combine(need.kind, numbers), tuple(samples[:5]), found.method if found else None)


def learned(need: RuleNeed, found: Measurement | None, read: Files, now: int, files: Index) -> RuleHistory:
    """What is known of a rule after reading; what statistics prove is known too, for files that are rewritten later."""
    known = _with_proved(need)
    if found is None:
        return known
    if need.kind == "key":
        return _keys(need, found)
    measured = need.rest.union(*(part.files for part in need.known.parts if part.files & read))
    kept = tuple(part for part in known.parts if not part.files & measured)
    number = found.number
    if need.kind == "newest":
        if not all(_passed(files[name], need.expectation.columns, now) for name in measured):
            return replace(known, parts=kept)
    elif need.kind != "oldest":
        number = (number or 0) - sum(count for name, count in need.proved.items() if name in read)
        if not number:
            return replace(known, clean=known.clean | measured, parts=kept)
    return replace(known, parts=bounded(need.kind, [*kept, FileSetResult(measured, number, found.samples)]))


def _with_proved(need: RuleNeed) -> RuleHistory:
    if not need.proved:
        return need.known
    clean = frozenset(name for name, count in need.proved.items() if not count)
    parts = [FileSetResult(frozenset([name]), count) for name, count in need.proved.items() if count]
    known = need.known
    return replace(known, clean=known.clean | clean, parts=bounded(need.kind, [*known.parts, *parts]))


def _keys(need: RuleNeed, found: Measurement) -> RuleHistory:
    """Keys are known over all files at once."""
    every = need.known.files | need.rest
    number = combine("key", [*(part.number for part in need.known.parts), found.number])
    samples = [sample for part in need.known.parts for sample in part.samples] + list(found.samples)
    return (
        RuleHistory(parts=(FileSetResult(every, number, tuple(samples[:5])),)) if number else RuleHistory(clean=every)
    )


def _passed(file: FileStatistics, columns: Sequence[str], now: int) -> bool:
    """Whether no value of a file lies in the future, where it would not count yet."""
    if len(columns) != 1:
        return False
    latest = seconds_of(file.most.get(columns[0]))
    return file.rows == 0 or (latest is not None and latest <= now + AHEAD)


def outcome_of(need: RuleNeed, figure: Measurement, rows: int, now: int, how: str) -> Outcome:
    """The outcome of an expectation from its measurement of the whole table."""
    expectation = need.expectation
    if need.kind in ("newest", "oldest"):
        if figure.number is None:
            return without_value(expectation)
        return age_outcome(expectation, now - figure.number, how)
    number = figure.number or 0
    measured = Measured(number, rows, broken_text(expectation, number), figure.samples, figure.method)
    return judged_outcome(expectation, measured, how)


def figure_of(kind: str, outcome: Outcome, now: int) -> Measurement | None:
    """The figure in an outcome of the whole table; None where it has none."""
    if kind in ("newest", "oldest"):
        return None if outcome.age is None else Measurement(now - outcome.age)
    if outcome.violations is None or outcome.how != "scan":
        return None
    return Measurement(outcome.violations, tuple(outcome.samples))
