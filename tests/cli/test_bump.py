import json
from pathlib import Path

import pytest

from floe.cli import main
from tests.helpers.repositories import commit, contract, git, write

REMOVED = "order_id:string!"
ADDED = ("order_id:string!", "legacy_status:string", "note:string")


@pytest.fixture(autouse=True)
def _stand_in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("written", "columns", "version"),
    [
        ("1.2.3", (REMOVED,), "2.0.0"),
        ("1.2.3", ADDED, "1.3.0"),
        ("1.2.4", ADDED, "1.3.0"),
        ("1.3.0", (REMOVED,), "2.0.0"),
        ("1.0.0", ADDED, "1.3.0"),
        ("1.0.0", (), "1.2.3"),
    ],
)
def test_the_file_gets_the_version_its_changes_ask_for_and_nothing_else_changes(written, columns, version):
    write("old.yaml", contract("1.2.3"))
    write("orders.yaml", contract(written, *columns))
    assert main(["bump", "orders.yaml", "--against", "old.yaml"]) == 0
    assert Path("orders.yaml").read_text() == contract(version, *columns)
    assert main(["diff", "old.yaml", "orders.yaml", "--fail-on", "error"]) == 0


@pytest.mark.parametrize(("written", "columns"), [("1.2.3", ()), ("2.0.0", (REMOVED,)), ("3.1.0", ADDED)])
def test_enough_is_left_alone(capsys, written, columns):
    write("old.yaml", contract("1.2.3"))
    write("orders.yaml", contract(written, *columns))
    assert main(["bump", "orders.yaml", "--against", "old.yaml"]) == 0
    assert Path("orders.yaml").read_text() == contract(written, *columns)
    assert f"orders.yaml: version {written} kept (" in capsys.readouterr().out


def test_it_says_from_to_and_why(capsys):
    write("orders.yaml", contract())
    commit()
    write("orders.yaml", contract("1.0.0", REMOVED))
    assert main(["bump", "orders.yaml"]) == 0
    assert capsys.readouterr().out == (
        "✓ orders.yaml: 1.0.0 → 2.0.0 (MAJOR since 1.0.0, for field-removed orders.legacy_status)\n"
    )
    assert main(["bump", "orders.yaml", "--format", "json"]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert (shape["from"], shape["to"], shape["changed"], shape["bump"]) == ("2.0.0", "2.0.0", False, "MAJOR")


def test_since_a_revision():
    write("orders.yaml", contract())
    commit("one")
    write("orders.yaml", contract("1.0.0", *ADDED))
    commit()
    assert main(["bump", "orders.yaml"]) == 0
    assert Path("orders.yaml").read_text() == contract("1.0.0", *ADDED)
    assert main(["bump", "orders.yaml", "--since", "one"]) == 0
    assert Path("orders.yaml").read_text() == contract("1.1.0", *ADDED)


@pytest.mark.parametrize(
    "spelled", ["version: '{}'", 'version: "{}" # a comment', "version:   {}   # b", "version: &v {}", "version:\n  {}"]
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_quoting_comments_and_line_ends_stay(spelled, line_end):
    def spell(version, *columns):
        text = contract(version, *columns).replace(
            f"version: {version}  # raised by floe bump", spelled.format(version)
        )
        return ("# ü 1.0.0\n" + text).replace("\n", line_end).encode("utf-8-sig")

    write("old.yaml", contract())
    Path("orders.yaml").write_bytes(spell("1.0.0", *ADDED))
    assert main(["bump", "orders.yaml", "--against", "old.yaml"]) == 0
    assert Path("orders.yaml").read_bytes() == spell("1.1.0", *ADDED)


def test_utf_16_and_permissions_stay():
    write("old.yaml", contract())
    file = Path("orders.yaml")
    file.write_bytes(contract("1.0.0", *ADDED).encode("utf-16"))
    file.chmod(0o640)
    assert main(["bump", "orders.yaml", "--against", "old.yaml"]) == 0
    assert file.read_bytes().decode("utf-16") == contract("1.1.0", *ADDED)
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in Path().iterdir() if path.name.startswith(".orders")] == []


def test_a_link_stays_a_link():
    write("old.yaml", contract())
    write("real/orders.yaml", contract("1.0.0", *ADDED))
    Path("orders.yaml").symlink_to("real/orders.yaml")
    assert main(["bump", "orders.yaml", "--against", "old.yaml"]) == 0
    assert Path("orders.yaml").is_symlink()
    assert Path("real/orders.yaml").read_text() == contract("1.1.0", *ADDED)


def test_a_new_contract_and_an_empty_repository_have_nothing_to_compare_with(capsys):
    write("orders.yaml", contract())
    git("init", "--quiet")
    assert main(["bump", "orders.yaml"]) == 0
    Path("orders.yaml").rename("later.yaml")
    write("other.yaml", contract(name="other"))
    git("add", "other.yaml")
    git("commit", "--quiet", "--message", "one")
    assert main(["bump", "later.yaml"]) == 0
    said = "version 1.0.0 kept (a new contract: it is not in HEAD)"
    assert capsys.readouterr().out == f"✓ orders.yaml: {said}\n✓ later.yaml: {said}\n"


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (["orders.yaml"], "is not in a git repository", 2),
        (["orders.yaml", "--against", "old.yaml", "--since", "HEAD"], "cannot be combined", 2),
        (["orders.yaml", "--against", "nowhere.yaml"], "FLOE-E500: nowhere.yaml does not exist", 2),
        (["nowhere.yaml", "--against", "old.yaml"], "FLOE-E500: nowhere.yaml does not exist", 2),
        (["."], ". is a folder; floe bump changes one contract", 2),
        (["orders.yaml", "--against", "."], ". is a folder; floe bump compares with one contract", 2),
        (["other.yaml", "--against", "old.yaml"], "FLOE-E524", 1),
        (["beta.yaml", "--against", "old.yaml"], "FLOE-E521", 1),
        (["conflict.yaml", "--against", "old.yaml"], "FLOE-E509", 1),
        (["alias.yaml", "--against", "old.yaml"], "was not found at this place", 2),
    ],
)
def test_what_cannot_be_bumped_is_said_and_nothing_written(capsys, words, said, code):
    write("old.yaml", contract())
    write("orders.yaml", contract("1.0.0", *ADDED))
    write("other.yaml", contract("1.0.0", *ADDED, name="other"))
    write("beta.yaml", contract("1.0.0-beta", *ADDED))
    write("conflict.yaml", "<<<<<<< HEAD\n" + contract() + "=======\n")
    aliased = (
        contract("1.0.0", *ADDED).replace("kind:", "tags: [&v 1.0.0]\nkind:").replace("version: 1.0.0", "version: *v")
    )
    write("alias.yaml", aliased)
    before = {path: path.read_bytes() for path in Path().glob("*.yaml")}
    assert main(["bump", *words]) == code
    assert said in capsys.readouterr().err
    assert {path: path.read_bytes() for path in Path().glob("*.yaml")} == before
