from floe.contract.lint.ignore import ignored
from floe.model import Finding, Place, Severity

_FOUND = Finding("E508", "bounds-contradict", Severity.ERROR, "No value", place=Place("a.yaml", 2, 3))


def _said(text):
    return [(f.name, f.ignored, str(f.place)) for f in ignored([_FOUND], text, "a.yaml")]


def test_a_comment_on_the_line_ignores_with_its_reason():
    text = "a: 1\nb: 2  # floe: ignore E508 bounds-contradict -- read by nobody\n"
    assert _said(text) == [("bounds-contradict", "read by nobody", "a.yaml:2:3")]


def test_a_comment_on_a_line_of_its_own_is_about_the_next_line_with_content():
    text = "# floe: ignore E508 -- one\nb: 2\n"
    assert _said(text) == [("bounds-contradict", "one", "a.yaml:2:3")]
    found = Finding("E508", "bounds-contradict", Severity.ERROR, "No value", place=Place("a.yaml", 4, 1))
    text = "# floe: ignore bounds-contradict -- two\n# and more\n\nb: 2\n"
    assert [f.ignored for f in ignored([found], text, "a.yaml")] == ["two"]


def test_codes_are_read_in_every_spelling():
    assert _said("a: 1\nb: 2 # floe: ignore FLOE-E508 -- x")[0][1] == "x"
    assert _said("a: 1\nb: 2 # floe:ignore e508, E999 -- x")[0][1] == "x"


def test_without_a_reason_the_comment_is_itself_a_finding_and_ignores_nothing():
    assert _said("a: 1\nb: 2 # floe: ignore E508\n") == [
        ("bounds-contradict", "", "a.yaml:2:3"),
        ("ignore-without-reason", "", "a.yaml:2:6"),
    ]


def test_a_comment_that_does_not_say_what_it_ignores_ignores_nothing():
    assert [name for name, _, _ in _said("a: 1\nb: 2 # floe: ignore -- all of it\n")] == [
        "bounds-contradict",
        "ignore-without-reason",
    ]


def test_a_comment_that_ignores_nothing_is_said():
    found = ignored([_FOUND], "a: 1\nb: 2 # floe: ignore E508 type-open -- x\n", "a.yaml")
    assert [(f.name, str(f.severity)) for f in found] == [("bounds-contradict", "error"), ("ignore-unused", "info")]


def test_code_and_name_must_both_fit():
    assert _said("a: 1\nb: 2 # floe: ignore E507 bounds-contradict -- x\n")[0][1] == ""
