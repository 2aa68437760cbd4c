import json
from pathlib import Path

import pytest

import floe
from floe.cli import main
from tests.helpers.repositories import commit, contract, git, write

REMOVED = "order_id:string!"
ADDED = ("order_id:string!", "legacy_status:string", "note:string")


@pytest.fixture(autouse=True)
def _stand_in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def answer(capsys, *words):
    code = main(["diff", *words, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def codes(result):
    return [finding["code"].removeprefix("FLOE-") for finding in result["findings"]]


@pytest.mark.parametrize(
    ("version", "columns", "bump", "declared", "found", "exit_code"),
    [
        ("1.1.0", (REMOVED,), "MAJOR", "MINOR", ["E520"], 1),
        ("1.0.1", (REMOVED,), "MAJOR", "PATCH", ["E520"], 1),
        ("1.0.0", (REMOVED,), "MAJOR", "NONE", ["E520", "E523"], 1),
        ("2.0.0", (REMOVED,), "MAJOR", "MAJOR", ["E528"], 0),
        ("1.0.1", ADDED, "MINOR", "PATCH", ["E522"], 1),
        ("1.0.0", ADDED, "MINOR", "NONE", ["E523"], 1),
        ("1.1.0", ADDED, "MINOR", "MINOR", [], 0),
        ("2.0.0", ADDED, "MINOR", "MAJOR", [], 0),
        ("0.9.0", ADDED, "MINOR", "NONE", ["E527"], 1),
        ("1.0.0", (), "NONE", "NONE", [], 0),
        ("1.0.0-beta", (), "NONE", "NONE", ["E521"], 1),
    ],
)
def test_the_version_must_say_what_the_changes_ask_for(capsys, version, columns, bump, declared, found, exit_code):
    write("old.yaml", contract())
    write("new.yaml", contract(version, *columns))
    code, shape = answer(capsys, "old.yaml", "new.yaml")
    (result,) = shape["results"]
    assert (result["bump"], result["declared"], codes(result), code) == (bump, declared, found, exit_code)
    assert (result["from"], result["to"]) == ("1.0.0", version)


def test_zero_major_is_no_exemption(capsys):
    write("old.yaml", contract("0.1.0"))
    write("new.yaml", contract("0.2.0", REMOVED))
    code, shape = answer(capsys, "old.yaml", "new.yaml")
    assert (code, codes(shape["results"][0])) == (1, ["E520"])


def test_too_large_a_bump_is_a_note(capsys):
    write("old.yaml", contract())
    write("new.yaml", contract("2.0.0", *ADDED))
    _, shape = answer(capsys, "old.yaml", "new.yaml")
    assert shape["results"][0]["notes"] == ["1.0.0 → 2.0.0 is MAJOR, MINOR would be sufficient"]


def test_another_spelling_under_the_same_version_is_another_content(capsys):
    write("old.yaml", contract())
    write("new.yaml", contract().replace("v3.1.0", "v3.0.2"))
    code, shape = answer(capsys, "old.yaml", "new.yaml")
    assert (code, codes(shape["results"][0])) == (1, ["E523"])


@pytest.mark.parametrize("part", ["id: urn:acme:orders", "domain: sales", "dataProduct: shop", "\nname: orders"])
def test_another_identity_is_another_contract(capsys, part):
    write("old.yaml", contract())
    write("new.yaml", contract("1.0.1").replace(part, f"{part}_two", 1))
    code, shape = answer(capsys, "old.yaml", "new.yaml")
    (finding,) = [one for one in shape["results"][0]["findings"] if one["code"] == "FLOE-E524"]
    assert code == 1
    assert finding["suggestion"].startswith("Keep '")


def test_the_text_says_the_verdict_first_and_has_the_look_of_a_finding(capsys):
    write("old.yaml", contract())
    write("new.yaml", contract("1.1.0", REMOVED))
    assert main(["diff", "old.yaml", "new.yaml"]) == 1
    assert capsys.readouterr().out == (
        "✗ sales.shop/orders 1.0.0 → 1.1.0: MAJOR, 1 change\n"
        "  rollout coordinated, consumers: must migrate\n"
        "bump   row  change         where                 old     new  reader  writer\n"
        "MAJOR  C1   field-removed  orders.legacy_status  string  –    break   ok\n"
        "✗ FLOE-E520: Breaking changes of 'sales.shop/orders' without a MAJOR version\n"
        "    1.0.0 → 1.1.0 is MINOR, MAJOR is required by field-removed orders.legacy_status new.yaml:5:10\n"
        "    Suggestion: Write version 2.0.0 (floe bump), or revert the changes\n"
    )


def test_the_table_fits_a_hundred_columns(capsys):
    long = "a" * 90
    write("old.yaml", contract("1.0.0", "order_id:string!"))
    write("new.yaml", contract("1.1.0", "order_id:string!", f"{long}:struct<{long}:int,b:string>"))
    assert main(["diff", "old.yaml", "new.yaml"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert "aaaa" in lines[3]


def test_fail_on(capsys):
    write("old.yaml", contract())
    write("new.yaml", contract("2.0.0", REMOVED))
    assert main(["diff", "old.yaml", "new.yaml", "--fail-on", "warning"]) == 1
    write("new.yaml", contract("1.0.1", *ADDED))
    assert main(["diff", "old.yaml", "new.yaml", "--fail-on", "critical"]) == 0


def test_sarif_github_and_markdown(capsys):
    write("old.yaml", contract())
    write("new.yaml", contract("1.1.0", REMOVED))
    assert main(["diff", "old.yaml", "new.yaml", "--format", "sarif"]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["FLOE-E520"]
    assert "consumers pin a MAJOR" in run["tool"]["driver"]["rules"][0]["help"]["text"]
    main(["diff", "old.yaml", "new.yaml", "--format", "github"])
    assert capsys.readouterr().out.startswith(
        "::error file=new.yaml,line=5,col=10,title=FLOE-E520 major-bump-missing::"
    )
    main(["diff", "old.yaml", "new.yaml", "--format", "markdown"])
    out = capsys.readouterr().out
    assert out.startswith("### ✗ sales.shop/orders 1.0.0 → 1.1.0\n\n**MAJOR**, 1 change")
    assert "| MAJOR | field-removed (C1) | orders.legacy\\_status | string | – | break | ok |" in out


def test_explain_knows_every_code_of_versions(capsys):
    for code in ("E520", "E522", "E523", "E524", "E527", "E528"):
        assert main(["explain", code]) == 0
        said = capsys.readouterr().out
        assert "Why:" in said, code
        assert "Fix:" in said, code


CHANGES = """\
breaking_changes:
  - {type: field_removed, field: legacy_status, migration: Use order_status instead, deadline: "2027-06-01"}
"""
_DEADLINE = f"2:{CHANGES.splitlines()[1].index('2027')}"


def test_changes_yaml_beside_the_new_version_gives_text_and_deadline(capsys):
    write("old/orders.yaml", contract())
    write("new/orders.yaml", contract("2.0.0", REMOVED))
    write("new/changes.yaml", CHANGES)
    code, shape = answer(capsys, "old/orders.yaml", "new/orders.yaml")
    (result,) = shape["results"]
    assert (code, codes(result)) == (0, [])
    (told,) = result["breaking_changes"]
    assert (told["type"], told["field"]) == ("field_removed", "legacy_status")
    assert (told["migration"], told["deadline"]) == ("Use order_status instead", "2027-06-01")


def test_a_field_says_its_own_migration_before_it_goes(capsys):
    said = (
        "        customProperties:\n"
        "          - {property: migration, value: {text: Use order_status, deadline: 2027-06-01}}\n"
    )
    write("old.yaml", contract() + said)
    write("new.yaml", contract("2.0.0", REMOVED))
    _, shape = answer(capsys, "old.yaml", "new.yaml")
    (told,) = shape["results"][0]["breaking_changes"]
    assert (told["migration"], told["deadline"]) == ("Use order_status", "2027-06-01")


@pytest.mark.parametrize(
    ("text", "name", "place"),
    [
        (CHANGES + "  - {type: field_removed, field: total, migration: x}\n", "listed-change-not-made", "3:5"),
        (CHANGES.replace("2027-06-01", "next spring"), "deadline-invalid", _DEADLINE),
        ("breaking: []\n", "changes-invalid", "1:1"),
        ("breaking_changes: 3\n", "changes-invalid", "1:19"),
        ("breaking_changes: [3]\n", "changes-invalid", "1:20"),
        ("- a\n", "changes-invalid", "1:1"),
        ("a: [\n", "yaml-unreadable", "2:1"),
    ],
)
def test_what_is_wrong_in_changes_yaml_is_said_at_its_place(capsys, text, name, place):
    write("old/orders.yaml", contract())
    write("new/orders.yaml", contract("2.0.0", REMOVED))
    write("new/changes.yaml", text)
    _, shape = answer(capsys, "old/orders.yaml", "new/orders.yaml")
    (found,) = [one for one in shape["results"][0]["findings"] if one["name"] == name]
    assert (found["file"], f"{found['line']}:{found['column']}") == ("new/changes.yaml", place)


def test_two_contracts_may_share_one_changes_yaml(capsys):
    for name in ("orders", "returns"):
        write(f"old/{name}.yaml", contract(name=name))
        write(f"new/{name}.yaml", contract("2.0.0", REMOVED, name=name))
    write(
        "new/changes.yaml",
        "breaking_changes:\n"
        "  - {type: field_removed, field: orders.legacy_status, migration: a}\n"
        "  - {type: field_removed, field: returns.legacy_status, migration: b}\n",
    )
    code, shape = answer(capsys, "old", "new")
    assert code == 0
    assert [one["breaking_changes"][0]["migration"] for one in shape["results"]] == ["a", "b"]
    assert [codes(one) for one in shape["results"]] == [[], []]


def test_folders_are_paired_by_identity_and_say_what_is_new_and_gone(capsys):
    write("old/a.yaml", contract(name="orders"))
    write("old/b.yaml", contract(name="gone"))
    write("old/notes.yaml", "just: notes\n")
    write("new/moved/x.yaml", contract("1.1.0", *ADDED, name="orders"))
    write("new/c.yaml", contract(name="fresh"))
    code, shape = answer(capsys, "old", "new")
    said = {one["contract"]: (one["from"], one["to"], one["bump"], codes(one)) for one in shape["results"]}
    assert said == {
        "sales.shop/fresh": (None, "1.0.0", "NONE", []),
        "sales.shop/gone": ("1.0.0", None, "MAJOR", ["E520"]),
        "sales.shop/orders": ("1.0.0", "1.1.0", "MINOR", []),
    }
    assert code == 1
    assert shape["summary"] == {"contracts": 3, "bump": "MAJOR", "ok": False}


def test_a_retired_contract_may_go(capsys):
    write("old/a.yaml", contract().replace("active", "retired"))
    write("old/b.yaml", contract(name="stays"))
    write("new/b.yaml", contract(name="stays"))
    code, shape = answer(capsys, "old", "new")
    assert (code, codes(shape["results"][0])) == (0, [])


def test_a_file_whose_name_stays_is_the_same_contract_under_another_name(capsys):
    write("old/a.yaml", contract(name="orders"))
    write("new/a.yaml", contract(name="orders_two"))
    code, shape = answer(capsys, "old", "new")
    assert (code, "E524" in codes(shape["results"][0])) == (1, True)


def test_git_revisions(capsys):
    write("contracts/orders.yaml", contract())
    commit("one")
    write("contracts/orders.yaml", contract("1.1.0", *ADDED))
    commit()
    write("contracts/orders.yaml", contract("2.0.0", REMOVED))
    for words, numbers in {
        ("git:one:contracts/orders.yaml", "contracts/orders.yaml"): ("1.0.0", "2.0.0"),
        ("git:one:contracts", "contracts"): ("1.0.0", "2.0.0"),
        ("git:one:.", "git:HEAD:."): ("1.0.0", "1.1.0"),
        ("one..HEAD",): ("1.0.0", "1.1.0"),
        ("one..",): ("1.0.0", "1.1.0"),
        ("one...HEAD", "contracts"): ("1.0.0", "1.1.0"),
        ("HEAD~1..HEAD", "contracts/orders.yaml"): ("1.0.0", "1.1.0"),
    }.items():
        _, shape = answer(capsys, *words)
        (result,) = shape["results"]
        assert (result["from"], result["to"]) == numbers, words


def test_git_paths_with_spaces_and_umlauts_and_from_a_folder_below(capsys, monkeypatch):
    write("my contracts/bestellungen ü.yaml", contract())
    commit()
    write("my contracts/bestellungen ü.yaml", contract("1.1.0", *ADDED))
    monkeypatch.chdir("my contracts")
    _, shape = answer(capsys, "git:HEAD:bestellungen ü.yaml", "bestellungen ü.yaml")
    assert shape["results"][0]["bump"] == "MINOR"


def test_changes_yaml_is_read_at_the_revision(capsys):
    write("contracts/orders.yaml", contract())
    commit()
    write("contracts/orders.yaml", contract("2.0.0", REMOVED))
    write("contracts/changes.yaml", CHANGES)
    commit()
    Path("contracts/changes.yaml").unlink()
    _, shape = answer(capsys, "HEAD~1..HEAD")
    assert shape["results"][0]["breaking_changes"][0]["deadline"] == "2027-06-01"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["git:nowhere:contracts", "contracts"], "FLOE-E500: Revision 'nowhere' does not exist"),
        (["git:--all:contracts", "contracts"], "FLOE-E500: Revision '--all' does not exist"),
        (["nowhere..HEAD"], "FLOE-E500: Revision 'nowhere' does not exist"),
        (["git:HEAD:elsewhere", "contracts"], "FLOE-E500: elsewhere is not in revision 'HEAD'"),
        (["git:HEAD:../..", "contracts"], "is outside the git repository"),
        (["contracts", "contracts/orders.yaml"], "contracts is a folder and contracts/orders.yaml is one contract"),
        (["contracts/orders.yaml", "contracts"], "contracts/orders.yaml is one contract and contracts is a folder"),
        (["empty", "empty"], "FLOE-E500: empty and empty contain no contract"),
        (
            ["twice", "twice"],
            "FLOE-E500: twice contains 2 contracts with the identity 'sales.shop/orders': twice/a.yaml",
        ),
        (["table:orders", "contracts"], "orders is in Spark's catalog"),
        (["registry:sales.shop/orders", "contracts"], "There is no registry at sqlite:///.floe/registry.db yet"),
        (["contracts"], "A new version is needed"),
        (["", "contracts"], "The name of the contract is empty"),
        (["nowhere.yaml", "contracts/orders.yaml"], "FLOE-E500: nowhere.yaml does not exist"),
    ],
)
def test_what_cannot_be_compared_is_said_and_exits_2(capsys, words, said):
    write("contracts/orders.yaml", contract())
    write("twice/a.yaml", contract())
    write("twice/b.yaml", contract())
    Path("empty").mkdir()
    commit()
    assert main(["diff", *words]) == 2
    assert said in capsys.readouterr().err


def test_outside_a_repository(capsys):
    write("contracts/orders.yaml", contract())
    assert main(["diff", "git:HEAD:contracts", "contracts"]) == 2
    assert "is not in a git repository" in capsys.readouterr().err
    assert main(["diff", "main..HEAD"]) == 2


def test_a_contract_that_cannot_be_read_is_named(capsys):
    write("old/a.yaml", contract())
    write("new/a.yaml", contract().replace("schema:", "schema: [", 1))
    assert main(["diff", "old", "new"]) == 1
    assert "FLOE-E509" in capsys.readouterr().err


def test_transitive_over_a_folder_of_versions(capsys):
    write("v/1.0.0.yaml", contract("1.0.0", "id:string!", "b:string", "c:string"))
    write("v/1.1.0.yaml", contract("1.1.0", "id:string!", "b:string"))
    write("v/1.2.0.yaml", contract("1.2.0", "id:string!", "b:string"))
    write("v/0.9.0.yaml", contract("0.9.0", "id:string!"))
    code, shape = answer(capsys, "--transitive", "v")
    (result,) = shape["results"]
    assert (result["from"], result["to"], result["bump"]) == ("1.1.0", "1.2.0", "NONE")
    assert [(one["from"], one["bump"], codes(one)) for one in result["transitive"]] == [("1.0.0", "MAJOR", ["E520"])]
    assert (code, result["ok"]) == (1, False)
    assert main(["diff", "--transitive", "v"]) == 1
    assert "compared with 2 versions, worst MAJOR" in capsys.readouterr().out


def test_a_version_not_above_its_line_is_lowered_and_an_older_line_may_be_patched(capsys):
    write("v/1.0.0.yaml", contract("1.0.0"))
    write("v/1.2.0.yaml", contract("1.2.0", *ADDED))
    write("v/2.0.0.yaml", contract("2.0.0", REMOVED))
    write("new.yaml", contract("1.1.0", *ADDED))
    code, shape = answer(capsys, "--transitive", "v", "new.yaml")
    assert (code, codes(shape["results"][0])) == (1, ["E527"])
    write("new.yaml", contract("1.2.1", *ADDED).replace("status: active", "status: active\ntags: [a]"))
    code, shape = answer(capsys, "--transitive", "v", "new.yaml")
    assert (code, shape["results"][0]["from"], codes(shape["results"][0])) == (0, "1.2.0", [])


def test_a_name_used_again_for_another_type_is_dangerous(capsys):
    write("v/1.0.0.yaml", contract("1.0.0", "id:string!", "total:int"))
    write("v/2.0.0.yaml", contract("2.0.0", "id:string!"))
    write("v/2.1.0.yaml", contract("2.1.0", "id:string!", "total:string"))
    _, shape = answer(capsys, "--transitive", "v")
    (change,) = shape["results"][0]["changes"]
    assert (change["row"], change["bump"], change["dangerous"]) == ("C11", "MINOR", True)
    assert (change["reader"], change["writer"]) == ("risk", "risk")
    assert change["note"] == "the name was used for int until 1.0.0"
    write("v/2.1.0.yaml", contract("2.1.0", "id:string!", "total:int"))
    _, shape = answer(capsys, "--transitive", "v")
    assert shape["results"][0]["changes"][0]["row"] == "C2"


def test_transitive_over_git_tags(capsys):
    write("orders.yaml", contract("1.0.0"))
    commit("v1.0.0")
    write("orders.yaml", contract("1.1.0", REMOVED))
    commit("v1.1.0")
    git("tag", "another", "v1.1.0")
    write("orders.yaml", contract("1.2.0", REMOVED, "note:string"))
    code, shape = answer(capsys, "--transitive", "orders.yaml")
    (result,) = shape["results"]
    assert (code, result["from"], result["bump"]) == (1, "1.1.0", "MINOR")
    assert [(one["from"], one["bump"]) for one in result["transitive"]] == [("1.0.0", "MAJOR")]


@pytest.mark.parametrize(
    ("mode", "columns", "breaks", "code"),
    [
        ("backward", (REMOVED,), ["field-removed"], 1),
        ("forward", (REMOVED,), [], 0),
        ("full", (REMOVED,), ["field-removed"], 1),
        ("none", (REMOVED,), [], 0),
        ("backward", ("order_id:string!", "legacy_status:string", "b:int!"), [], 0),
        ("forward", ("order_id:string!", "legacy_status:string", "b:int!"), ["required-field-added"], 1),
    ],
)
def test_modes_of_compatibility(capsys, mode, columns, breaks, code):
    write("old.yaml", contract())
    write("new.yaml", contract("2.0.0", *columns))
    left, shape = answer(capsys, "old.yaml", "new.yaml", "--compatibility", mode)
    said = shape["results"][0]["compatibility"]
    assert (left, said["mode"], said["compatible"]) == (code, mode, not breaks)
    assert [one["change"] for one in said["breaks"]] == breaks


def test_a_transitive_mode_asks_about_earlier_versions_too(capsys):
    write("v/1.0.0.yaml", contract("1.0.0"))
    write("v/1.1.0.yaml", contract("1.1.0", REMOVED))
    write("v/1.2.0.yaml", contract("1.2.0", REMOVED, "note:string"))
    _, shape = answer(capsys, "v", "--compatibility", "backward_transitive")
    assert [one["path"] for one in shape["results"][0]["compatibility"]["breaks"]] == ["orders.legacy_status"]


def test_from_python():
    write("old.yaml", contract())
    write("new.yaml", contract("1.1.0", REMOVED))
    result = floe.diff("old.yaml", "new.yaml")
    assert str(result.bump) == "MAJOR"
    assert [change.path for change in result.changes] == ["orders.legacy_status"]
    assert [finding.code for finding in result.findings] == ["E520"]
    assert result.to_dict()["rollout"] == result.rollout == "coordinated"
    loaded = floe.diff(floe.load("old.yaml"), floe.load("new.yaml"))
    assert loaded.to_dict() == result.to_dict()
    texts = floe.diff(contract(), contract("1.1.0", REMOVED))
    assert [change.to_dict() for change in texts.changes] == [change.to_dict() for change in result.changes]


def test_the_hash_names_the_contents_not_comments(capsys):
    write("old.yaml", contract())
    write("new.yaml", contract("2.0.0", REMOVED))
    first = floe.diff("old.yaml", "new.yaml").hash
    write("new.yaml", "# a comment\n" + contract("2.0.0", REMOVED))
    assert floe.diff("old.yaml", "new.yaml").hash == first
    write("new.yaml", contract("2.0.0", "order_id:string"))
    assert floe.diff("old.yaml", "new.yaml").hash != first


SECRETS = """\
servers:
  - {server: p, type: custom, location: "postgres://app:%(word)s@db/x", description: "token ghp_%(long)s",
     customProperties: [{property: password, value: %(word)s}]}
customProperties:
  - {property: apiKey, value: %(word)s}
  - {property: wiring, value: {url: "jdbc:x://h?password=%(word)s", client_secret: %(word)s}}
  - {property: migration, value: {text: "use https://u:%(word)s@h", deadline: 2027-06-01}}
"""


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "markdown"])
def test_no_format_shows_a_secret(capsys, form):
    old, new = ({"word": f"hunter{n}zz", "long": str(n) * 36} for n in (1, 2))
    write("old.yaml", contract() + SECRETS % old)
    write("new.yaml", contract("2.0.0", "order_id:string!", "password:string") + SECRETS % new)
    main(["diff", "old.yaml", "new.yaml", "--format", form])
    said = "".join(capsys.readouterr())
    assert not [word for word in ("hunter", "1" * 36, "2" * 36) if word in said]
    if form == "json":
        changed = {one["path"]: (one["old"], one["new"]) for one in json.loads(said)["results"][0]["changes"]}
        assert changed["servers.p.location"] == ("postgres://app:•••@db/x",) * 2
        assert changed["servers.p.customProperties.password"] == ("•••", "•••")
        assert changed["customProperties.apiKey"] == ("•••", "•••")
        assert changed["orders.password"] == (None, "string")


ODD = (
    *(
        "quality",
        "relationships",
        "properties",
        "items",
        "schema",
        "version",
        "null",
        "__x__",
        "__class__",
        "1",
        "-",
        "*",
    ),
    *(
        "a.b",
        "it's",
        'say "x"',
        "two words",
        "a`b",
        "[]",
        "{key}",
        "a:b",
        "$ref",
        "😀",
        "é",
        "tab\there",
        "#c",
        "password",
    ),
)


def _odd(version, type_):
    """A contract whose dataset and columns have names that mean something elsewhere."""
    columns = [{"name": name, "physicalType": type_, "required": type_ == "int"} for name in ODD]
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "odd", "name": "odd", "status": "active"}
    return json.dumps(
        {**head, "version": version, "schema": [{"name": "t.quality", "properties": columns}]},
        indent=1,
        ensure_ascii=False,
    )


def test_columns_with_odd_names_are_ordinary_columns(capsys):
    write("old.yaml", _odd("1.0.0", "int"))
    write("new.yaml", _odd("1.1.0", "string"))
    code, shape = answer(capsys, "old.yaml", "new.yaml")
    (result,) = shape["results"]
    fields = [f"`{name}`" if set(name) & set(".[]{}`") else name for name in ODD]
    for kind, bump in (("type-changed", "MAJOR"), ("field-made-optional", "MINOR")):
        found = [one for one in result["changes"] if one["change"] == kind]
        assert sorted(one["path"] for one in found) == sorted(f"`t.quality`.{field}" for field in fields)
        assert {one["bump"] for one in found} == {bump}
    assert {(one["old"], one["new"]) for one in result["changes"]} == {("int", "string"), ("required", "optional")}
    assert sorted(one["field"] for one in result["breaking_changes"]) == sorted(fields)
    assert (code, codes(result)) == (1, ["E520"])
    for form in ("text", "sarif", "github", "markdown"):
        assert main(["diff", "old.yaml", "new.yaml", "--format", form]) == 1
    capsys.readouterr()
    assert main(["bump", "new.yaml", "--against", "old.yaml"]) == 0
    assert "1.1.0 → 2.0.0" in capsys.readouterr().out
    assert json.loads(Path("new.yaml").read_text()) == json.loads(_odd("2.0.0", "string"))


def _child(parent, version="1.0.0"):
    return contract(version) + f"customProperties: [{{property: extends, value: {parent}}}]\n"


def test_another_parent_is_the_change_of_what_is_inherited(capsys):
    level = "slaProperties: [{{property: freshness, value: {}}}]\n"
    write("acme1.yaml", contract(name="acme1") + level.format("4h"))
    write("acme2.yaml", contract(name="acme2") + level.format("8h"))
    write("old.yaml", _child("acme1.yaml"))
    write("new.yaml", _child("acme2.yaml", "1.0.1"))
    code, shape = answer(capsys, "old.yaml", "new.yaml")
    (result,) = shape["results"]
    said = {(one["row"], one["path"], one["bump"]) for one in result["changes"]}
    assert ("F2", "slaProperties.freshness", "MAJOR") in said
    assert ("A9", "customProperties.extends", "PATCH") in said
    assert (code, result["bump"], codes(result)) == (1, "MAJOR", ["E520"])
    assert result["notes"] == ["inherited values are compared too"]


def test_a_parent_that_cannot_be_had_is_said(capsys):
    write("old.yaml", _child("acme1.yaml"))
    write("new.yaml", _child("acme2.yaml", "1.0.1"))
    code, shape = answer(capsys, "old.yaml", "new.yaml")
    (result,) = shape["results"]
    assert (code, result["bump"]) == (0, "PATCH")
    assert result["notes"] == [
        "only the documents are compared, without inherited values: Parent 'acme1.yaml' is not found"
    ]


def test_a_parent_that_changed_between_revisions_changes_its_child(capsys):
    level = "slaProperties: [{{property: freshness, value: {}}}]\n"
    git("init", "-q")
    write("parents/acme.yaml", contract(name="acme") + level.format("4h"))
    write("products/orders.yaml", _child("../parents/acme.yaml"))
    commit("first")
    write("parents/acme.yaml", contract(name="acme") + level.format("8h"))
    commit("second")
    write("parents/acme.yaml", contract(name="acme") + level.format("1h"))
    for sources, bump in (
        (("HEAD~1..HEAD", "products/orders.yaml"), "MAJOR"),
        (("git:HEAD~1:products/orders.yaml", "git:HEAD:products/orders.yaml"), "MAJOR"),
        (("git:HEAD~1:products/orders.yaml", "products/orders.yaml"), "MINOR"),
    ):
        _, shape = answer(capsys, *sources)
        (result,) = shape["results"]
        assert [one["path"] for one in result["changes"]] == ["slaProperties.freshness"]
        assert (result["bump"], result["notes"][-1]) == (bump, "inherited values are compared too")
