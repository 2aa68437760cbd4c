"""The registered children of a contract that would no longer comply with it."""

from collections.abc import Iterator

from floe.actions.compile.judge import Rulebook, policies_of
from floe.contract.formats import read
from floe.contract.lint import RULES
from floe.contract.lint.tiers import policy_findings, tier_findings
from floe.model import Contract, Finding, SettingError, Severity
from floe.registry.versions import Row


def weaker_child(child: Row, parent: Contract, rules: Rulebook) -> list[str]:
    """What a registered child falls short of under a new version of its parent, in words; empty where it complies."""
    own, _ = read(child["document"], child["source"] or "")
    whole, _ = read(child["effective"], child["source"] or "")
    if own is None or whole is None:
        return []
    found = tier_findings(own, parent, RULES, rules.scope.labels, rules.directions)
    found += _policies(whole, parent)
    return list(dict.fromkeys(_said(found)))


def _policies(child: Contract, parent: Contract) -> list[Finding]:
    try:
        return policy_findings(child, policies_of(parent), RULES)
    except SettingError:
        return []


def _said(found: list[Finding]) -> Iterator[str]:
    for finding in found:
        if finding.severity >= Severity.ERROR and finding.counts:
            yield f"FLOE-{finding.code} {finding.message}"
