"""E526 deprecation-too-short."""

from collections.abc import Iterator

from floe.contract.lint.dates import deprecation
from floe.contract.lint.rule import rule
from floe.model import Contract, Message, Severity
from floe.model.lifecycle import NOTICE_DAYS


@rule("E526", "deprecation-too-short", Severity.WARNING, value=Contract)
def deprecation_too_short(contract: Contract) -> Iterator[Message]:
    """The sunset date is less than 30 days after the announcement.

    Why: 30 days is the minimum notice period, and publishing requires it.

    Fix: set sunsetDate at least 30 days after announced.
    """
    announced, sunset, at = deprecation(contract)
    if announced and sunset and 0 <= (sunset - announced).days < NOTICE_DAYS:
        yield Message(
            f"Consumers have {(sunset - announced).days} days to migrate, fewer than {NOTICE_DAYS}",
            f"announced {announced}, sunset {sunset}",
            f"Set sunsetDate at least {NOTICE_DAYS} days after announced",
            at=at,
        )
