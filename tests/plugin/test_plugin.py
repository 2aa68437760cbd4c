import json
from abc import ABC

import pytest

from floe.cli import main
from floe.lang.type_text import parse_type
from floe.plugin import DataContractPlugin, ODCSDataContractPlugin, compare_schemas, validate_version_bump
from tests.helpers.repositories import contract, write

PLUGIN = ODCSDataContractPlugin()


@pytest.fixture(autouse=True)
def _stand_in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def asked(capsys, *words):
    main([*words, "--format", "json"])
    return json.loads(capsys.readouterr().out)


def test_the_plugin_is_named_as_the_architecture_says():
    assert issubclass(ODCSDataContractPlugin, DataContractPlugin)
    assert issubclass(DataContractPlugin, ABC)
    assert (PLUGIN.name, PLUGIN.version) == ("odcs", "1.0.0")


def test_parse_contract():
    write("a.yaml", contract())
    assert PLUGIN.parse_contract("a.yaml").identity == "sales.shop/orders:1.0.0"


@pytest.mark.parametrize(("text", "valid"), [(contract(), True), (contract("1.0"), False), ("a: [", False)])
def test_lint_contract_file_says_what_the_command_says(capsys, text, valid):
    write("a.yaml", text)
    result = PLUGIN.lint_contract_file("a.yaml")
    assert result.valid is valid
    assert [one.to_dict() for one in result.findings] == asked(capsys, "lint", "a.yaml")["findings"]


def test_validate_contract_with_and_without_the_schema_of_a_table():
    write("a.yaml", contract())
    loaded = PLUGIN.parse_contract("a.yaml")
    assert PLUGIN.validate_contract(loaded).valid
    assert PLUGIN.validate_contract(loaded, parse_type("struct<order_id:string not null,legacy_status:string>")).valid
    loose = PLUGIN.validate_contract(loaded, parse_type("struct<order_id:string,legacy_status:string not null>"))
    assert [(one.code, one.message) for one in loose.findings if one.code.startswith("E53")] == [
        ("E533", "Nullability differs for column 'orders.legacy_status'"),
        ("E533", "Nullability differs for column 'orders.order_id'"),
    ]
    result = PLUGIN.validate_contract(loaded, parse_type("struct<order_id:int not null,more:int>"))
    drift = [(one.code, str(one.severity)) for one in result.findings if one.code.startswith("E53")]
    assert sorted(drift) == [("E530", "critical"), ("E531", "critical"), ("E532", "info")]
    assert not result.valid


def test_compare_schemas_in_the_architectures_words(capsys):
    write("old.yaml", contract("1.0.0", "order_id:string!", "email:string"))
    write("new.yaml", contract("1.1.0", "order_id:string!", "ssn:string!", "middle_name:string"))
    result = PLUGIN.compare_schemas("old.yaml", "new.yaml")
    assert result == compare_schemas("old.yaml", "new.yaml")
    assert result.compatible is False
    assert sorted(result.breaking_changes) == ["New required column: ssn", "Removed column: email"]
    assert result.additions == ["New optional column: middle_name"]
    shape = asked(capsys, "diff", "old.yaml", "new.yaml")["results"][0]
    assert len(result.breaking_changes) == len(shape["breaking_changes"])


def test_compare_schemas_of_two_datasets_looks_at_columns_not_names():
    write("old.yaml", contract("1.0.0", name="orders"))
    write("new.yaml", contract("1.0.0", "order_id:string!", name="orders_v2"))
    (old,), (new,) = (PLUGIN.parse_contract(f"{name}.yaml").datasets for name in ("old", "new"))
    assert compare_schemas(old, new).breaking_changes == ["Removed column: legacy_status"]
    assert compare_schemas(old, old).compatible


@pytest.mark.parametrize(
    ("version", "columns", "answer"),
    [
        (
            "1.1.0",
            ("order_id:string!",),
            "Breaking changes require MAJOR version bump. Current: 1.0.0, Proposed: 1.1.0. "
            "Changes: ['Removed column: legacy_status']",
        ),
        (
            "1.0.1",
            ("order_id:string!", "legacy_status:string", "note:string"),
            "Additions require MINOR version bump. Current: 1.0.0, Proposed: 1.0.1.",
        ),
        ("2.0.0", ("order_id:string!",), "Version bump is valid"),
        ("1.1.0", ("order_id:string!", "legacy_status:string", "note:string"), "Version bump is valid"),
        ("1.0.0", (), "Version bump is valid"),
    ],
)
def test_validate_version_bump_in_the_architectures_words(capsys, version, columns, answer):
    write("old.yaml", contract())
    write("new.yaml", contract(version, *columns))
    loaded = [PLUGIN.parse_contract("old.yaml"), PLUGIN.parse_contract("new.yaml")]
    assert PLUGIN.validate_version_bump(*loaded) == validate_version_bump("old.yaml", "new.yaml")
    assert validate_version_bump(*loaded) == (answer == "Version bump is valid", answer)
    assert asked(capsys, "diff", "old.yaml", "new.yaml")["results"][0]["ok"] == (answer == "Version bump is valid")


def test_a_lowered_version_is_not_valid_either():
    write("old.yaml", contract("2.0.0"))
    write("new.yaml", contract("1.0.0"))
    valid, said = validate_version_bump("old.yaml", "new.yaml")
    assert (valid, said) == (
        False,
        "Version of 'sales.shop/orders' lowered from 2.0.0 to 1.0.0. A new version must be above all earlier versions of 2.x",
    )
