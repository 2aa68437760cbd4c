from pathlib import Path

import pytest

from floe.actions.lint import lint
from floe.model import Severity

_ODCS = Path(__file__).parents[2] / "cases" / "odcs"
_POSITIVE = ("v3.0.0", "v3.0.2", "v3.1.0", "v3.2.0-dev", "dialects-as-odcs")

# every official negative, and the line of what is wrong in it
_NEGATIVE = {
    "additional-unknown-property": [("unknown-key", 9)],
    "enum-duplicate-values": [("invalid-value", 17)],
    "enum-empty": [("invalid-value", 15)],
    "enum-missing-value": [("missing-field", 16)],
    "invalid-api-version": [("unsupported-version", 5)],
    "invalid-kind": [("invalid-value", 6)],
    "invalid-quality-dimension": [("invalid-value", 20)],
    "invalid-quality-metric": [("invalid-value", 17)],
    "invalid-quality-type": [("invalid-value", 17)],
    "map-missing-block": [("missing-field", 13)],
    "map-missing-key": [("missing-field", 16)],
    "map-missing-value": [("missing-field", 16)],
    "missing-required-fields": [("missing-field", 4)],
    "quality-custom-missing-implementation": [("missing-field", 17)],
    "quality-element-field": [("unknown-key", 18), ("misplaced-key", 19)],
    "quality-library-missing-metric": [("missing-field", 17)],
    "quality-multiple-operators": [("several-operators", 20)],
    "quality-mustbebetween-wrong-size": [("invalid-value", 15)],
    "quality-sql-missing-query": [("missing-field", 17)],
    "relationship-property-level-with-from": [("misplaced-key", 17)],
    "relationship-schema-level-missing-from-to": [("missing-field", 13), ("missing-field", 13)],
    "schema-property-invalid-logicaltype": [("invalid-value", 14)],
    "schema-property-missing-name": [("missing-field", 13)],
    "server-invalid-type": [("invalid-value", 11)],
    "server-missing-conditional-fields": [("missing-field", 10)],
    "server-missing-required-fields": [("missing-field", 10), ("missing-field", 10)],
    "sla-missing-required-value": [("missing-field", 10)],
    "synonym-missing-term": [("missing-field", 18)],
}


@pytest.mark.parametrize("folder", _POSITIVE)
def test_official_examples_give_no_error(folder):
    result = lint(_ODCS / folder)
    assert result.files == len(list((_ODCS / folder).rglob("*.yaml")))
    assert len(result.contracts) == result.files
    assert [finding for finding in result.findings if finding.severity >= Severity.ERROR] == []


def test_every_negative_is_listed():
    assert {path.name.removesuffix(".odcs.yaml") for path in (_ODCS / "negative-v3.2.0-dev").iterdir()} == {*_NEGATIVE}


@pytest.mark.parametrize(("name", "expected"), _NEGATIVE.items())
def test_an_official_negative_is_refused_at_its_line(name, expected):
    found = lint(_ODCS / "negative-v3.2.0-dev" / f"{name}.odcs.yaml").findings
    critical = [finding for finding in found if finding.severity is Severity.CRITICAL]
    assert [(finding.name, finding.place.line if finding.place else None) for finding in critical] == expected


def test_an_older_document_with_a_later_feature_is_told_to_raise_its_version():
    result = lint(_ODCS / "v3.1.0" / "stakeholders" / "basic-four-dpo.odcs.yaml")
    found = [finding for finding in result.findings if finding.severity > Severity.INFO]
    assert [(f.name, str(f.severity), f.suggestion) for f in found] == [
        ("newer-feature", "warning", "Set apiVersion to v3.1.0")
    ]
    assert found[0].message == "'team' as a mapping is part of ODCS since v3.1; the document declares v3.0.2"
