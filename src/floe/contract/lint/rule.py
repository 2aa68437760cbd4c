"""What a rule is, and how rules are asked."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from floe.contract.lint.views import ContractFolder, LintScope, asked
from floe.model import Contract, Finding, Message, Severity, locate

# so many findings that say the same of different parts are listed one by one
_FEW = 3


@dataclass(frozen=True, slots=True, eq=False)  # a rule is itself: tables of them are keys, and hashed often
class Rule:
    """A question asked about each part of one kind, with its code and documentation."""

    code: str
    name: str
    severity: Severity
    pair: tuple[type, ...]
    ask: Callable[[Any], Iterator[Message]]
    doc: str


def rule(
    code: str, name: str, severity: Severity, value: type | tuple[type, ...]
) -> Callable[[Callable[[Any], Iterator[Message]]], Rule]:
    """Make a rule of a function; its docstring is the rule's documentation."""
    kinds = value if isinstance(value, tuple) else (value,)
    return lambda ask: Rule(code, name, severity, kinds, ask, ask.__doc__ or "")


def findings(contract: Contract, rules: tuple[Rule, ...], scope: LintScope | None = None) -> list[Finding]:
    """What the rules say about a contract, in the order of the file."""
    return findings_of(asked(contract, scope or LintScope()), rules)


def findings_of(parts: Iterable[Any], rules: tuple[Rule, ...]) -> list[Finding]:
    """What the rules say about some parts, in the order of the file."""
    by_kind = _by_kind(rules)
    found = [
        _finding(rule, message, getattr(part, "noun", part))
        for part in parts
        for rule in by_kind.get(type(part), ())
        for message in rule.ask(part)
    ]
    return in_order(found)


def folder_findings(contracts: Sequence[Contract], rules: tuple[Rule, ...]) -> list[Finding]:
    """What the rules say about several contracts that stand side by side."""
    folder = ContractFolder(tuple(contracts))
    return in_order(
        _finding(rule, message, message.about)
        for rule in _by_kind(rules).get(ContractFolder, ())
        for message in rule.ask(folder)
    )


def in_order(found: Any) -> list[Finding]:
    """Findings in the order of their files and lines."""
    return sorted(found, key=lambda finding: finding.place or ("", 0, 0))


def without_consequences(found: Sequence[Finding], refused: Sequence[Finding]) -> list[Finding]:
    """What rules say, without what only follows from a value that the standard refuses; a danger is said all the same."""
    paths = {finding.path for finding in refused if finding.severity is Severity.CRITICAL}
    return [finding for finding in found if finding.path not in paths or finding.code == "E507"]


def said_once(found: Sequence[Finding]) -> list[Finding]:
    """Findings in which what a rule says alike of many parts of one file stands once, with their number."""
    groups: defaultdict[tuple[str, str, str], list[Finding]] = defaultdict(list)
    for finding in found:
        if finding.alike and finding.counts:
            groups[finding.name, finding.alike, finding.place.file if finding.place else ""].append(finding)
    dropped = {id(other) for group in groups.values() if len(group) > _FEW for other in group[1:]}
    number = {id(group[0]): len(group) - 1 for group in groups.values() if len(group) > _FEW}
    return [
        replace(
            finding,
            detail="; ".join(filter(None, (finding.detail, f"{number[id(finding)]} more alike in this contract"))),
        )
        if id(finding) in number
        else finding
        for finding in found
        if id(finding) not in dropped
    ]


@lru_cache(maxsize=8)
def _by_kind(rules: tuple[Rule, ...]) -> Mapping[type, tuple[Rule, ...]]:
    kinds = {kind for rule in rules for kind in rule.pair}
    return MappingProxyType({kind: tuple(rule for rule in rules if kind in rule.pair) for kind in kinds})


def _finding(rule: Rule, message: Message, asked_about: Any) -> Finding:
    noun = message.about or asked_about
    return Finding(
        rule.code,
        rule.name,
        message.severity or rule.severity,
        message.text,
        message.detail,
        message.suggestion,
        locate(noun.node, *message.at, key=message.key),
        (*noun.at, *message.at),
        alike=message.alike,
        target=message.target,
    )
