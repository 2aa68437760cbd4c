"""What the benchmarks say of a peer's answers, and how they write their page."""

import importlib
import sys
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.conftest import ROOT


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a module of the benchmarks, which stand beside the package."""
    for folder in ("benchmarks/peers", "benchmarks"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if str(ROOT / "benchmarks") in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def right(load: Any) -> dict[str, Any]:
    """The answers of a peer that finds what was planted."""
    answer, expected = load("peer").Answer, load("tpch_rules").EXPECTED
    return {name: answer.counted(count) for name, count in expected.items()}


def test_there_are_21_rules_and_each_has_its_planted_count(load):
    rules = load("tpch_rules").rules(100)
    assert sorted(rule.name for rule in rules) == sorted(load("tpch_rules").EXPECTED)
    assert len(rules) == 21


def test_a_peer_that_finds_what_was_planted_is_right(load):
    said = load("peer").judged(load("tpch_rules").rules(100), right(load))
    assert said == {"rules": 21, "wrong": [], "missing": [], "counted": 21}


def test_a_peer_may_say_yes_or_no_and_count_both_rows_of_a_copy(load):
    peer = load("peer")
    answers = right(load) | {"tax range": peer.Answer(kept=False), "lineitem key": peer.Answer.counted(10)}
    said = peer.judged(load("tpch_rules").rules(100), answers)
    assert (said["wrong"], said["counted"]) == ([], 20)


def test_a_wrong_answer_and_a_missing_one_are_named(load):
    peer = load("peer")
    answers = right(load) | {"tax range": peer.Answer.counted(3), "quantity null": peer.Answer(kept=False)}
    del answers["order found"]
    said = peer.judged(load("tpch_rules").rules(100), answers)
    assert said["wrong"] == ["quantity null: broken", "tax range: 3"]
    assert said["missing"] == ["order found"]


def test_a_peer_that_breaks_is_a_row_that_says_so(load):
    peers = load("peers")
    shown = peers.report({peers.PEERS[0]: {"broke": "ValueError: no"}})
    assert "broke: ValueError: no" in shown.splitlines()[-1]


def test_every_package_of_a_peer_is_pinned(load):
    peers = load("peers").PEERS
    assert all("==" in package for peer in peers for package in peer.packages)
    assert not [peer.name for peer in peers if "dqx" in " ".join(peer.packages)]  # its licence allows no use here


def test_a_table_is_put_between_its_marks_and_nothing_else_changes(load, tmp_path):
    page, text = tmp_path / "page.md", "before\n<!-- keys -->\nold\n<!-- end of keys -->\nafter\n"
    page.write_text(text)
    shown = load("page").table(("key", "x", "found"), [("a", "1.0", "5")])
    assert shown == "| key |   x | found |\n| --- | --: | ----- |\n| a   | 1.0 | 5     |"
    for _ in range(2):
        load("page").fill(page, "keys", shown)
        assert page.read_text() == f"before\n<!-- keys -->\n\n{shown}\n\n<!-- end of keys -->\nafter\n"
    with pytest.raises(SystemExit, match="no place for 'rows'"):
        load("page").fill(page, "rows", shown)


def test_a_chart_has_two_bars_for_each_name(load):
    chart = load("chart")
    drawn = chart.chart("a < b", ("CPU", "wall"), [chart.Bars("floe", 2.5, 3, own=True), chart.Bars("x & y", 14, 9)])
    parts = list(ElementTree.fromstring(drawn).iter())
    texts = [part.text for part in parts]
    assert [text for text in ("a < b", "floe", "x & y", "2.5", "14.0") if text not in texts] == []
    assert len([part for part in parts if "own" in part.get("class", "").split()]) == 2


def test_the_page_shows_everyone_that_is_measured(load):
    page = (ROOT / "docs" / "performance.md").read_text()
    peers = load("peers")
    assert [peers.shown(peer) for peer in peers.PEERS if f"| {peers.shown(peer)} " not in page] == []
    ElementTree.parse(ROOT / "docs" / "performance.svg")
