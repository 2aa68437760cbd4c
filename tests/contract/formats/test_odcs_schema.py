from pathlib import Path

import pytest
import yaml

from floe.actions.lint import lint
from floe.contract.formats.odcs import VERSIONS, schema_findings
from floe.model import yaml_text

_CASES = yaml.safe_load((Path(__file__).parents[2] / "cases" / "odcs_schema" / "findings.yaml").read_text())
_SOUND = "apiVersion: {version}\nkind: DataContract\nid: orders\nversion: 1.0.0\nstatus: active\n"
_HEAD = 5


def _found(text):
    return schema_findings(yaml_text.parse(text, "orders.yaml"))


def _line(finding):
    place = f"{finding.place.line - _HEAD}:{finding.place.column}"
    said = " | ".join((finding.message, finding.detail, finding.suggestion)).replace("|  |", "| |")
    return f"{place} {finding.code} {finding.name} {finding.severity}: {said}"


@pytest.mark.parametrize("case", _CASES, ids=[case["title"] for case in _CASES])
def test_what_is_wrong_is_said_once_at_its_place(case):
    text = _SOUND.format(version=case.get("version", "v3.1.0")) + case["add"]
    assert [_line(finding) for finding in _found(text)] == case["findings"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_sound_contract_gives_nothing(version):
    assert _found(_SOUND.format(version=version)) == []


@pytest.mark.parametrize("version", [version for version in VERSIONS if version != "v3.2.0"])
def test_a_missing_status_is_refused(version):
    text = _SOUND.format(version=version).replace("status: active\n", "")
    (found,) = _found(text)
    assert (found.code, found.name, str(found.severity)) == ("E501", "missing-field", "critical")
    assert found.suggestion.startswith("Add 'status', e.g. status: ")


def test_a_key_of_a_later_version_says_since_when():
    text = _SOUND.format(version="v3.0.2") + "schema:\n  - name: a\n    relationships: [{from: a.b, to: c.d}]\n"
    assert [(f.message, str(f.severity)) for f in _found(text)] == [
        ("Key 'relationships' is part of ODCS since v3.1; the document declares v3.0.2", "warning")
    ]


@pytest.mark.parametrize(
    ("version", "suggestion"),
    [("1.0", "1.0.0"), ("1.10", "1.10.0"), ("2", "2.0.0")],
)
def test_a_version_that_is_a_number_is_said_once(version, suggestion):
    text = _SOUND.format(version="v3.1.0").replace("version: 1.0.0", f"version: {version}")
    found = [finding for finding in lint(text).findings if finding.name != "identity-defaulted"]
    assert [(f.code, f.name, f.message, f.suggestion, str(f.place)) for f in found] == [
        (
            "E521",
            "version-not-semver",
            f"'version' is the number {version}, not a text X.Y.Z",
            f'Write three numbers in quotes: version: "{suggestion}"',
            "<text>:4:10",
        )
    ]


@pytest.mark.parametrize(
    ("line", "message", "suggestion"),
    [
        ("apiVersion: v3.1", "'apiVersion' is the text 'v3.1', which floe does not read", "Did you mean v3.1.0?"),
        ("apiVersion: 3.1.0", "'apiVersion' is the text '3.1.0', which floe does not read", "Did you mean v3.1.0?"),
        ("apiVersion: [v3]", "'apiVersion' is a list, which floe does not read", ""),
        ("apiVersion: {a: 1}", "'apiVersion' is a mapping, which floe does not read", ""),
        ("apiVersion: v9.7.5", "'apiVersion' is the text 'v9.7.5', which floe does not read", ""),
        ("title: x", "The document declares no apiVersion", ""),
    ],
)
def test_an_unknown_version_is_e502(line, message, suggestion):
    (found,) = lint(f"{line}\nkind: DataContract\n").findings
    assert (found.code, found.name, str(found.severity)) == ("E502", "unsupported-version", "critical")
    assert found.message == message
    assert suggestion in found.suggestion
    assert "v3.0.0, v3.0.1, v3.0.2, v3.1.0, v3.2.0" in found.detail


def test_rules_run_on_a_document_that_the_schema_refuses():
    text = _SOUND.format(version="v3.1.0") + (
        "zebra: 1\nschema:\n  - name: a\n    properties:\n      - {name: b, physicalType: Flag}\n"
    )
    found = [(f.code, f.name) for f in lint(text).findings if f.name != "identity-defaulted"]
    assert found == [("E501", "unknown-key"), ("E503", "type-unknown")]


def test_a_thousand_later_features_are_no_refusal():
    columns = "".join(f"      - {{name: c{n}, logicalType: timestamp}}\n" for n in range(1200))
    found = _found(_SOUND.format(version="v3.0.2") + "schema:\n  - name: a\n    properties:\n" + columns)
    assert {str(finding.severity) for finding in found} == {"warning"}
    assert found[-1].message == "200 more errors of the standard's JSON Schema"


@pytest.mark.parametrize(
    ("version", "advice"),
    [
        ("3.1.0", "Did you mean v3.1.0?"),
        ("v3.1", "Did you mean v3.1.0?"),
        ("v2.2.2", "Rewrite it as ODCS v3, whose keys have other names, e.g. v3.1.0"),
        ("v4.0.0", "Set apiVersion to one of them, e.g. v3.1.0"),
    ],
)
def test_another_version_is_not_taken_for_a_misspelling(version, advice):
    (found,) = lint(_SOUND.format(version=version)).findings
    assert (found.code, found.suggestion) == ("E502", advice)


def test_what_one_later_version_allows_in_many_places_is_said_once():
    columns = "".join(f"      - {{name: c{i}, logicalType: timestamp}}\n" for i in range(5))
    text = _SOUND.format(version="v3.0.2") + f"schema:\n  - name: t\n    properties:\n{columns}"
    (found,) = [finding for finding in lint(text).findings if finding.name == "newer-feature"]
    assert found.detail == "4 more alike in this contract"
