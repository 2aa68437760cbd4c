"""E508 rule-unknown-column."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf
from floe.model import Message, Severity


@rule("E508", "rule-unknown-column", Severity.ERROR, value=RuleOf)
def rule_unknown_column(part: RuleOf) -> Iterator[Message]:
    """A rule names a column that its dataset does not have.

    Why: the rule cannot be evaluated, so no run passes.

    Fix: correct the name, or add the column.
    """
    listed = part.noun.arguments.get("properties") if part.noun.metric == "duplicateValues" else None
    for i, column in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(column, str) and not part.names.has(part.dataset, column.removeprefix(f"{part.dataset.name}.")):
            yield Message(
                f"Rule of '{part.subject}' names '{column}', which '{part.dataset.name}' does not have",
                f"properties is {', '.join(map(str, listed or ()))}",
                f"{part.names.near(part.dataset, column)}Correct the name, or add the column",
                at=("arguments", "properties", i),
            )
