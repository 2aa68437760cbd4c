import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema_rs

from floe.model import Finding, Place, Severity
from floe.reports.github.findings import findings_github
from floe.reports.junit.findings import findings_junit
from floe.reports.markdown.findings import findings_markdown
from floe.reports.sarif.findings import findings_sarif
from floe.reports.style import Style
from floe.reports.text.findings import findings_text, summary_text

_HOSTILE = "a\x1b[31m\n::error::x <b>|`%0A \x00]]> \"'&"
_ERROR = Finding(
    "E508",
    "bounds-contradict",
    Severity.ERROR,
    "No value of 'amount'",
    "minimum is 5, maximum is 3",
    "Swap them",
    Place("a b.yaml", 15, 39),
    ("schema", 0),
)
_WARNING = Finding("E505", "classification-unknown", Severity.WARNING, _HOSTILE, place=Place("x,y:z.yaml", 2, 1))
_IGNORED = Finding("E507", "secret", Severity.ERROR, "A key", place=Place("a b.yaml", 3, 1), ignored="a <test> key")
_KNOWN = Finding("E501", "date-invalid", Severity.WARNING, "No date", place=Place("a b.yaml", 4, 1), known=True)
_INFO = Finding("E503", "type-open", Severity.INFO, "Open", place=Place("c.yaml", 1, 1))
_ALL = (_ERROR, _WARNING, _IGNORED, _KNOWN, _INFO)
_PLAIN = Style(colour=False)


def test_text_is_a_block_for_each_finding_that_counts():
    assert findings_text((_ERROR, _IGNORED, _KNOWN), _PLAIN) == (
        "✗ FLOE-E508: No value of 'amount'\n"
        "    minimum is 5, maximum is 3                       a b.yaml:15:39\n"
        "    Suggestion: Swap them"
    )


def test_text_steers_no_terminal():
    assert "\x1b" not in findings_text((_WARNING,), _PLAIN)


def test_the_summary_counts_what_counts_and_what_does_not():
    assert summary_text(_ALL, 3, _PLAIN) == "✗ 3 files: 1 error, 1 warning, 1 info, 1 ignored, 1 known"
    assert summary_text((_IGNORED, _KNOWN), 1, _PLAIN) == "✓ 1 file: no error, no warning, 1 ignored, 1 known"
    assert summary_text((), 1, _PLAIN, ("a.yaml",)) == (
        "· 1 YAML file is not a contract and was skipped: a.yaml\n✓ 1 file: no error, no warning"
    )


def test_sarif_has_what_the_standard_asks_for():
    log = findings_sarif(_ALL, {"E508": "Why and how"}, "1.2.3")
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert (log["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "floe")
    assert [rule["id"] for rule in rules] == ["FLOE-E501", "FLOE-E503", "FLOE-E505", "FLOE-E507", "FLOE-E508"]
    assert rules[4]["help"]["text"] == "Why and how"
    assert [result["level"] for result in run["results"]] == ["error", "warning", "error", "warning", "note"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert run["results"][0]["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a%20b.yaml"},
                "region": {"startLine": 15, "startColumn": 39},
            }
        }
    ]
    assert run["results"][2]["suppressions"] == [{"kind": "inSource", "justification": "a <test> key"}]
    assert run["results"][3]["suppressions"][0]["kind"] == "external"


def test_sarif_is_valid_by_the_members_that_its_schema_requires():
    schema = json.loads((Path(__file__).parents[1] / "cases" / "sarif-2.1.0-part.json").read_text("utf-8"))
    log = json.loads(json.dumps(findings_sarif(_ALL, {}, "1")))
    assert [error.message for error in jsonschema_rs.validator_for(schema).iter_errors(log)] == []


def test_junit_is_xml_whatever_the_text():
    root = ElementTree.fromstring(findings_junit(_ALL, ["good.yaml"], Severity.ERROR).encode("utf-8"))
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("6", "1", "2")
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["good.yaml", "a b.yaml", "x,y:z.yaml", "c.yaml"]
    failure = suites["a b.yaml"].find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "No value of 'amount'"
    assert suites["good.yaml"].find("testcase/failure") is None
    skipped = suites["a b.yaml"].find("testcase/skipped")
    assert skipped is not None
    assert skipped.get("message") == "a <test> key"


def test_junit_fails_from_the_severity_that_was_asked_for():
    root = ElementTree.fromstring(findings_junit((_WARNING,), [], Severity.WARNING).encode("utf-8"))
    assert root.get("failures") == "1"


def test_github_commands_are_one_line_each_and_cannot_be_forged():
    lines = findings_github(_ALL).split("\n")
    assert lines[0] == (
        "::error file=a b.yaml,line=15,col=39,title=FLOE-E508 bounds-contradict"
        "::No value of 'amount'. minimum is 5, maximum is 3. Swap them"
    )
    assert lines[1].startswith("::warning file=x%2Cy%3Az.yaml,line=2,col=1,title=FLOE-E505 classification-unknown::a")
    assert "%0A::error::x" in lines[1]
    assert "%250A" in lines[1]
    assert lines[2].startswith("::notice file=c.yaml")
    assert len(lines) == 3


def test_markdown_is_a_table_and_shows_text_as_it_is():
    table = findings_markdown(_ALL, "3 files").split("\n")
    assert table[0] == "| severity | code | what | where |"
    assert table[2] == (
        "| error | FLOE-E508 bounds-contradict | No value of 'amount'<br>minimum is 5, maximum is 3"
        "<br>Suggestion: Swap them | a b.yaml:15:39 |"
    )
    assert table[3].count(" | ") == 3
    assert "<b>" not in table[3]
    assert table[-1] == "3 files"


def test_markdown_without_findings_is_its_summary():
    assert findings_markdown((_IGNORED,), "1 file") == "1 file"
