"""Results in a notebook: what is broken, escaped."""

from typing import Any

from floe.model import Severity
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome, Result, WriteResult

EVIL = "<img src=x onerror=alert(1)>"


def outcome(word: str, **other) -> Outcome:
    given = {"id": "t.a:x", "code": "E552", "name": "x", "field": "t.a", "severity": Severity.ERROR, "outcome": word}
    return Outcome(**{**given, **other})


def result(*outcomes: Outcome, **other) -> Result:
    return Result(contract="c", version="1.0.0", dataset=EVIL, checked_at="", expectations=outcomes, rows=1200, **other)


def test_what_is_broken_or_unknown_stands_in_a_table_and_nothing_is_markup():
    bad = outcome(FAIL, message=EVIL, violations=3, expected=[EVIL], actual=3)
    page = result(bad, outcome(NOT_EVALUATED, cause=EVIL), outcome(PASS))._repr_html_()
    assert "<img" not in page
    assert page.startswith("<p><b>fail</b> &lt;img")
    assert "1,200 rows, 1 expectations met" in page
    assert (page.count("<tr>"), page.count("&lt;img")) == (3, 4)


def test_a_part_is_called_one_and_a_keeper_needs_no_table():
    page = result(outcome(PASS), scope="sample 0.1")._repr_html_()
    assert "<b>pass PARTIAL (sample 0.1)</b>" in page
    assert "<table>" not in page


def test_a_write_says_what_became_of_it():
    given: dict[str, Any] = {
        "table": EVIL,
        "mode": "append",
        "run_id": "r",
        "location": "",
        "format": "delta",
        "level": "block",
    }
    refused = WriteResult(**given, written=0, refused=True, result=result(outcome(FAIL)))
    assert refused._repr_html_().startswith("<p><b>refused, nothing written</b> &lt;img")
    written = WriteResult(**given, written=5, quarantined=2, refused=False, shadow=True, result=result(outcome(PASS)))
    assert "5 rows written, 2 to quarantine, SHADOW" in written._repr_html_()
