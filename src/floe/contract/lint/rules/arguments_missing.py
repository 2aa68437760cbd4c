"""E506 arguments-missing."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf
from floe.model import Message, Severity


@rule("E506", "arguments-missing", Severity.WARNING, value=RuleOf)
def arguments_missing(part: RuleOf) -> Iterator[Message]:
    """A metric has no `arguments` that say what to count, or has them outside `arguments`.

    Why: without validValues or a pattern, invalidValues counts nothing; without properties, duplicateValues on a
    dataset has no columns to compare.

    Fix: write validValues, pattern or properties under `arguments`.
    """
    needed = _needed(part)
    if not needed or any(name in part.noun.arguments for name in needed):
        return
    outside = next((name for name in needed if name in part.noun.node), None)
    yield Message(
        f"Metric '{part.noun.metric}' of '{part.subject}' has no effect",
        f"'{outside}' is outside 'arguments'" if outside else f"It needs {' or '.join(needed)} under 'arguments'",
        f"Write it under 'arguments: {{{outside or needed[0]}: …}}'",
        at=(outside,) if outside else ("metric",),
        key=bool(outside),
    )


def _needed(part: RuleOf) -> tuple[str, ...]:
    if part.noun.type != "library":
        return ()
    if part.noun.metric == "invalidValues" and part.field:
        return ("validValues", "pattern")
    return ("properties",) if part.noun.metric == "duplicateValues" and not part.field else ()
