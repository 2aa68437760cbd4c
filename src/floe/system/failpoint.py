"""Named places where a test can kill the process, as a machine might, or let another writer come in between."""

import os
import signal
from collections.abc import Callable

# what a test does at a named place, once; empty everywhere else
hooks: dict[str, Callable[[], object]] = {}


def failpoint(name: str) -> None:
    """Die here, at once and without a word, where FLOE_FAILPOINT names this place."""
    if os.environ.get("FLOE_FAILPOINT") == name:  # noqa: TID251  (a switch for tests, never a setting)
        os.kill(os.getpid(), signal.SIGKILL)
    if hooks:
        hooks.pop(name, int)()
