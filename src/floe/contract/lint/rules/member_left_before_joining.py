"""E508 member-left-before-joining."""

from collections.abc import Iterator

from floe.contract.lint.dates import members
from floe.contract.lint.rule import rule
from floe.lang.dates import parse_day
from floe.model import Contract, Message, Severity


@rule("E508", "member-left-before-joining", Severity.WARNING, value=Contract)
def member_left_before_joining(contract: Contract) -> Iterator[Message]:
    """The dateOut of a team member is before the dateIn.

    Why: one of the two dates is wrong, so readers may contact the wrong person.

    Fix: correct dateIn or dateOut.
    """
    for at, member in members(contract):
        joined, left = parse_day(member.get("dateIn")), parse_day(member.get("dateOut"))
        if joined and left and left < joined:
            yield Message(
                f"Team member '{member.get('username', '')}' left before joining",
                f"dateIn is {joined}, dateOut is {left}",
                "Correct one of the two dates",
                at=(*at, "dateOut"),
            )
