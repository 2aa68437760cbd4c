import re

import pytest

from floe.lang.regex.cost import backtracking_risk
from floe.lang.regex.pattern import parse_pattern


@pytest.mark.parametrize(
    "text",
    [
        r"^(a+)+\1?b$",  # these three exceed 2 s in Java 17 on 24 characters
        r"^(.*?,){14}P",
        r"^(a*a*a*a*a*a*a*a*)*b$",
        r"(\w+\s?)*$",
        r"(a|a)*b",
        r"(a|aa)+$",
        r"(x+x+)+y",
        r"^(([a-z])+.)+[A-Z]([a-z])+$",
        r"([a-z]{1,30}){1,30}",
        r"(a?){30}a{30}",
        r"^([a-zA-Z0-9]+[_-]?)*$",
        r"a*a*a*",
        r"^(?=(a+)+$)b",
        r"(?<x>a)\k<x>",
        "a*" * 2000,
    ],
)
def test_a_pattern_that_can_hang(text):
    slow = backtracking_risk(parse_pattern(text))
    assert slow
    assert slow[1]


@pytest.mark.parametrize("text", [r"\s*.*$", r"^\w+\d*$", "a*a*"])
def test_a_pattern_that_is_slow_on_long_values_only(text):
    slow = backtracking_risk(parse_pattern(text))
    assert slow
    assert not slow[1]


@pytest.mark.parametrize(
    "text",
    [
        r"^[A-Z]{3}$",
        r"ACC[0-9]{8}",
        r"^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$",
        r"^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$",
        r"^.+@.+\..+$",
        r"(\d+,)*\d+",
        r"(abc|abd)*",
        r"^(?=.*[A-Z])(?=.*\d).{8,}$",
        r"^\d{1,3}(\.\d{1,3}){3}$",
        r"^(https?|ftp)://[^\s/$.?#].[^\s]*$",
        r"^\+?[1-9]\d{1,14}$",
        r"^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$",
        r"^(\w+)(,\s*\w+)*$",
        r"\p{L}+",
    ],
)
def test_a_pattern_in_use_is_left_alone(text):
    assert backtracking_risk(parse_pattern(text)) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[a-z", "'[' at character 1 is not closed"),
        ("(a", "the group at character 1 is not closed"),
        ("a)", "')' at character 2 closes no group"),
        ("*a", "'*' at character 1 repeats nothing"),
        ("a**", "'*' at character 3 repeats a repetition"),
        ("a++", "'+' at character 3 repeats a repetition"),
        ("a{3,2}", "'{3,2}' at character 2 has its numbers out of order"),
        ("[z-a]", "the range that ends at character 4 is out of order"),
        ("(?P<x>a)", "'(?P<' at character 1 is not a group of ECMA-262"),
        ("(?>a)", "'(?>a' at character 1 is not a group of ECMA-262"),
        (r"\Aa", r"'\A' at character 1 means the letter A in ECMA-262"),
        ("[[:alpha:]]", "'[[:' at character 1 begins a POSIX class, which ECMA-262 does not have"),
        ("a\\", "it ends with a backslash"),
        ("(" * 51 + ")" * 51, "groups are nested deeper than 50 levels"),
        ("a" * 5000, "it has 5,000 characters, at most 4,096 are allowed"),
    ],
)
def test_what_is_no_pattern(text, reason):
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        parse_pattern(text)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^ABC$", "ABC", True),
        ("^ABC$", "ABC\n", False),  # $ is the end of the text, not before a last line end
        ("B", "ABC", True),  # searched, not anchored
        ("^[^]$", "\n", True),
        ("[]", "a", False),
        (r"^\d$", "٣", False),  # digits of ECMA-262 are ASCII
        (r"^\w$", "é", False),
        (r"^\u0041\x42\/$", "AB/", True),
        ("^[[a]$", "[", True),
        ("^(?<year>[0-9]{4})$", "2026", True),
        ("^a{,3}$", "a{,3}", True),
        (r"^[\d-z]$", "-", True),
    ],
)
def test_a_pattern_means_what_ecma_262_says(pattern, text, found):
    assert parse_pattern(pattern).finds(text) is found


@pytest.mark.parametrize("pattern", [r"\p{L}", r"(?<!a+)b", r"(a)\1"])
def test_what_python_cannot_say_is_not_guessed(pattern):
    assert parse_pattern(pattern).finds("a") is None
