"""Measurements of earlier runs, by sets of files: which are still valid, also for files that were rewritten.

A rule is known to be kept in `clean` files, each by itself, also where rows of one were deleted since. A part is a set
of files with one figure over all of them: it holds while all of them are there as they were.
"""

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from floe.lang.secret import with_variables_hidden, with_variables_revealed
from floe.tables.facts import Rewrite

_FORM = 3
_PARTS = 64  # of one rule; more are merged
_RULES = 2000  # of one table; the least recently used are removed
Figures = Sequence[int | None]
Files = frozenset[str]


def whole_file(id_: str) -> str:
    """The file before rows of it were deleted."""
    return id_.split("\n", 1)[0]


def path_of(id_: str) -> str:
    """The path of a file.

    >>> from floe.model.plan import file_id
    >>> path_of(file_id("a.parquet", 3, "120")), rows_of(file_id("a.parquet", 3, "120"))
    ('a.parquet', 3)
    """
    return whole_file(id_).split("\t", 1)[0]


def rows_of(id_: str) -> int | None:
    """The number of rows that were written to a file; None if its key does not have it."""
    rows = whole_file(id_).partition("\t")[2].partition(" ")[0]
    return int(rows) if rows.isdigit() else None


class FileSetResult(NamedTuple):
    """Some files and what was measured over them: bad rows with samples, or a moment (None: no row has one)."""

    files: Files
    number: int | None
    samples: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class RuleHistory:
    """What is known of one rule; `others` are the files of the table that it refers to."""

    clean: Files = frozenset()
    parts: tuple[FileSetResult, ...] = ()
    others: Files | None = None

    @property
    def files(self) -> Files:
        """The files something is known of."""
        return self.clean.union(*(part.files for part in self.parts))

    def kept(self, files: Files) -> "RuleHistory":
        """What holds of the files that are there now."""
        clean = frozenset(file for file in files if file in self.clean or whole_file(file) in self.clean)
        return replace(self, clean=clean, parts=tuple(part for part in self.parts if part.files <= files))


@dataclass(frozen=True, slots=True)
class TableHistory:
    """The history of a table: the snapshot of its last check, and the measurements by rule."""

    uid: str
    snapshot: str
    rules: Mapping[str, RuleHistory] = field(default_factory=dict)


def combine(kind: str, numbers: Figures) -> int | None:
    """One figure of several: bad rows add up, of moments the newest or the oldest counts."""
    known = [number for number in numbers if number is not None]
    match kind:
        case "newest":
            return max(known, default=None)
        case "oldest":
            return min(known, default=None)
    return sum(known)


def rewritten(known: RuleHistory, rewrites: Iterable[Rewrite], kind: str) -> RuleHistory:
    """What is known after rewrites: rows that only moved keep their figures.

    >>> rewritten(RuleHistory(frozenset("abc")), [Rewrite(frozenset("ab"), frozenset("x"))], "row").clean == frozenset("cx")
    True
    >>> history = RuleHistory(frozenset("ab"), (FileSetResult(frozenset("cd"), 3),))
    >>> (part,) = rewritten(history, [Rewrite(frozenset("bc"), frozenset("x"))], "row").parts
    >>> sorted(part.files), part.number
    (['d', 'x'], 3)
    """
    for rewrite in rewrites:
        removed, added = _named(rewrite.removed, known), rewrite.added
        if rewrite.rows is not None and _rows(removed) != rewrite.rows:
            continue  # other rows came out than went in
        touched = [part for part in known.parts if part.files & removed]
        loose = frozenset(name for name in removed if name in known.clean or whole_file(name) in known.clean)
        if not removed <= loose.union(*(part.files for part in touched)):
            continue  # there are rows that no run has read
        clean = known.clean - loose - frozenset(map(whole_file, loose))
        if touched:
            merged = merge(kind, touched)
            rest = tuple(part for part in known.parts if part not in touched)
            known = replace(known, clean=clean, parts=(*rest, merged._replace(files=merged.files - removed | added)))
        else:
            known = replace(known, clean=clean | added)
    return known


def _named(removed: Files, known: RuleHistory) -> Files:
    """Removed files by their whole names, where these are known."""
    names: dict[str, str] = {}
    if any("\t" not in file for file in removed):
        names = {path_of(file): whole_file(file) for file in known.files}
    return frozenset(file if "\t" in file else _whole_name(file, names) for file in removed)


def _whole_name(file: str, names: Mapping[str, str]) -> str:
    path, deleted, which = file.partition("\n")
    return names.get(path, path) + deleted + which


def _rows(files: Files) -> int | None:
    """How many rows were written to files; None where one is not known."""
    counts = [rows_of(file) for file in files]
    return None if None in counts else sum(count for count in counts if count)


def merge(kind: str, parts: Sequence[FileSetResult]) -> FileSetResult:
    """Several parts as one."""
    files: Files = frozenset().union(*(part.files for part in parts))
    samples = tuple(sample for part in parts for sample in part.samples)
    return FileSetResult(files, combine(kind, [part.number for part in parts]), samples[:5])


def bounded(kind: str, parts: Sequence[FileSetResult]) -> tuple[FileSetResult, ...]:
    """Not too many parts: the smallest become one."""
    if len(parts) <= _PARTS:
        return tuple(parts)
    ordered = sorted(parts, key=lambda part: len(part.files))
    return (merge(kind, ordered[: -_PARTS // 2]), *ordered[-_PARTS // 2 :])


def encode(memory: TableHistory) -> str:
    """A memory as the store keeps it: each file named once, each set of files written once."""
    numbers: dict[str, int] = {}
    sets: dict[Files, int] = {}

    def of(files: Files) -> int:
        for file in sorted(files):
            numbers.setdefault(file, len(numbers))
        return sets.setdefault(files, len(sets))

    rules = {
        rule: [
            of(known.clean),
            [[of(part.files), part.number, list(part.samples)] for part in known.parts],
            None if known.others is None else of(known.others),
        ]
        for rule, known in list(memory.rules.items())[-_RULES:]
    }
    said = {"form": _FORM, "uid": memory.uid, "snapshot": memory.snapshot, "rules": rules, "files": list(numbers)}
    said["sets"] = [sorted(numbers[name] for name in files) for files in sets]
    return base64.b64encode(
        zlib.compress(json.dumps(with_variables_hidden(said), separators=(",", ":")).encode())
    ).decode()


def decode(kept: str) -> TableHistory | None:
    """A memory as it was kept; None where another floe wrote it, or it cannot be read: then nothing is remembered."""
    try:
        said = json.loads(zlib.decompress(base64.b64decode(kept)))
        if said["form"] != _FORM:
            return None
        files = list(map(with_variables_revealed, said["files"]))
        sets = [frozenset(files[number] for number in value) for value in said["sets"]]
        return TableHistory(
            with_variables_revealed(said["uid"]),
            said["snapshot"],
            {rule: _known(one, sets) for rule, one in said["rules"].items()},
        )
    except (zlib.error, ValueError, KeyError, IndexError, TypeError):
        return None


def _known(said: Any, sets: Sequence[Files]) -> RuleHistory:
    clean, parts, others = said
    found = tuple(FileSetResult(sets[number], figure, tuple(samples)) for number, figure, samples in parts)
    return RuleHistory(sets[clean], found, None if others is None else sets[others])
