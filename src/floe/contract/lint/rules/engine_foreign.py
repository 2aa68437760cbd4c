"""E506 engine-foreign."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf, fold
from floe.model import Message, Severity


@rule("E506", "engine-foreign", Severity.INFO, value=RuleOf)
def engine_foreign(part: RuleOf) -> Iterator[Message]:
    """A custom rule is written for an engine that floe does not run.

    Why: floe reports the rule as not evaluated, and a run with it does not pass unless `--accept` names it.

    Fix: write it as a library or sql rule, or for engine floe; or keep it and accept it by its id.
    """
    engine = part.noun.engine
    if part.noun.type == "custom" and isinstance(engine, str) and engine.lower() != "floe":
        yield Message(
            f"Rule of '{part.subject}' is for the engine '{engine}'",
            "floe does not evaluate it",
            "Write it as a library or sql rule, or accept its id with --accept",
            at=("engine",),
            alike=fold(engine),
        )
