"""Promises in words."""

from decimal import Decimal

import pytest

from floe.contract.formats.words import rule_words, sla_words
from floe.model import QualityRule, Sla


@pytest.mark.parametrize(
    ("sla", "words"),
    [
        (Sla(property="freshness", value=1, unit="d"), "At most 1 day old"),
        (Sla(property="retention", value=7, unit="y"), "Kept for 7 years"),
        (Sla(property="availability", value=Decimal("99.95"), unit="percent"), "Available 99.95 % of the time"),
        (Sla(property="latencyP99", value=30, unit="s"), "99 % of queries answer within 30 seconds"),
        (Sla(property="somethingElse", value="x"), "somethingElse: x"),
        (Sla(property="frequency", value=1, unit="h", element="t.c"), "Updated every 1 hour (t.c)"),
    ],
)
def test_service_levels_are_sentences(sla, words):
    assert sla_words(sla) == words


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (QualityRule(metric="nullValues", operators={"mustBe": 0}), "no null values"),
        (
            QualityRule(metric="nullValues", operators={"mustBeLessThan": 1}, unit="percent"),
            "fewer than 1 % null values",
        ),
        (QualityRule(metric="rowCount", operators={"mustBeBetween": [10, 20000]}), "10 to 20,000 rows"),
        (
            QualityRule(metric="duplicateValues", arguments={"properties": ["a", "b"]}, operators={"mustBe": 0}),
            "no duplicate values over a, b",
        ),
        (QualityRule(type="sql", query="SELECT 1", operators={"mustBe": 0}), "SQL result exactly 0: SELECT 1"),
        (
            QualityRule(type="custom", engine="floe", implementation={"volume": {"minRowsPerDay": 5}}),
            "at least 5 rows a day",
        ),
        (QualityRule(type="custom", engine="soda", implementation="x", severity="error"), "checked by soda (error)"),
        (QualityRule(type="custom", engine="floe", implementation={"pointInTime": {"rule": "a <= b"}}), "a <= b"),
    ],
)
def test_rules_are_phrases(rule, words):
    assert rule_words(rule) == words
