"""A new MAJOR waits for its consumers: publish refuses, a team signs off what it was told of, publish goes through."""

from pathlib import Path

import pytest

from floe.cli import main
from tests.helpers.consumers import FIELDS, contract_text

ORDERS = "sales.shop/orders"


@pytest.fixture
def contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry_url: str) -> Path:
    """Orders 1.0.0, published, with a consumer; the next MAJOR is in its file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLOE_REGISTRY_URL", registry_url)
    monkeypatch.setenv("FLOE_ACTOR", "owner@acme.com")
    path = tmp_path / "contracts" / "orders.yaml"
    path.parent.mkdir()
    path.write_text(contract_text())
    assert main(["publish", str(path)]) == 0
    assert main(["consumers", "add", ORDERS, "--team", "bi", "--contact", "x", "--columns", "email"]) == 0
    path.write_text(contract_text(version="2.0.0", fields=FIELDS.replace("name: email", "name: mail")))
    (path.parent / "changes.yaml").write_text(
        "breaking_changes: [{type: field_renamed, old_field: email, new_field: mail, migration: read mail}]\n"
    )
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("--team", "bi"),
        ("--team", "bi", "--file", "contracts/orders.yaml"),
        ("--override", "--reason", "a law"),
    ],
)
def test_a_major_is_published_once_its_consumers_agree_or_the_owner_overrides(contract: Path, words, capsys):
    assert main(["publish", str(contract)]) == 1
    assert "FLOE-E525" in capsys.readouterr().out
    assert main(["consumers", "sign-off", ORDERS, "2.0.0", *words]) == 0
    assert main(["publish", str(contract)]) == 0


def test_another_change_than_the_one_that_was_signed_off_is_asked_about_again(contract: Path, capsys):
    assert main(["publish", str(contract)]) == 1
    assert main(["consumers", "sign-off", ORDERS, "2.0.0", "--team", "bi"]) == 0
    contract.write_text(contract.read_text().replace("decimal(12,2)", "decimal(10,2)"))
    changes = contract.parent / "changes.yaml"
    changes.write_text(
        "breaking_changes:\n"
        "  - {type: field_renamed, old_field: email, new_field: mail, migration: read mail}\n"
        "  - {type: field_retyped, field: total, migration: it is smaller}\n"
    )
    capsys.readouterr()
    assert main(["publish", str(contract)]) == 1
    assert "FLOE-E525" in capsys.readouterr().out
