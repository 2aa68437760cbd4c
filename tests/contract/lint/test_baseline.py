from dataclasses import replace

import pytest

from floe.contract.lint.baseline import known, read, write
from floe.model import Finding, Place, SettingError, Severity

_ONE = Finding(
    "E508", "x", Severity.ERROR, "No value of 'a'", place=Place("a.yaml", 9, 1), path=("schema", 0, "properties", 3)
)


def _same(file):
    return file


def _known(found, written):
    return [finding.known for finding in known(found, read(write(written, _same), "b.json"), _same)]


def test_a_finding_is_known_on_another_line_and_at_another_index():
    moved = replace(_ONE, place=Place("a.yaml", 90, 7), path=("schema", 0, "properties", 4))
    assert _known([moved], [_ONE]) == [True]


def test_another_file_message_code_or_path_is_new():
    others = [
        replace(_ONE, place=Place("b.yaml", 9, 1)),
        replace(_ONE, message="No value of 'b'"),
        replace(_ONE, code="E507"),
        replace(_ONE, path=("servers", 0)),
    ]
    assert _known(others, [_ONE]) == [False] * 4


def test_a_second_finding_like_a_known_one_is_new():
    assert _known([_ONE, _ONE], [_ONE]) == [True, False]


def test_what_a_comment_ignores_is_not_written():
    assert _known([_ONE], [replace(_ONE, ignored="why")]) == [False]


def test_a_baseline_does_not_hold_the_words_of_a_message():
    assert "No value" not in write([_ONE], _same)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "not json", '{"floe_baseline": 1}', '{"floe_baseline": 2, "findings": []}']
)
def test_what_is_no_baseline_is_refused(text):
    with pytest.raises(SettingError, match=r"b\.json is"):
        read(text, "b.json")
