"""What compiling came to earlier, kept on disk; used where nothing that decided about it has changed."""

import fcntl
import hashlib
import json
import mmap
import os
import tempfile
import zlib
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from sys import intern
from typing import Any, BinaryIO

import floe
from floe.actions.compile_one import One, Product
from floe.contract.sources.disk import hash_now
from floe.model import Finding, Place, Severity
from floe.model.settings import Settings

# a file written so shortly before a run may be written again without looking any different
_SETTLED = 2_000_000_000
_ONE = tuple(one.name for one in fields(One) if one.name not in ("findings", "place", "line"))
_PRODUCT = tuple(one.name for one in fields(Product) if one.name != "findings")
# the lines of contracts that are no longer there may take so much
_WASTE = 16 * 1024 * 1024
_BROKEN = (OSError, ValueError, TypeError, KeyError, IndexError, AttributeError)


class DamagedError(Exception):
    """A kept line is not what was kept."""


class Lines:
    """The lines of contracts in a file, so that memory does not grow with their number."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.end = file.seek(0, os.SEEK_END)

    def add(self, line: bytes) -> list[int]:
        """Where a line now stands: its offset, length and checksum."""
        at = [self.end, len(line), zlib.crc32(line)]
        self.file.write(line)
        self.end += len(line)
        return at

    def read(self, places: Iterable[list[int]]) -> Iterable[bytes]:
        """The lines at places; DamagedError where one is not what was kept."""
        self.file.flush()
        wanted = list(places)
        if not wanted:
            return
        if self.end == 0:
            raise DamagedError
        with mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
            for offset, length, checksum in wanted:
                line = whole[offset : offset + length]
                if zlib.crc32(line) != checksum:
                    raise DamagedError
                yield line


class Signs:
    """The hashes of files, taken again only where a file looks different from when it was hashed."""

    def __init__(self, known: dict[str, list[Any]], started: int) -> None:
        self.known, self.started = known, started
        self._now: dict[str, str | None] = {}
        self._same: set[str] = set()

    def now(self, path: str) -> str | None:
        """A file's hash; None where there is none."""
        if path not in self._now:
            known = self.known.get(path)
            if known and known[:-1] == _look(path):
                self._same.add(path)
                self._now[path] = known[-1]
            else:
                self._now[path] = hash_now(path)
        return self._now[path]

    def signed(self, path: str, hashed: str | None) -> list[Any] | None:
        """What to remember of a file that was read in this run, unless it may be written again unseen."""
        if path in self._same:
            return self.known[path]
        look = _look(path)
        return [*look, hashed] if look and hashed and max(look[:2]) < self.started - _SETTLED else None


def _look(path: str) -> list[int] | None:
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return [stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino]


class Cache:
    """What earlier runs over a folder came to; empty where they are unknown, damaged, or of other settings."""

    def __init__(self, settings: Settings, folder: Path, since: str | None, started: int, wanted: bool) -> None:
        self.key = _key(settings, folder, since)
        name = hashlib.sha256(f"{folder}\0{os.getcwd()}".encode("utf-8", "surrogateescape")).hexdigest()[:16]
        self.base = settings.root / ".floe" / "cache" / f"compile-{name}"
        self.ones: dict[tuple[str, str], One] = {}
        self.products: dict[str, Product] = {}
        self.below: dict[str, str | None] = {}
        self._head = ""
        self._lock = self._locked() if wanted else None
        known = self._loaded() if self._lock else {}
        self.signs = Signs(known, started)
        self.lines = Lines(self._file())

    def _locked(self) -> BinaryIO | None:
        """The lock of the files; None where another run has it, or nothing can be written."""
        try:
            self.base.parent.mkdir(parents=True, exist_ok=True)
            ignore = self.base.parent / ".gitignore"
            if not ignore.is_file():
                ignore.write_text("*\n")
            file = self._path("lock").open("wb")
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return None
        return file

    def _path(self, suffix: str) -> Path:
        return self.base.with_name(f"{self.base.name}.{suffix}")

    def _file(self) -> BinaryIO:
        try:
            return self._path("lines").open("a+b") if self._lock else tempfile.TemporaryFile()
        except OSError:
            self._lock = None
            return tempfile.TemporaryFile()

    def _loaded(self) -> dict[str, list[Any]]:
        try:
            with self._path("index").open(encoding="utf-8", errors="surrogatepass") as file:
                self._head = next(file)
                head = json.loads(self._head)
                if head["key"] != self.key:
                    raise ValueError
                for text in file:
                    self._take(text)
                known: dict[str, list[Any]] = head["files"]
                self.below = head["below"]
                return known
        except (*_BROKEN, StopIteration):
            self.forget()
            return {}

    def _take(self, text: str) -> None:
        kind, values, found, place = json.loads(text)
        findings = [_finding(one) for one in found]
        if kind == "product":
            product = Product(findings=findings, **dict(zip(_PRODUCT, values, strict=True)))
            self.products[product.folder] = product
        else:
            one = One(findings=findings, place=Place(*place) if place else None, **dict(zip(_ONE, values, strict=True)))
            self.ones[one.key] = one
            one.files = {intern(name): hashed and intern(hashed) for name, hashed in one.files.items()}

    def forget(self) -> None:
        """Forget all, so that everything is compiled again."""
        self.ones, self.products, self.below, self._head = {}, {}, {}, ""
        if self._lock:
            for suffix in ("index", "lines"):
                self._path(suffix).unlink(missing_ok=True)

    def close(self) -> None:
        """Let other runs have the files."""
        if self._lock:
            self._lock.close()
            self._lock = None

    def save(self, products: Iterable[Product], ones: Iterable[One], below: dict[str, str | None]) -> None:
        """Keep what this run came to; contracts whose tables were compared are asked again every time."""
        if not self._lock:
            return
        kept = [one for one in ones if not one.compared]
        products = list(products)
        parts = [*(one.files for one in products), *(one.files for one in kept)]
        held = {name: hashed for files in parts for name, hashed in files.items()}
        signed = {name: self.signs.signed(name, hashed) for name, hashed in {**below, **held}.items()}
        shape = {"key": self.key, "files": {name: sign for name, sign in signed.items() if sign}, "below": below}
        head = json.dumps(shape) + "\n"
        same = all(self.ones.get(one.key) is one for one in kept) and len(kept) == len(self.ones)
        if head == self._head and same and all(self.products.get(one.folder) is one for one in products):
            return
        beside = self._path(f"index.{os.getpid()}")
        try:
            self.lines.file.flush()
            with beside.open("w", encoding="utf-8", errors="surrogatepass") as file:
                file.write(head)
                file.writelines(_product_text(one) for one in products)
                file.writelines(_one_text(one) for one in kept)
            beside.replace(self._path("index"))
            if self.lines.end > 2 * sum(one.at[1] for one in kept if one.at) + _WASTE:
                self._path("index").unlink(missing_ok=True)  # begun anew by the next run
        except OSError:
            beside.unlink(missing_ok=True)


def _key(settings: Settings, folder: Path, since: str | None) -> str:
    """All that decides about every contract and is no file: settings, code, place. Waivers are heard afterwards."""
    values = {name: value for name, value in settings.values.items() if name != "waivers"}
    where = [str(settings.root), str(folder), os.getcwd(), since]
    parts = [where, values, dict(settings.origins), _code()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def _code() -> list[Any]:
    """Floe's own files: what another floe found is not what this one finds."""
    found = []
    for here, _, names in os.walk(Path(floe.__file__).parent):
        for name in names:
            if name.endswith((".py", ".json")):
                stat = os.stat(os.path.join(here, name))
                found.append((here, name, stat.st_mtime_ns, stat.st_size))
    return sorted(found)


def _one_text(one: One) -> str:
    values = [getattr(one, name) for name in _ONE]
    return json.dumps(["one", values, [_shape(each) for each in one.findings], one.place]) + "\n"


def _product_text(one: Product) -> str:
    values = [getattr(one, name) for name in _PRODUCT]
    return json.dumps(["product", values, [_shape(each) for each in one.findings], None]) + "\n"


def _shape(one: Finding) -> list[Any]:
    words = [one.code, one.name, int(one.severity), one.message, one.detail, one.suggestion]
    return [*words, one.place, one.path, one.ignored, one.known, one.alike]


def _finding(shape: list[Any]) -> Finding:
    code, name, severity, message, detail, suggestion, place, path, *rest = shape
    at = Place(*place) if place else None
    return Finding(code, name, Severity(severity), message, detail, suggestion, at, tuple(path), *rest)
