"""`floe publish` on SQLite and on PostgreSQL."""

import json
from pathlib import Path

import pytest
import sqlalchemy as sa

import floe
from floe.cli import main
from floe.registry import open_store
from tests.helpers.repositories import contract, write

ORDERS = "sales.shop/orders"


@pytest.fixture(autouse=True)
def _stand_in_an_empty_folder(tmp_path, monkeypatch, registry_url):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLOE_REGISTRY_URL", registry_url)
    monkeypatch.setenv("FLOE_ACTOR", "ada")


def answer(capsys, *words):
    capsys.readouterr()
    code = main(["publish", *words, "--format", "json"])
    said = capsys.readouterr()
    return code, json.loads(said.out)


def codes(result):
    return [finding["code"].removeprefix("FLOE-") for finding in result["findings"]]


def rows(url, text):
    with open_store(url, Path()).begin() as connection:
        return [tuple(row) for row in connection.execute(sa.text(text))]


def test_publish_publish_again_and_other_content_under_the_same_version(capsys, registry_url):
    write("orders.yaml", contract())
    code, first = answer(capsys, "orders.yaml")
    (created,) = first["results"]
    assert (code, created["outcome"], created["id"], created["bump"]) == (0, "created", f"{ORDERS}:1.0.0", "FIRST")
    assert created["tested"]["outcome"] == "no_table"
    code, second = answer(capsys, "orders.yaml")
    (again,) = second["results"]
    assert (code, again["outcome"]) == (0, "already registered")
    assert [again[key] for key in ("id", "document_hash", "published_at", "published_by")] == [
        created[key] for key in ("id", "document_hash", "published_at", "published_by")
    ]
    write("orders.yaml", contract("1.0.0", "order_id:string!", "legacy_status:string", "note:string"))
    code, third = answer(capsys, "orders.yaml")
    (other,) = third["results"]
    assert (code, other["outcome"], codes(other)) == (1, "refused", ["E523"])
    assert created["document_hash"] in other["findings"][0]["message"]
    assert other["document_hash"] in other["findings"][0]["message"]
    assert rows(registry_url, "SELECT version, document_hash FROM versions") == [("1.0.0", created["document_hash"])]
    assert rows(registry_url, "SELECT actor, verb, subject FROM audit") == [("ada", "publish", ORDERS)]


def test_the_library_says_the_same(registry_url):
    path = write("orders.yaml", contract())
    first, second = floe.publish(path), floe.publish(path)
    assert (first.outcome, second.outcome) == ("created", "already registered")
    assert (first.id, first.published_at) == (second.id, second.published_at)
    write("orders.yaml", contract("1.0.0", "order_id:string!"))
    with pytest.raises(floe.ContractError) as refused:
        floe.publish(path)
    assert refused.value.code == "E523"
