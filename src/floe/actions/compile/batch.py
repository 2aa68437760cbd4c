"""Carry out a compile run: what is kept is taken, the rest is compiled, in several processes where there is much."""

import gc
import multiprocessing
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from sys import intern

from floe.actions.compile.cache import Cache
from floe.actions.compile.contract import CompiledContract, CompiledProduct, CompileWorker, Task
from floe.actions.compile.judge import reachable
from floe.actions.diff.previous import History
from floe.actions.load.product import may_name
from floe.contract.sources.files import Folders, read_bytes
from floe.model import ContractError
from floe.settings import Settings

# so many contracts are worth several processes, so many go to one at a time
_MANY = 50
_CHUNK = 25
_AHEAD = 4


@dataclass(slots=True)
class Run:
    """What a run works with, and what it gathers."""

    settings: Settings
    folders: Folders
    worker: CompileWorker
    cache: Cache
    history: History
    processes: int | None = None
    products: list[CompiledProduct] = field(default_factory=list)
    contracts: list[CompiledContract] = field(default_factory=list)
    taken: int = 0  # how many were not compiled again


def carry_out(run: Run) -> None:
    """Every product and contract below the folder, as kept or compiled now."""
    documents = {folder: run.folders.documents(folder) for folder in run.folders.products()}
    kept, below = _Kept(run), {}
    products, contracts, tasks = _split(documents, kept)
    run.taken = len(contracts)
    run.worker.resolver.parents.seed({name: paths for compiled in contracts for name, paths in compiled.names.items()})
    with _workers(run.worker, tasks, run.processes) as done:
        for product, more in done:
            products[product.folder] = product
            contracts += [_stored(compiled, run.cache) for compiled in more]
    contracts += _ports(run, products, contracts, documents, kept)
    run.products = [products[folder] for folder in documents]
    order = {path: i for i, path in enumerate(path for paths in documents.values() for path in paths)}
    run.contracts = sorted(
        contracts, key=lambda value: (order.get(value.document, len(order)), value.folder, value.ports)
    )
    if any(compiled.names for compiled in run.contracts):
        below = {path: run.cache.signs.now(path) for path in kept.files()}
    run.cache.save(run.products, run.contracts, below)


def _split(
    documents: dict[str, list[str]], kept: "_Kept"
) -> tuple[dict[str, CompiledProduct], list[CompiledContract], list[Task]]:
    """What is kept, and the tasks that are left."""
    products: dict[str, CompiledProduct] = {}
    contracts: list[CompiledContract] = []
    tasks: list[Task] = []
    for folder, paths in documents.items():
        product = kept.product(folder, paths)
        found = {path: kept.contract((path, "")) for path in paths}
        left = [path for path, compiled in found.items() if compiled is None]
        contracts += [compiled for compiled in found.values() if compiled]
        if product:
            products[folder] = product
        if left or not product:
            tasks += _tasks(folder, paths, left)
    return products, contracts, tasks


def _tasks(folder: str, every: Sequence[str], left: Sequence[str]) -> Iterator[Task]:
    """A product at once where it is new and small, else piece by piece; its ports come last then."""
    if len(left) == len(every) <= _CHUNK:
        yield Task(folder, tuple(every), tuple(left), rest=True)
        return
    for i in range(0, max(len(left), 1), _CHUNK):
        yield Task(folder, tuple(every), tuple(left[i : i + _CHUNK]))


def _ports(
    run: Run,
    products: dict[str, CompiledProduct],
    contracts: Sequence[CompiledContract],
    documents: dict[str, list[str]],
    kept: "_Kept",
) -> list[CompiledContract]:
    """The contracts of ports that no document describes and no task has made yet."""
    claimed = {(compiled.folder, port) for compiled in contracts for port in compiled.ports}
    out, tasks = [], []
    for folder, product in products.items():
        free = [name for name in product.outputs if (folder, name) not in claimed]
        found = {name: kept.contract((folder, name)) for name in free}
        out += [compiled for compiled in found.values() if compiled]
        if left := tuple(name for name, compiled in found.items() if compiled is None):
            tasks.append(Task(folder, tuple(documents[folder]), (), left))
    run.taken += len(out)
    with _workers(run.worker, tasks, run.processes) as done:
        out += [_stored(compiled, run.cache) for _, more in done for compiled in more]
    return out


def _stored(compiled: CompiledContract, cache: Cache) -> CompiledContract:
    compiled.files = {intern(name): hashed and intern(hashed) for name, hashed in compiled.files.items()}
    if compiled.line is not None:
        compiled.at, compiled.line = cache.lines.add(compiled.line), None
    return compiled


class _Kept:
    """What the cache holds and may be believed."""

    def __init__(self, run: Run) -> None:
        self.run, self.cache = run, run.cache
        self._files: list[str] | None = None
        self._clouded = self._names() if any(compiled.names for compiled in self.cache.contracts.values()) else set()
        self._reachable: dict[tuple[str | None, str | None], bool] = {}

    def files(self) -> list[str]:
        """The files that parents may be found in by their names."""
        if self._files is None:
            root, folders = str(self.run.settings.root), self.run.folders
            walked = folders if folders.start == root else Folders(Path(root))
            self._files = list(walked.below(root))
        return self._files

    def _names(self) -> set[str]:
        """The names of parents that a file may have since, which it did not have before."""
        signs, before = self.cache.signs, self.cache.below
        changed = [path for path in self.files() if path not in before or before[path] != signs.now(path)]
        texts = [text for path in changed if (text := _text(path))]
        names = {name for compiled in self.cache.contracts.values() for name in compiled.names} if texts else set()
        return {name for name in names if any(may_name(name).search(text) for text in texts)}

    def product(self, folder: str, documents: list[str]) -> CompiledProduct | None:
        """A product that nothing changed about."""
        product = self.cache.products.get(folder)
        return product if product and product.documents == documents and self._same(product.files) else None

    def contract(self, key: tuple[str, str]) -> CompiledContract | None:
        """An unchanged contract whose table is unreachable: tables are checked every time."""
        compiled = self.cache.contracts.get(key)
        if compiled is None or not self._same(compiled.files) or not self._clouded.isdisjoint(compiled.names):
            return None
        if compiled.before != self.run.history.key(compiled.files) or any(
            self._reached(*target) for target in compiled.targets
        ):
            return None
        return compiled

    def _same(self, files: dict[str, str | None]) -> bool:
        now = self.cache.signs.now
        return all(now(path) == hashed for path, hashed in files.items())

    def _reached(self, name: str | None, path: str | None) -> bool:
        where = (name and name.split(".")[0], path)
        if where not in self._reachable:
            self._reachable[where] = reachable(name, path, self.run.settings)
        return self._reachable[where]


def _text(path: str) -> bytes:
    try:
        return read_bytes(Path(path))
    except ContractError:
        return b""


_shared: CompileWorker | None = None


def _done(tasks: Sequence[Task]) -> list[tuple[CompiledProduct, list[CompiledContract]]]:
    assert _shared is not None
    return [_shared.done(task) for task in tasks]


@contextmanager
def _workers(
    worker: CompileWorker, tasks: Sequence[Task], processes: int | None
) -> Iterator[Iterable[tuple[CompiledProduct, list[CompiledContract]]]]:
    """The results of tasks as they come, from this process or several."""
    size = sum(max(len(task.documents), len(task.ports), 1) for task in tasks)
    number = processes or (min(os.cpu_count() or 1, 8) if size >= _MANY else 1)
    if number == 1:
        yield map(worker.done, tasks)
        return
    global _shared  # noqa: PLW0603  (handed down to forked processes without being copied)
    _shared = worker
    gc.freeze()  # what is there already is not traced again by each process
    try:
        with ProcessPoolExecutor(number, multiprocessing.get_context("fork")) as pool:
            yield _in_turn(pool, _chunks(tasks), _AHEAD * number)
    finally:
        gc.unfreeze()


def _in_turn(
    pool: ProcessPoolExecutor, chunks: Iterator[list[Task]], most: int
) -> Iterator[tuple[CompiledProduct, list[CompiledContract]]]:
    """The results of chunks in their order; only some are under way at a time, so that few wait in memory."""
    waiting = deque(pool.submit(_done, chunk) for chunk in islice(chunks, most))
    while waiting:
        yield from waiting.popleft().result()
        waiting += (pool.submit(_done, chunk) for chunk in islice(chunks, 1))


def _chunks(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    """Tasks in groups of some contracts each."""
    group: list[Task] = []
    size = 0
    for task in tasks:
        group.append(task)
        size += max(len(task.documents), 1)
        if size >= _CHUNK:
            yield group
            group, size = [], 0
    if group:
        yield group
