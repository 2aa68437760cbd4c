"""A turn of the monitor at a contract: which of its slots have come, and what shows that they are its own."""

from collections.abc import Iterable
from typing import NamedTuple


class Lease(NamedTuple):
    """The kinds of checks of a contract whose slots were taken; `token` refuses what comes after another took over."""

    name: str
    kinds: tuple[str, ...]
    token: int = 0
    at: float = 0.0  # when it was taken


def phases(names: Iterable[str]) -> dict[str, float]:
    """Which share of an interval each contract's slots lie ahead of the first one's, so that not all come at once.

    >>> phases(["b", "a", "c", "d"])
    {'a': 0.0, 'b': 0.25, 'c': 0.5, 'd': 0.75}
    """
    ordered = sorted(names)
    return {name: number / len(ordered) for number, name in enumerate(ordered)}


def next_slot(then: float, step: float, now: float) -> float:
    """The first slot of a grid that is still to come; those that were missed collapse.

    >>> next_slot(0.0, 900.0, 1200.0), next_slot(0.0, 900.0, 900.0)
    (1800.0, 1800.0)
    """
    return then + step * (int((now - then) // step) + 1)
