import ast
import json
import re
from pathlib import Path

import pytest

from floe.actions.explain import DOCUMENTED, explain
from floe.cli import main
from floe.contract.compat import CHANGES
from floe.model.codes import BY_CODE, CODES, RANGES, READING

_CODES_PAGE = Path(__file__).parents[2] / "docs" / "codes.md"


@pytest.mark.parametrize("word", ["E511", "FLOE-E511", "e511", "floe-e511", "511"])
def test_a_code_in_every_spelling(word):
    assert explain(word).code.meaning == "classification weakening"


def test_a_name_says_what_why_and_what_to_do(capsys):
    assert main(["explain", "bounds-contradict"]) == 0
    assert capsys.readouterr().out == (
        "FLOE-E508: contradiction inside the contract (error)\n\n"
        "bounds-contradict (error)\n"
        "  A lower bound is above its upper bound, so no value is valid.\n"
        "  Why: every row breaks the contract, although the data may be correct.\n"
        "  Fix: swap the two bounds, or correct the wrong one.\n"
    )


def test_a_code_lists_every_name_under_it():
    names = [rule.name for rule in explain("E507").rules]
    assert {"secret", "sql-unsafe", "pattern-can-hang", "name-unsafe", "reference-unsafe"} <= set(names)


def test_a_name_of_reading(capsys):
    assert main(["explain", "duplicate-key"]) == 0
    assert "FLOE-E509" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("word", "near"), [("E599", "E509"), ("bound-contradict", "bounds-contradict"), ("enforcment", "enforcement")]
)
def test_an_unknown_word_exits_2_with_what_may_be_meant(word, near, capsys):
    assert main(["explain", word]) == 2
    said = capsys.readouterr().err
    assert f"Unknown code or name '{word}'" in said
    assert near in said


def test_enforcement_is_the_matrix_of_the_gate(capsys):
    assert main(["explain", "enforcement"]) == 0
    lines = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    cells = {line[0]: [cell.strip() for cell in line[1:] if cell.strip()] for line in lines}
    assert cells["data rule error"] == ["write, record", "write, log", "write, alert", "refuse"]
    assert cells["alert_only"] == ["critical findings fail", "OpenLineage FAIL, metrics, alerts; processing goes on"]


def test_json(capsys):
    assert main(["explain", "E521", "--format", "json"]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert (shape["code"], shape["severity"]) == ("FLOE-E521", "error")
    assert [name["name"] for name in shape["names"]] == ["version-not-semver", "version-not-comparable"]
    main(["explain", "all", "--format", "json"])
    assert len(json.loads(capsys.readouterr().out)["codes"]) == len(CODES)


def test_the_page_of_codes_is_as_generated(capsys):
    main(["explain", "all", "--format", "markdown"])
    assert _CODES_PAGE.read_text("utf-8") == capsys.readouterr().out


def test_the_page_of_changes_is_as_generated_and_whole(capsys):
    main(["explain", "changes", "--format", "markdown"])
    page = capsys.readouterr().out
    assert _CODES_PAGE.with_name("changes.md").read_text("utf-8") == page
    assert all(page.count(f"**`{kind.name}`**") == 1 for kind in CHANGES)


def test_a_kind_of_change_can_be_explained(capsys):
    assert main(["explain", "field-removed"]) == 0
    assert "field-removed (C1, MAJOR, reader break, writer ok)" in capsys.readouterr().out
    main(["explain", "field-removed", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["bump"] == "MAJOR"
    main(["explain", "changes", "--format", "json"])
    assert len(json.loads(capsys.readouterr().out)["changes"]) == len(CHANGES)


def test_no_name_means_two_things():
    assert not {kind.name for kind in CHANGES} & {*READING, *(rule.name for rule in DOCUMENTED)}


def test_the_table_of_codes_is_whole():
    assert len(BY_CODE) == len(CODES) == 56
    assert all(code.code[:3] in RANGES for code in CODES)
    assert all(rule.code in BY_CODE for rule in DOCUMENTED)
    assert all(code in BY_CODE for code, _ in READING.values())
    assert not {rule.name for rule in DOCUMENTED} & set(READING)


def test_critical_codes_are_those_of_the_specification():
    critical = {code.code for code in CODES if str(code.severity) == "critical"}
    assert critical == {"E500", "E501", "E502", "E503", "E509", "E511", "E512", "E520", "E530", "E531", "E558"}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("null-value", "E550"),
        ("key-duplicated", "E551"),
        ("value-not-listed", "E552"),
        ("below-minimum", "E554"),
        ("missing-column", "E531"),
    ],
)
def test_what_a_gate_says_can_be_explained(name, code):
    assert explain(name).code.code == code


def test_enforcement_as_markdown(capsys):
    assert main(["explain", "enforcement", "--format", "markdown"]) == 0
    said = capsys.readouterr().out
    assert "| at a Silver or Gold gate | off | warn | alert_only | block |\n|---|---|---|---|---|\n" in said
    assert "| data rule error | write, record | write, log | write, alert | refuse |" in said


def test_everything_that_reading_can_say_is_explained():
    names = set()
    folder = Path(__file__).parents[2] / "src" / "floe"
    sources = [*(folder / "contract").rglob("*.py"), folder / "actions" / "lint.py"]
    for path in sources:
        for call in (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)):
            words = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            if any(re.fullmatch("E5[0-9]{2}", word) for word in words[:1]) or getattr(call.func, "id", "") == "_error":
                names |= {word for word in words[:2] if re.fullmatch("[a-z]+(-[a-z]+)+", word)}
    assert names - {rule.name for rule in DOCUMENTED} - set(READING) == set()
