"""Results of earlier compile runs on disk, used if nothing that affects them has changed.

Idea: each compiled contract is stored with the hash of every file that affects it, also of files that were searched and
did not exist. If all of these hashes are unchanged, the result is unchanged.

Why it is right: everything else that affects the result is in the key of the whole cache: settings and where they came from, floe's own
files, folders, the revision compared with. A file counts as unchanged without being read only if its times, size and inode are
those of when it was hashed, and it was not written within two seconds before that run; else it is hashed again. A parent may
also appear in a file that had nothing to do with the contract before: such names are searched for in all changed files. What
is no file is not cached: tables, waivers and dates are checked every time.

Memory: lines of contracts stay on disk, so memory does not grow with their size; the index is rewritten when half of it is
old, the lines when more than 16 MB of them are.

Failure: an index that cannot be read, or the line of a contract whose checksum is wrong, makes the cache forget everything and
compile again; a cache that another run holds, or that cannot be written, is not used.

Gain, in seconds of CPU for the whole command on 200 and on 2,000 contracts of 15 columns: 0.8 and 4.9 without it, 0.9 and 5.0
while it is filled, 0.3 and 0.4 where nothing or one contract changed.
"""

import fcntl
import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from sys import intern
from typing import Any, BinaryIO

from floe.actions.compile.contract import CompiledContract, CompiledProduct
from floe.contract.sources.files import hash_now
from floe.model import Finding, Place, Severity
from floe.settings import Settings
from floe.system.private_files import open_private, private_folder, write_private

# a file written so shortly before a run may be written again without looking any different
_SETTLED = 2_000_000_000
_CONTRACT = tuple(field.name for field in fields(CompiledContract) if field.name not in ("findings", "place", "line"))
_PRODUCT = tuple(field.name for field in fields(CompiledProduct) if field.name != "findings")
# the lines of contracts that are no longer there may take so much
_WASTE = 16 * 1024 * 1024
# the index may have this many more lines than needed
_SPARE = 1000
_GONE = "gone"
_BROKEN = (OSError, ValueError, TypeError, KeyError, IndexError, AttributeError)


class DamagedError(Exception):
    """A kept line is not what was kept."""


class BlobFile:
    """The lines of contracts in a file, so that memory does not grow with their number."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.end = file.seek(0, os.SEEK_END)

    def add(self, line: bytes) -> list[int]:
        """The place of a line: its offset, length and checksum."""
        at = [self.end, len(line), zlib.crc32(line)]
        self.file.write(line)
        self.end += len(line)
        return at

    def read(self, places: Iterable[list[int]]) -> Iterable[bytes]:
        """The lines at places; DamagedError where one is not what was kept."""
        self.file.flush()
        for offset, length, checksum in places:
            line = os.pread(self.file.fileno(), length, offset)
            if zlib.crc32(line) != checksum:
                raise DamagedError
            yield line


class FileFingerprints:
    """The hashes of files, computed again only if a file differs from the time of its hash."""

    def __init__(self, known: dict[str, list[Any]], started: int) -> None:
        self.known, self.started = known, started
        self._now: dict[str, str | None] = {}
        self._same: set[str] = set()

    def now(self, path: str) -> str | None:
        """A file's hash; None where there is none."""
        if path not in self._now:
            known = self.known.get(path)
            if known and known[:-1] == _stat(path):
                self._same.add(path)
                self._now[path] = known[-1]
            else:
                self._now[path] = hash_now(path)
        return self._now[path]

    def signed(self, path: str, hashed: str | None) -> list[Any] | None:
        """What to remember of a file that was read in this run, unless it may be written again unseen."""
        if path in self._same:
            return self.known[path]
        stat = _stat(path)
        return [*stat, hashed] if stat and hashed and max(stat[:2]) < self.started - _SETTLED else None


def _stat(path: str) -> list[int] | None:
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return [stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino]


class Cache:
    """The results of earlier runs over a folder; empty if they are unknown, damaged, or of other settings."""

    def __init__(self, settings: Settings, folder: Path, since: str | None, started: int, wanted: bool) -> None:
        self.key = _key(settings, folder, since)
        name = hashlib.sha256(f"{folder}\0{os.getcwd()}".encode("utf-8", "surrogateescape")).hexdigest()[:16]
        self.base = settings.root / ".floe" / "cache" / f"compile-{name}"
        self.contracts: dict[tuple[str, str], CompiledContract] = {}
        self.products: dict[str, CompiledProduct] = {}
        self.below: dict[str, str | None] = {}
        self._written = 0
        self._lock = self._locked() if wanted else None
        known = self._loaded() if self._lock else {}
        self.signs = FileFingerprints(known, started)
        self.lines = BlobFile(self._file())

    def _locked(self) -> BinaryIO | None:
        """The lock of the files; None where another run has it, or nothing can be written."""
        try:
            private_folder(self.base.parent)
            ignore = self.base.parent / ".gitignore"
            if not ignore.is_file():
                write_private(ignore, "*\n")
            file: BinaryIO = open_private(self._path("lock"), "wb")
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return None
        return file

    def _path(self, suffix: str) -> Path:
        return self.base.with_name(f"{self.base.name}.{suffix}")

    def _file(self) -> BinaryIO:
        try:
            return open_private(self._path("lines"), "a+b") if self._lock else tempfile.TemporaryFile()
        except OSError:
            self._lock = None
            return tempfile.TemporaryFile()

    def _loaded(self) -> dict[str, list[Any]]:
        known: dict[str, list[Any]] = {}
        try:
            with self._path("index").open(encoding="utf-8", errors="surrogatepass") as file:
                if json.loads(next(file)) != self.key:
                    raise ValueError
                for text in file:
                    self._take(text, known)
                    self._written += 1
        except (*_BROKEN, StopIteration):
            self.forget()
            return {}
        return known

    def _take(self, text: str, known: dict[str, list[Any]]) -> None:
        """Take in one line of the index; a later one is the later word."""
        kind, values, found, place = json.loads(text)
        if kind == "contract":
            findings, at = [_finding(value) for value in found], Place(*place) if place else None
            compiled = CompiledContract(findings=findings, place=at, **dict(zip(_CONTRACT, values, strict=True)))
            compiled.files = {intern(name): hashed and intern(hashed) for name, hashed in compiled.files.items()}
            self.contracts[compiled.key] = compiled
        elif kind == "product":
            findings = [_finding(value) for value in found]
            product = CompiledProduct(findings=findings, **dict(zip(_PRODUCT, values, strict=True)))
            self.products[product.folder] = product
        elif kind == "files":
            _update(known, values)
            _update(self.below, found)
        else:
            for document, port in values:
                del self.contracts[document, port]
            for folder in found:
                del self.products[folder]

    def forget(self) -> None:
        """Forget all, so that everything is compiled again."""
        self.contracts, self.products, self.below, self._written = {}, {}, {}, 0
        if self._lock:
            for suffix in ("index", "lines"):
                self._path(suffix).unlink(missing_ok=True)

    def close(self) -> None:
        """Let other runs have the files."""
        if self._lock:
            self._lock.close()
            self._lock = None

    def save(
        self, products: Iterable[CompiledProduct], contracts: Iterable[CompiledContract], below: dict[str, str | None]
    ) -> None:
        """Store the results of this run; contracts whose tables were compared are compiled again every time."""
        if not self._lock:
            return
        contracts = list(contracts)
        kept = {compiled.key: compiled for compiled in contracts if not compiled.compared}
        made = {product.folder: product for product in products}
        signs = self._signs([*made.values(), *kept.values()], below)
        try:
            if self.lines.end > 2 * sum(compiled.at[1] for compiled in contracts if compiled.at) + _WASTE:
                self._pack([compiled for compiled in contracts if compiled.at])
            self.lines.file.flush()
            news = list(self._news(kept, made, signs, below))
            if self._written + len(news) > 2 * (len(kept) + len(made)) + _SPARE:
                self._restart()
                news = list(self._news(kept, made, signs, below))
            self._put(news)
        except OSError:
            self._path("index").unlink(missing_ok=True)

    def _signs(
        self, made: Iterable[CompiledProduct | CompiledContract], below: dict[str, str | None]
    ) -> dict[str, list[Any]]:
        """The current hashes of files by name, without files that changed during the run."""
        files = dict(below)
        for part in made:
            files |= part.files
        signed = {name: self.signs.signed(name, hashed) for name, hashed in files.items()}
        return {name: sign for name, sign in signed.items() if sign}

    def _restart(self) -> None:
        """Start the index again, empty."""
        self._path("index").unlink(missing_ok=True)
        self.contracts, self.products, self.below, self.signs.known, self._written = {}, {}, {}, {}, 0

    def _pack(self, contracts: Sequence[CompiledContract]) -> None:
        """Write the lines of contracts that still exist into a new file."""
        self._restart()
        fresh = BlobFile(open_private(self._path("lines.new"), "w+b"))
        for compiled, line in zip(contracts, self.lines.read(contract.at for contract in contracts), strict=True):
            compiled.at = fresh.add(line)
        self.lines.file.close()
        self._path("lines.new").replace(self._path("lines"))
        self.lines = fresh

    def _news(
        self,
        kept: dict[tuple[str, str], CompiledContract],
        made: dict[str, CompiledProduct],
        signs: dict[str, list[Any]],
        below: dict[str, str | None],
    ) -> Iterator[list[Any]]:
        """What differs from what is kept, as lines of the index."""
        files, others = _changes(self.signs.known, signs), _changes(self.below, below)
        if files or others:
            yield ["files", files, others, None]
        for compiled in kept.values():
            if self.contracts.get(compiled.key) is not compiled:
                yield [
                    "contract",
                    [getattr(compiled, name) for name in _CONTRACT],
                    [_shape(finding) for finding in compiled.findings],
                    compiled.place,
                ]
        for product in made.values():
            if self.products.get(product.folder) is not product:
                shapes = [_shape(finding) for finding in product.findings]
                yield ["product", [getattr(product, name) for name in _PRODUCT], shapes, None]
        gone, closed = self.contracts.keys() - kept.keys(), self.products.keys() - made.keys()
        if gone or closed:
            yield ["gone", sorted(gone), sorted(closed), None]

    def _put(self, news: Sequence[list[Any]]) -> None:
        """Add lines to the index."""
        if news:
            with open_private(self._path("index"), "a", encoding="utf-8", errors="surrogatepass") as file:
                if not self._written:
                    file.write(json.dumps(self.key) + "\n")
                file.writelines(json.dumps(line) + "\n" for line in news)


def _update(known: dict[str, Any], changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if value == _GONE:
            known.pop(name, None)
        else:
            known[name] = value


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """The new and changed entries, and marks for removed ones."""
    changed = {name: value for name, value in now.items() if name not in before or before[name] != value}
    return {**changed, **dict.fromkeys(before.keys() - now.keys(), _GONE)}


def _key(settings: Settings, folder: Path, since: str | None) -> str:
    """All that decides about every contract and is no file: settings, code, place. Waivers are applied afterwards."""
    values = {name: value for name, value in settings.values().items() if name != "waivers"}
    where = [str(settings.root), str(folder), os.getcwd(), since]
    parts = [where, values, dict(settings.origins), _code()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def _code() -> list[Any]:
    """Floe's own files: what another floe found is not what this one finds."""
    found = []
    for here, _, names in os.walk(Path(__file__).parents[2]):
        for name in names:
            if name.endswith((".py", ".json")):
                stat = os.stat(os.path.join(here, name))
                found.append((here, name, stat.st_mtime_ns, stat.st_size))
    return sorted(found)


def _shape(finding: Finding) -> list[Any]:
    words = [finding.code, finding.name, int(finding.severity), finding.message, finding.detail, finding.suggestion]
    return [*words, finding.place, finding.path, finding.ignored, finding.known, finding.alike, finding.target]


def _finding(shape: list[Any]) -> Finding:
    code, name, severity, message, detail, suggestion, place, path, *rest = shape
    at = Place(*place) if place else None
    return Finding(code, name, Severity(severity), message, detail, suggestion, at, tuple(path), *rest)
