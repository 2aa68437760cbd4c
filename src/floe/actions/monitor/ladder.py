"""The severity ladder of service levels."""

from floe.model import Severity

REPEATED = 3  # breaches within a day, this one among them
_RUNGS = ((0.9, Severity.WARNING), (0.8, Severity.INFO))


def broken_level(before: int, declared: Severity | None = None) -> Severity:
    """How bad a breach is that was found so often within the last day before; what the contract declares wins.

    >>> [str(broken_level(times)) for times in range(4)]
    ['error', 'error', 'critical', 'critical']
    >>> str(broken_level(7, Severity.WARNING))
    'warning'
    """
    if declared:
        return declared
    return Severity.CRITICAL if before + 1 >= REPEATED else Severity.ERROR


def near_level(used: float | None) -> Severity | None:
    """The severity of a service level that is met: info from 80 % used, warning from 90 %.

    >>> [str(near_level(used)) for used in (0.79, 0.8, 0.9, 1.0)]
    ['None', 'info', 'warning', 'warning']
    """
    if used is None:
        return None
    return next((level for rung, level in _RUNGS if used >= rung), None)
