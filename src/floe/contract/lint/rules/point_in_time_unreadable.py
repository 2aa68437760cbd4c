"""E506 point-in-time-unreadable."""

from collections.abc import Iterator, Mapping

from floe.contract.lint.floe_rules import POINT_IN_TIME, parts
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf
from floe.model import Message, Severity


@rule("E506", "point-in-time-unreadable", Severity.WARNING, value=RuleOf)
def point_in_time_unreadable(part: RuleOf) -> Iterator[Message]:
    """A point-in-time rule does not compare two columns.

    Why: floe evaluates `<column> <= <column>`; any other text is documentation only.

    Fix: write it as e.g. `last_event_ts <= as_of_ts`.
    """
    for kind, arguments in parts(part):
        text = arguments.get("rule") if isinstance(arguments, Mapping) else None
        if kind == "pointInTime" and not (isinstance(text, str) and POINT_IN_TIME.fullmatch(text)):
            yield Message(
                f"The point-in-time rule of '{part.subject}' does not compare two columns",
                f"rule is {text}",
                "Write it as '<column> <= <column>'",
                at=("implementation", kind, "rule"),
            )
