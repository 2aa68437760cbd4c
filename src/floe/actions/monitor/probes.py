"""How fast probes answered: their durations, kept to three digits so that a month of them stays small."""

import math
from collections.abc import Mapping

FEWEST = 100
Took = Mapping[str, int]  # milliseconds, as text, and how many probes took them


def rounded(seconds: float) -> str:
    """A duration in milliseconds, rounded up to three digits.

    >>> rounded(0.01234), rounded(1.2341), rounded(0.0000001)
    ('12.4', '1240', '0.001')
    """
    milliseconds = max(seconds * 1000, 0.001)
    digits = 2 - math.floor(math.log10(milliseconds))
    return f"{math.ceil(round(milliseconds * 10**digits, 6)) / 10**digits:.{max(0, min(3, digits))}f}"


def p99(took: Took) -> float | None:
    """The duration within which 99 % of probes succeeded, in seconds; None if there are too few.

    >>> p99({"10": 98, "500": 1, "900": 1}), p99({"10": 99}), p99({"10": 99, "900": 1})
    (0.5, None, 0.01)
    """
    count = sum(took.values())
    if count < FEWEST:
        return None
    seen = 0
    for milliseconds in sorted(took, key=float):
        seen += took[milliseconds]
        if seen * 100 >= count * 99:
            return float(milliseconds) / 1000
    return None
