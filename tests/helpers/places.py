"""What a test does at a named place of the gate, as another writer or the machine would."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from floe.system.failpoint import hooks


@contextmanager
def at(place: str, action: Callable[[], object]) -> Iterator[None]:
    """Let something happen at a place, once."""
    hooks[place] = action
    try:
        yield
        assert place not in hooks, f"the gate never came to {place}"
    finally:
        hooks.clear()
