"""Durations and percentages by one parser."""

import re
from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from floe.lang.quantity import LENGTHS, Quantity, parse_quantity


@pytest.mark.parametrize(
    ("value", "unit", "amount", "read_unit", "seconds"),
    [
        ("PT6H", None, "6", "h", 21_600),
        ("P1D", None, "1", "d", 86_400),
        ("P2W", None, "2", "w", 1_209_600),
        ("PT1H30M", None, "90", "min", 5_400),
        ("P1DT12H", None, "36", "h", 129_600),
        ("PT0.5S", None, "0.5", "s", Decimal("0.5")),
        ("P1Y6M", None, "18", "mo", 47_304_000),
        ("4h", None, "4", "h", 14_400),
        ("15m", None, "15", "min", 900),
        ("30s", None, "30", "s", 30),
        ("1d", None, "1", "d", 86_400),
        ("1h 30m", None, "90", "min", 5_400),
        ("250ms", None, "250", "ms", Decimal("0.25")),
        (6, "h", "6", "h", 21_600),
        (6, "hours", "6", "h", 21_600),
        ("6", "hr", "6", "h", 21_600),
        (2, "days", "2", "d", 172_800),
        (3, "min", "3", "min", 180),
        (3, "minutes", "3", "min", 180),
        (1, "y", "1", "y", 31_536_000),
        (1, "yr", "1", "y", 31_536_000),
        (2, "w", "2", "w", 1_209_600),
        (1, "mo", "1", "mo", 2_628_000),
        ("4h", "h", "4", "h", 14_400),
        (Decimal("1.5"), "Days", "1.5", "d", 129_600),
        ("0s", None, "0", "s", 0),
    ],
)
def test_durations_are_read_exactly(value, unit, amount, read_unit, seconds):
    quantity = parse_quantity(value, unit)
    assert (quantity.amount, quantity.unit, quantity.seconds) == (Decimal(amount), read_unit, seconds)
    assert quantity.percent is None
    assert quantity.rest == ""


@pytest.mark.parametrize(
    ("value", "unit"), [("99.9%", None), ("99.9 %", None), (Decimal("99.9"), "percent"), ("99.9", "%"), (99.9, "pct")]
)
def test_percentages_are_read_exactly(value, unit):
    assert parse_quantity(value, unit) == Quantity(Decimal("99.9"), "percent")
    assert parse_quantity(value, unit).percent == Decimal("99.9")
    assert parse_quantity(value, unit).seconds is None


@pytest.mark.parametrize(
    ("text", "amount", "unit", "rest"),
    [
        ("7 years after the last order", "7", "y", "after the last order"),
        ("7 years per compliance", "7", "y", "per compliance"),
        ("30 days, then archived", "30", "d", ", then archived"),
        ("99.5% of working hours", "99.5", "percent", "of working hours"),
    ],
)
def test_words_after_a_quantity_are_kept(text, amount, unit, rest):
    assert parse_quantity(text) == Quantity(Decimal(amount), unit, rest)


@pytest.mark.parametrize(
    "spellings",
    [
        ("PT6H", "6h", (6, "h"), (6, "hours"), "360 min", "21600s"),
        ("1d", "24h", "P1D", (1, "day")),
        ("12 months", "1y", "P1Y"),
        ("99.9%", (Decimal("99.90"), "percent")),
    ],
)
def test_spellings_of_one_quantity_have_one_canonical_form(spellings):
    read = {parse_quantity(*(s if isinstance(s, tuple) else (s,))).canonical for s in spellings}
    assert len(read) == 1


def test_a_calendar_year_is_not_the_same_promise_as_365_days():
    assert parse_quantity("1y").canonical != parse_quantity("365d").canonical
    assert parse_quantity("1y").seconds == parse_quantity("365d").seconds


def test_a_number_without_a_unit_is_neither_duration_nor_percentage():
    assert parse_quantity(5) == Quantity(Decimal(5), "")
    assert parse_quantity("5").seconds is None
    assert parse_quantity(5).percent is None


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        ("soon", None, "'soon' is not a duration"),
        ("", None, "'' is not a duration"),
        ("P", None, "'P' is not a duration"),
        ("PT", None, "'PT' is not a duration"),
        ("P1H", None, "'P1H' is not a duration"),
        ("-4h", None, "'-4h' is not a duration"),
        ("4 parsecs", None, "unit 'parsecs' is not one of"),
        ("1M", None, "minutes or months"),
        (4, "parsecs", "unit 'parsecs' is not one of"),
        ("4h", "d", "has the unit h, but the unit given is d"),
        ("4h5", None, "is unexpected"),
        ("4h%", None, "is unexpected"),
        ("99.9% 5h", None, "not a single duration"),
        ("1h 2h", None, "not a single duration"),
        (-4, "h", "from zero upwards"),
        (float("nan"), "h", "can be measured"),
        (float("inf"), "h", "can be measured"),
        (Decimal("1e999999"), "h", "can be measured"),
        (True, "h", "neither a number nor a text"),
        (None, None, "neither a number nor a text"),
        ([4], "h", "neither a number nor a text"),
        (4, 5, "unit '5' is not a text"),
    ],
)
def test_what_cannot_be_read_is_said(value, unit, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        parse_quantity(value, unit)


@given(st.integers(0, 10**9), st.sampled_from(sorted(LENGTHS)))
def test_the_canonical_form_reads_back_as_the_same_length(amount, unit):
    quantity = parse_quantity(amount, unit)
    again = parse_quantity(quantity.canonical)
    assert (again.canonical, again.seconds) == (quantity.canonical, quantity.seconds)


@given(st.text(max_size=30), st.none() | st.text(max_size=8))
def test_any_text_is_read_or_refused(text, unit):
    with suppress(ValueError):
        assert isinstance(parse_quantity(text, unit), Quantity)
