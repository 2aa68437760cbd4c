"""Results for programs: whatever a contract's texts hold, the form stays whole."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from floe.model import Severity
from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, Outcome, Result
from floe.reports.github.result import result_github
from floe.reports.html.result import result_html
from floe.reports.junit.result import result_junit
from floe.reports.markdown.result import result_markdown
from floe.reports.style import Style
from floe.reports.text.result import result_text

EVIL = "a\x00\x1b]]>\n::error::<b>|`%0A\ud800"


def result(word: str, severity: Severity = Severity.ERROR) -> Result:
    one = Outcome(
        id=EVIL,
        code="E552",
        name=EVIL,
        field=EVIL,
        severity=severity,
        outcome=word,
        message=EVIL,
        violations=2,
        actual=EVIL,
        expected=[EVIL],
        cause=EVIL if word == NOT_EVALUATED else None,
        samples=({EVIL: EVIL},),
    )
    given = {"contract": EVIL, "version": EVIL, "dataset": EVIL, "scope": EVIL, "owner": EVIL, "location": EVIL}
    return Result(**given, support=(EVIL,), checked_at="2026-01-01T00:00:00Z", expectations=(one,), rows=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("word", "severity", "accepted", "tag"),
    [
        (FAIL, Severity.ERROR, (), "failure"),
        (FAIL, Severity.WARNING, (), "system-out"),
        (NOT_EVALUATED, Severity.INFO, (), "error"),
        (NOT_EVALUATED, Severity.CRITICAL, (EVIL,), "skipped"),
        (FAIL, Severity.ERROR, (EVIL,), "failure"),  # what is broken cannot be accepted
        (NOT_GATED, Severity.ERROR, (), "skipped"),
    ],
)
def test_junit(word, severity, accepted, tag):
    root = ElementTree.fromstring(result_junit([result(word, severity)], accepted, Severity.ERROR).encode())
    (case,) = root.iter("testcase")
    assert [child.tag for child in case] == [tag]
    assert "PARTIAL" in (root[0].get("name") or "")


def test_one_line_says_which_way_keys_were_checked():
    methods = {"a": "floe.jar (hashes)", "b": "anti join", "c": "floe.jar (hashes)", "d": None}
    outcomes = tuple(replace(result(FAIL).expectations[0], field=field, method=way) for field, way in methods.items())
    lines = result_text(replace(result(FAIL), expectations=outcomes), Style(False)).splitlines()
    assert [line.strip() for line in lines if "keys: " in line] == ["keys: a, c by floe.jar (hashes); b by anti join"]
    assert "keys: " not in result_text(result(FAIL), Style(False))


@pytest.mark.parametrize("word", [FAIL, NOT_EVALUATED])
def test_hostile_text_stays_text(word):
    page = result_html([result(word)], ())
    assert ("<b>|" in page, "\x1b" in page, "PARTIAL" in page.split("</h1>")[0]) == (False, False, True)
    page.encode()
    said = result_github([result(word)], (), Severity.ERROR).splitlines()
    assert [line[:8] for line in said] == ["::warnin", "::error "]
    table = [line for line in result_markdown([result(word)], ()).splitlines() if line.startswith("|")]
    assert len(table) == 3
    assert "<b>" not in table[2]
