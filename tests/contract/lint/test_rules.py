"""Every rule by its cases: `▶` stands before what a finding points at, and findings come in the order of the file."""

from pathlib import Path

import pytest
import yaml

from floe.contract.formats import read
from floe.contract.formats.config.policies import read_policies
from floe.contract.lint import RULES
from floe.contract.lint.rule import findings, folder_findings, in_order, said_once
from floe.contract.lint.rules.policy_broken import DEMANDS
from floe.contract.lint.rules.secret import hide, secrets_in
from floe.contract.lint.tiers import policy_findings, tier_findings
from floe.contract.lint.views import LintScope
from floe.settings import LABELS

_CASES = Path(__file__).parents[2] / "cases" / "lint"
_MARK = "▶"
_HEADER = {
    "apiVersion": "v3.1.0",
    "kind": "DataContract",
    "id": "urn:test:{n}",
    "name": "contract_{n}",
    "version": "1.0.0",
    "status": "active",
    "domain": "test",
    "dataProduct": "cases",
}


def _cases():
    for path in sorted(_CASES.glob("*.yaml")):
        for case in yaml.safe_load(path.read_text("utf-8")):
            yield pytest.param(path.stem, case, id=f"{path.stem}: {case['title']}")


def _document(body, number, whole):
    """The text of a contract, with the header lines that its body does not have, and the places of its marks."""
    own = {line.lstrip(_MARK).split(":")[0] for line in body.splitlines()}
    header = [] if whole else [f"{key}: {text.format(n=number)}" for key, text in _HEADER.items() if key not in own]
    places, lines = [], []
    for number_, line in enumerate([*header, *body.splitlines()], 1):
        kept = line
        while (column := kept.find(_MARK)) >= 0:
            places.append((number_, column + 1))
            kept = kept.replace(_MARK, "", 1)
        lines.append(kept)
    return "\n".join(lines) + "\n", places


def _said(case):
    """What is found in the contracts of a case, and the places that it marks."""
    bodies = case.get("contracts") or [case["contract"]]
    labels = case.get("labels")
    scope = LintScope(tuple(labels or LABELS), listed=bool(labels))
    contracts, found, expected = [], [], []
    for number, body in enumerate(bodies, 1):
        name = f"{number}.yaml"
        text, places = _document(body, number, case.get("whole", False))
        contract, more = read(text, name)
        assert contract, more
        contracts.append(contract)
        one = [hide(finding, secrets_in(text)) for finding in (*more, *findings(contract, RULES, scope))]
        found += said_once(in_order(one))
        found += _judged(case, contract, scope)
        expected += [(name, *place) for place in places]
    return [*found, *folder_findings(contracts, RULES)], expected


def _judged(case, contract, scope):
    """What the parent and the policies of a case say of its contract."""
    found = []
    if "parent" in case:
        parent, _ = read(_document(case["parent"], 0, False)[0], "parent.yaml")
        assert parent
        found += tier_findings(contract, parent, RULES, scope.labels)
    if "policies" in case:
        found += policy_findings(contract, read_policies(case["policies"], "case", DEMANDS), RULES)
    return found


@pytest.mark.parametrize(("rule", "case"), list(_cases()))
def test_case(rule, case):
    found, places = _said(case)
    assert [f"{f.code} {f.name} {f.severity} {f.place}" for f in found] == [
        f"{line.split(':')[0]} {file}:{row}:{column}"
        for line, (file, row, column) in zip(case["findings"], places, strict=True)
    ]
    for finding, line in zip(found, case["findings"], strict=True):
        assert line.split(": ", 1)[1] in finding.message
    for word in case.get("hidden", []):
        assert not any(word in f.message + f.detail + f.suggestion for f in found)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_has_a_case_that_fires_and_one_that_does_not(rule):
    cases = yaml.safe_load((_CASES / f"{rule.name.replace('-', '_')}.yaml").read_text("utf-8"))
    fires = [any(f" {rule.name} " in line for line in case["findings"]) for case in cases]
    assert any(fires)
    assert any(case["findings"] == [] for case in cases)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_says_what_why_and_what_to_do(rule):
    first, why, fix = (part.strip() for part in rule.doc.strip().split("\n\n"))
    assert first.endswith(".")
    assert why.startswith("Why: ")
    assert fix.startswith("Fix: ")


def test_names_of_rules_are_unique_and_in_order():
    names = [rule.name for rule in RULES]
    assert names == sorted(set(names))


def test_every_case_file_belongs_to_a_rule():
    assert {path.stem for path in _CASES.glob("*.yaml")} == {rule.name.replace("-", "_") for rule in RULES}
