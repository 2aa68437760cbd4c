"""Promises in words."""

from decimal import Decimal

import pytest

from floe.actions.convert import convert
from floe.contract.formats.pages.sentences import rule_words, sla_words
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


def test_a_page_names_who_answers_now_and_leaves_numbers_alone():
    text = (
        "apiVersion: v3.0.2\nkind: DataContract\nid: x\nname: x\nversion: 1.0.0\nstatus: active\n"
        "team:\n  - {username: gone, role: Owner, dateOut: '2022-10-01'}\n  - {username: here, role: Owner}\n"
        "price: {priceAmount: 9.95, priceCurrency: EUR, priceUnit: megabyte}\n"
        "description: {purpose: '1. not a list'}\n"
        "slaProperties:\n  - {property: frequency, value: 1, valueExt: 1, unit: d}\n"
    )
    page = convert(text, "markdown").text
    assert "- **Owner:** here\n" in page
    assert "\n9.95 EUR per megabyte\n" in page
    assert "\n1\\. not a list\n" in page
    assert "| Updated every 1 day |" in page
