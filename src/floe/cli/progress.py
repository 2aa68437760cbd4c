"""A sign of life on long runs: one line on the error stream that is written over, where that is a terminal."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from floe.actions.verify.table import Progress
from floe.reports.style import clean

_FIRST, _EVERY, _WIDTH = 0.5, 0.25, 100
_SIGNS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


@contextmanager
def progress() -> Iterator[Progress]:
    """A function that takes the current phase, which is shown with the elapsed seconds."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    said, done, started = ["starting"], threading.Event(), time.monotonic()
    line = threading.Thread(target=_draw, args=(said, done, started), daemon=True)
    line.start()
    try:
        yield lambda phase: said.__setitem__(0, phase)
    finally:
        done.set()
        line.join()


def _draw(said: list[str], done: threading.Event, started: float) -> None:
    count = 0
    while not done.wait(_EVERY if count else _FIRST):
        text = f"{_SIGNS[count % len(_SIGNS)]} {clean(said[0])}, {time.monotonic() - started:.0f} s"
        sys.stderr.write(f"\r\x1b[2K{text[:_WIDTH]}")
        sys.stderr.flush()
        count += 1
    if count:
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()
