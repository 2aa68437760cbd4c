"""E506 floe-rule-unknown."""

import difflib
from collections.abc import Iterator, Mapping

from floe.contract.lint.floe_rules import parts
from floe.contract.lint.rule import rule
from floe.contract.lint.views import RuleOf
from floe.model import Message, Severity, Step

_KINDS = {
    "freshness": ("maxDelay", "column"),
    "volume": ("minRowsPerDay", "maxRowsPerDay", "column"),
    "range": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "referentialIntegrity": ("from", "to"),
    "pointInTime": ("rule",),
}


@rule("E506", "floe-rule-unknown", Severity.ERROR, value=RuleOf)
def floe_rule_unknown(part: RuleOf) -> Iterator[Message]:
    """A custom rule of engine floe has an unknown name or an unknown argument.

    Why: the rule cannot be evaluated, so no run passes.

    Fix: use freshness, volume, range, referentialIntegrity or pointInTime with their own arguments.
    """
    for kind, arguments in parts(part):
        if kind not in _KINDS or not isinstance(arguments, Mapping):
            known = f"Use one of {', '.join(_KINDS)}"
            yield _unknown(part, f"rule '{kind}'" if kind else "implementation", kind, known, list(_KINDS))
            continue
        for name in arguments:
            if name not in _KINDS[kind]:
                known = f"'{kind}' takes {', '.join(_KINDS[kind])}"
                yield _unknown(part, f"argument '{name}' of '{kind}'", name, known, list(_KINDS[kind]), (kind, name))


def _unknown(part: RuleOf, what: str, word: str, known: str, words: list[str], below: tuple[Step, ...] = ()) -> Message:
    near = difflib.get_close_matches(word, words, 1)
    return Message(
        f"floe has no {what} (on '{part.subject}')",
        known,
        f"Did you mean '{near[0]}'?" if near else known,
        at=("implementation", *(below or ((word,) if word else ()))),
        key=bool(word),
    )
