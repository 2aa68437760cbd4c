"""Many processes that publish at once: each runs the library's own verb, what it was told is kept as lines."""

import json
import multiprocessing
import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.helpers.repositories import contract

FORK = multiprocessing.get_context("fork")


def publish_said(path: Path, dry_run: bool = False) -> dict[str, Any]:
    """What publishing a file came to."""
    from floe.actions.load.settings import load_settings
    from floe.actions.publish import PublishOptions, publish_all

    (one,) = publish_all([path], PublishOptions(dry_run=dry_run), load_settings(start=path.parent)).results
    return {"contract": one.contract, "version": one.version, "outcome": one.outcome, **_told(one)}


def _told(one: Any) -> dict[str, Any]:
    codes = [finding.code for finding in one.findings]
    texts = " ".join(f"{finding.message} {finding.detail}" for finding in one.findings)
    return {"hash": one.document_hash, "at": one.published_at, "codes": codes, "said": texts}


def race(number: int, rounds: int, work: Callable[[int, int], dict[str, Any]], log: Path) -> list[dict[str, Any]]:
    """Let processes do `work(process, round)` at the same moment, round after round; what each was told."""
    warm_up(log.parent / "warm")
    barrier = FORK.Barrier(number)
    log.mkdir(parents=True, exist_ok=True)
    started = [FORK.Process(target=_run, args=(barrier, one, rounds, work, log)) for one in range(number)]
    for process in started:
        process.start()
    for process in started:
        process.join(timeout=1800)
    assert [process.exitcode for process in started] == [0] * number
    return [json.loads(line) for file in sorted(log.iterdir()) for line in file.read_text().splitlines()]


def warm_up(folder: Path) -> None:
    """Load what publishing needs, once for all processes that are forked from this one."""
    folder.mkdir(exist_ok=True)
    (folder / "manifest.yaml").write_text("registry: {url: 'sqlite:///nowhere.db'}\n")
    (folder / "c.yaml").write_text(contract())
    with environment(FLOE_REGISTRY_URL="sqlite:///nowhere.db"):
        publish_said(folder / "c.yaml", dry_run=True)


def _run(barrier: Any, one: int, rounds: int, work: Callable[[int, int], dict[str, Any]], log: Path) -> None:
    with (log / f"{one:03}.jsonl").open("w") as file:
        for number in range(rounds):
            barrier.wait(timeout=300)
            try:
                said = work(one, number)
            except BaseException:  # noqa: BLE001  (what went wrong belongs to the history)
                said = {"outcome": "raised", "said": traceback.format_exc()}
            file.write(json.dumps({"process": one, "round": number, **said}) + "\n")
            file.flush()


def killed_at(place: str, work: Callable[[], Any]) -> int:
    """The signal that ended a process that was to die at a failpoint; 0 where it did not come by."""
    process = FORK.Process(target=_armed, args=(place, work))
    process.start()
    process.join(timeout=120)
    return -(process.exitcode or 0)


def _armed(place: str, work: Callable[[], Any]) -> None:
    os.environ["FLOE_FAILPOINT"] = place
    work()


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """Variables that processes started inside inherit."""
    before = {key: os.environ.get(key) for key in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value
