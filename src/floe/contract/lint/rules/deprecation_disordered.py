"""E526 deprecation-disordered."""

from collections.abc import Iterator

from floe.contract.lint.dates import deprecation
from floe.contract.lint.rule import rule
from floe.model import Contract, Message, Severity
from floe.model.lifecycle import NOTICE_DAYS


@rule("E526", "deprecation-disordered", Severity.ERROR, value=Contract)
def deprecation_disordered(contract: Contract) -> Iterator[Message]:
    """The sunset date is before the announcement.

    Why: consumers need time between the two to migrate.

    Fix: set sunsetDate at least 30 days after announced.
    """
    announced, sunset, at = deprecation(contract)
    if announced and sunset and sunset < announced:
        yield Message(
            "The sunset date is before the announcement",
            f"announced {announced}, sunset {sunset}",
            f"Set sunsetDate at least {NOTICE_DAYS} days after announced",
            at=at,
        )
