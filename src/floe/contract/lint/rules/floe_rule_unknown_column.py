"""E508 floe-rule-unknown-column."""

from collections.abc import Iterator, Mapping
from typing import Any

from floe.contract.lint.floe_rules import POINT_IN_TIME, parts
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf
from floe.model import Message, Severity


@rule("E508", "floe-rule-unknown-column", Severity.ERROR, value=RuleOf)
def floe_rule_unknown_column(part: RuleOf) -> Iterator[Message]:
    """A freshness, volume or point-in-time rule names a column that its dataset does not have.

    Why: the rule cannot be evaluated, so no run passes.

    Fix: correct the name, or add the column.
    """
    for kind, arguments in parts(part):
        for argument, column in _columns(kind, arguments):
            if not part.names.has(part.dataset, column.removeprefix(f"{part.dataset.name}.")):
                yield Message(
                    f"Rule '{kind}' names '{column}', which '{part.dataset.name}' does not have",
                    f"{argument} is {arguments[argument]}",
                    f"{part.names.near(part.dataset, column)}Correct the name, or add the column",
                    at=("implementation", kind, argument),
                )


def _columns(kind: str, arguments: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(arguments, Mapping):
        return
    if kind == "pointInTime":
        compared = POINT_IN_TIME.fullmatch(str(arguments.get("rule")))
        yield from (("rule", word) for word in ((compared[1], compared[3]) if compared else ()))
    elif kind in ("freshness", "volume") and isinstance(column := arguments.get("column"), str):
        yield "column", column
