"""Availability as an objective: probes of rolling 30 days against an error budget; gaps are unknown, not down."""

from dataclasses import dataclass

WINDOW_DAYS = 30


@dataclass(frozen=True, slots=True)
class ErrorBudget:
    """The share of probes that found the table, in percent, and how much of the allowed downtime is used."""

    share: float
    used: float


def error_budget(up: int, down: int, promised: float) -> ErrorBudget | None:
    """The availability that probes show, in percent; None if one failed probe alone would use the budget.

    >>> error_budget(990, 10, 98.0)
    ErrorBudget(share=99.0, used=0.5)
    >>> error_budget(10, 1, 99.0) is None
    True
    """
    total, allowed = up + down, (100 - promised) / 100
    if not total or (allowed > 0 and total * allowed < 1):
        return None
    used = down / (total * allowed) if allowed > 0 else float(down > 0) * 2
    return ErrorBudget(round(100 * up / total, 4), round(used, 4))
