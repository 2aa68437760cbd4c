"""What a rule is, and how rules are asked."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from floe.model import Contract, Finding, Message, Noun, Severity, locate


@dataclass(frozen=True, slots=True)
class Rule:
    """A question asked about each part of one kind, with its code and documentation."""

    code: str
    name: str
    severity: Severity
    each: type[Noun]
    ask: Callable[[Any], Iterator[Message]]
    doc: str


def rule(
    code: str, name: str, severity: Severity, each: type[Noun]
) -> Callable[[Callable[[Any], Iterator[Message]]], Rule]:
    """Make a rule of a function; its docstring is the rule's documentation."""
    return lambda ask: Rule(code, name, severity, each, ask, ask.__doc__ or "")


def findings(contract: Contract, rules: tuple[Rule, ...]) -> list[Finding]:
    """What the rules say about a contract, in the order of the file."""
    found = [
        Finding(
            rule.code,
            rule.name,
            rule.severity,
            message.text,
            message.detail,
            message.suggestion,
            locate(noun.node, *message.at, key=message.key),
            (*noun.at, *message.at),
        )
        for noun in contract.walk()
        for rule in rules
        if isinstance(noun, rule.each)
        for message in rule.ask(noun)
    ]
    return sorted(found, key=lambda finding: finding.place or ("", 0, 0))
