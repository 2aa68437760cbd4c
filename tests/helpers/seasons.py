"""Days of a table with a weekly pattern."""

import random


def season(chance: random.Random, number: int) -> float:
    """A business: busy on weekdays, growing slowly, up and down over months, with 6 % of noise."""
    level = (1.0, 1.1, 1.1, 1.05, 1.2, 0.45, 0.3)[number % 7] * (1 + 0.001 * number)
    return 10_000 * level * chance.gauss(1, 0.06)
