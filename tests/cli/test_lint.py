import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from floe.cli import main
from floe.cli.lint import _Progress

_GOOD = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:acme:orders
name: orders
version: 1.0.0
status: active
domain: sales
dataProduct: shop
"""
_WARNS = _GOOD.replace("status: active", "status: actve")
_BAD = _GOOD.replace("1.0.0", "1.0.0-beta")


@pytest.fixture(autouse=True)
def _stand_in_a_folder_with_contracts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"good": _GOOD, "warns": _WARNS, "bad": _BAD}.items():
        Path(f"{name}.yaml").write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("file", "fail_on", "code"),
    [
        ("good", "info", 0),
        ("warns", "error", 0),
        ("warns", "warning", 1),
        ("bad", "error", 1),
        ("bad", "critical", 0),
        ("nowhere", "error", 1),
    ],
)
def test_the_exit_code_follows_fail_on(file, fail_on, code):
    assert main(["lint", f"{file}.yaml", "--fail-on", fail_on]) == code


def test_text_names_place_value_and_advice(capsys):
    assert main(["lint", "bad.yaml"]) == 1
    assert capsys.readouterr().out == (
        "✗ FLOE-E521: Version '1.0.0-beta' does not have the form X.Y.Z\n"
        "    A version is three numbers, e.g. 1.0.0           bad.yaml:5:10\n"
        "    Suggestion: Write the version as MAJOR.MINOR.PATCH\n"
        "✗ 1 file: 1 error\n"
    )


def test_json(capsys):
    main(["lint", "bad.yaml", "--format", "json"])
    shape = json.loads(capsys.readouterr().out)
    assert [finding["code"] for finding in shape["findings"]] == ["FLOE-E521"]
    assert shape["summary"]["error"] == 1


def test_sarif_carries_the_documentation_of_the_rules(capsys):
    assert main(["lint", "bad.yaml", "--format", "sarif"]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["FLOE-E521"]
    assert "the three numbers show consumers what a change means" in run["tool"]["driver"]["rules"][0]["help"]["text"]


def test_junit_has_a_suite_for_each_file(capsys):
    assert main(["lint", "bad.yaml", "good.yaml", "--format", "junit"]) == 1
    root = ElementTree.fromstring(capsys.readouterr().out.encode("utf-8"))
    assert {suite.get("name"): suite.get("failures") for suite in root} == {"bad.yaml": "1", "good.yaml": "0"}


def test_github_and_markdown(capsys):
    main(["lint", "bad.yaml", "--format", "github"])
    assert capsys.readouterr().out.startswith(
        "::error file=bad.yaml,line=5,col=10,title=FLOE-E521 version-not-semver::"
    )
    main(["lint", "bad.yaml", "--format", "markdown"])
    assert "| error | FLOE-E521 version-not-semver |" in capsys.readouterr().out


def test_a_baseline_is_written_and_holds(capsys):
    assert main(["lint", "bad.yaml", "--write-baseline", "known.json"]) == 0
    assert main(["lint", "bad.yaml", "--baseline", "known.json"]) == 0
    assert capsys.readouterr().out == "✓ 1 file: no error, no warning, 1 known\n"


@pytest.mark.parametrize(
    "words",
    [
        ["lint"],
        ["lint", "good.yaml", "--format", "word"],
        ["lint", "good.yaml", "--fail-on", "never"],
        ["lint", "good.yaml", "--strict"],
    ],
)
def test_wrong_usage_is_said_and_exits_2(words, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert "usage: floe" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lint", "good.yaml", "--baseline", "nowhere.json"], "Baseline nowhere.json cannot be read"),
        (["lint", "good.yaml", "--baseline", "good.yaml"], "good.yaml is not a floe baseline"),
        (["lint", "good.yaml", "--write-baseline", "no/such/folder.json"], "no/such/folder.json cannot be written"),
    ],
)
def test_a_baseline_that_cannot_be_used_exits_2(words, said, capsys):
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_a_person_who_waits_is_told_where_we_are_and_a_program_is_not(capsys):
    progress = _Progress()
    progress.seen, progress.last = True, progress.last - 3
    progress(7, "a.yaml")
    progress(8, "b.yaml")
    assert capsys.readouterr().err == "… file 7: a.yaml\n"
    quiet = _Progress()
    quiet.last -= 3
    quiet(7, "a.yaml")
    assert capsys.readouterr().err == ""


def test_a_terminal_that_knows_ascii_only_is_no_fault():
    import subprocess
    import sys

    source = Path(__file__).parents[2] / "src"
    done = subprocess.run(
        [sys.executable, "-m", "floe", "lint", "bad.yaml"],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(source), "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("\\u2717 FLOE-E521")


def test_what_is_only_for_information_is_said_once_for_many_files(capsys):
    for path in Path().glob("*.yaml"):
        path.unlink()
    for i in range(7):
        text = _GOOD.replace("orders", f"orders{i}").replace("dataProduct: shop\n", "")
        Path(f"c{i}.yaml").write_text(text, "utf-8")
    assert main(["lint", "."]) == 0
    assert capsys.readouterr().out == (
        "· FLOE-E501: The identity of the contract is 'sales.default/orders0:1.0.0'\n"
        "    It has no dataProduct; 6 more files have the same finding c0.yaml:1:1\n"
        "    Suggestion: Add dataProduct here or in floe.yaml\n"
        "✓ 7 files: no error, no warning, 7 info\n"
    )
    assert main(["lint", "c0.yaml", "c1.yaml"]) == 0
    assert capsys.readouterr().out.count("The identity of the contract is") == 2
    assert main(["lint", ".", "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["findings"]) == 7
