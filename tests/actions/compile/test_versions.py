"""Compiling against what was there before: git's HEAD, the last tag, and the versions in a folder."""

from pathlib import Path

import pytest

import floe
from floe.model import Severity
from tests.helpers.repositories import commit, contract, git, write

FLOE = "metadata: {name: shop, domain: sales, version: 1.0.0, owner: a@b.c, repository: r}\n"
LESS = "order_id:string!"
MORE = ("order_id:string!", "legacy_status:string", "note:string")


@pytest.fixture(autouse=True)
def _stand_in_a_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("floe.yaml", FLOE)
    write("contracts/orders.yaml", contract())
    commit()


def codes(least: Severity = Severity.WARNING, **options) -> list[str]:
    """The codes of versions and what else is bad, from what is kept and from nothing alike."""
    found = [one for one in floe.compile(**options).findings if one.severity >= least]
    again = [one for one in floe.compile(cache=False, store=False, **options).findings if one.severity >= least]
    assert found == again
    return sorted(one.code for one in found)


def test_nothing_changed_and_nothing_is_said():
    assert codes() == []
    assert "versions compared with HEAD" in floe.compile().steps[4][1]


@pytest.mark.parametrize(
    ("version", "columns", "expected"),
    [
        ("1.1.0", (LESS,), ["E520"]),
        ("1.0.0", (LESS,), ["E520", "E523"]),
        ("2.0.0", (LESS,), ["E528"]),
        ("1.0.1", MORE, ["E522"]),
        ("1.0.0", MORE, ["E523"]),
        ("0.9.0", (), ["E527"]),
        ("1.1.0", MORE, []),
    ],
)
def test_the_version_must_say_what_changed_since_head(version: str, columns: tuple[str, ...], expected: list[str]):
    write("contracts/orders.yaml", contract(version, *columns))
    assert codes() == expected
    assert codes() == expected


def test_a_breaking_change_fails_and_lists_what_breaks():
    write("contracts/orders.yaml", contract("1.1.0", LESS))
    result = floe.compile()
    (finding,) = [one for one in result.findings if one.code == "E520"]
    assert (result.failed, finding.severity) == (True, Severity.CRITICAL)
    assert "field-removed orders.legacy_status" in finding.detail
    assert str(finding.place).startswith("contracts/orders.yaml:5:")
    commit()
    assert codes() == []


def test_what_was_committed_is_compared_with_the_last_tag():
    git("tag", "v1")
    write("contracts/orders.yaml", contract("1.1.0", LESS))
    commit()
    assert codes() == ["E520"]
    git("tag", "v2")
    assert codes() == []


def test_a_revision_may_be_given():
    write("contracts/orders.yaml", contract("1.1.0", LESS))
    commit()
    assert codes() == []
    assert codes(since="HEAD~1") == ["E520"]


def test_a_parent_that_changes_asks_for_a_new_version_of_its_children():
    parent = contract(name="base").split("schema:")[0] + "slaProperties: [{property: freshness, value: %s}]\n"
    child = contract() + "customProperties: [{property: extends, value: %s}]\n"
    write("base.yaml", parent % "6h")
    write("contracts/orders.yaml", child % "base")
    commit()
    assert codes() == []
    write("base.yaml", parent % "12h")
    result = floe.compile()
    assert [one.code for one in result.findings if one.severity > Severity.WARNING] == ["E520", "E523"]
    assert {one.place and one.place.file for one in result.findings if one.code == "E520"} == {"contracts/orders.yaml"}
    assert codes() == ["E520", "E523"]
    write("base.yaml", parent % "3h")
    assert codes() == ["E523"]


def test_a_port_is_compared_with_what_it_was():
    port = "output_ports: [{name: carts, table: gold.sales.carts, columns: {id: bigint%s}}]\n"
    write("floe.yaml", FLOE + port % ", note: string")
    commit()
    write("floe.yaml", FLOE + port % "")
    assert codes() == ["E520", "E523"]
    write("floe.yaml", FLOE)
    (finding,) = [one for one in floe.compile().findings if one.severity is Severity.CRITICAL]
    assert (finding.code, finding.message) == (
        "E520",
        "Contract 'sales.shop/carts' was removed before it was retired",
    )


def test_a_contract_may_move_but_not_vanish():
    Path("contracts/orders.yaml").rename("contracts/renamed.yaml")
    assert codes() == []
    write("contracts/renamed.yaml", contract("1.1.0", LESS))
    assert codes() == ["E520"]
    Path("contracts/renamed.yaml").rename("elsewhere.yaml")
    write("contracts/returns.yaml", contract(name="returns"))
    assert codes() == ["E520"]
    write("contracts/orders.yaml", contract(name="returns"))
    Path("contracts/returns.yaml").unlink()
    assert codes() == ["E520", "E523", "E524"]


def test_versions_in_one_folder_are_compared_with_one_another():
    write("contracts/orders_v1_1.yaml", contract("1.1.0", *MORE))
    assert codes() == []
    write("contracts/orders_v1_2.yaml", contract("1.2.0", LESS))
    assert codes() == ["E520"]
    write("contracts/orders_v1_2.yaml", contract("1.1.0", LESS))
    assert "E508" in codes()


def test_without_git_it_is_said_that_nothing_was_compared(tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("bare"))
    write("floe.yaml", FLOE)
    write("contracts/orders.yaml", contract())
    result = floe.compile()
    assert not result.failed
    assert "no versions compared" in result.steps[4][1]
    git("init", "--quiet")
    assert "nothing is committed yet" in floe.compile().steps[4][1]


def test_the_settings_say_whether_widening_breaks(monkeypatch):
    write("contracts/orders.yaml", contract("1.0.0", "n:int"))
    commit()
    write("contracts/orders.yaml", contract("1.1.0", "n:bigint"))
    assert codes() == ["E520"]
    monkeypatch.setenv("FLOE_COMPATIBILITY_TYPE_WIDENING", "minor")
    assert codes() == []
