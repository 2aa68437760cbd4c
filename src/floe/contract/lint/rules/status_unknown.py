"""E501 status-unknown."""

import difflib
from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Contract, Message, Severity

_STATUS = (
    "draft",
    "proposed",
    "development",
    "in development",
    "pending",
    "active",
    "current",
    "production",
    "deprecated",
    "sunset",
    "retired",
)


@rule("E501", "status-unknown", Severity.WARNING, value=Contract)
def status_unknown(contract: Contract) -> Iterator[Message]:
    """The status is unknown to floe.

    Why: the status says whether consumers may use the contract; an unknown status counts as active.

    Fix: use draft, active, deprecated, sunset or retired.
    """
    status = contract.status
    if isinstance(status, str) and status.strip().lower() not in _STATUS and "${" not in status:
        near = difflib.get_close_matches(status.lower(), _STATUS, 1)
        yield Message(
            f"Status '{status}' is unknown",
            "floe treats it as active",
            f"Did you mean '{near[0]}'?" if near else "Use draft, active, deprecated, sunset or retired",
            at=("status",),
        )
