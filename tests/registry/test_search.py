"""Search: what fits and what does not, in pages that inserts do not move."""

from pathlib import Path

import pytest

from floe.registry import Store, open_store
from floe.registry.named import find_ids
from floe.registry.search import Query, search
from tests.registered import put
from tests.repositories import contract

CUSTOMERS = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:acme:customers
name: customers
version: 1.0.0
status: active
domain: crm
dataProduct: people
tags: [golden, "50%"]
description: {purpose: Everyone who ever bought something}
team: {name: crm, members: [{username: bea@acme.com, role: owner}]}
schema:
  - name: customers
    physicalName: silver.crm.customers
    properties:
      - {name: customer_id, physicalType: bigint, required: true, tags: [key]}
      - {name: Email, physicalType: string, classification: pii, tags: [contact, "say \\"hi\\""]}
      - {name: country_code, physicalType: string, classification: public, tags: [geo]}
"""


@pytest.fixture
def store(registry_url: str, tmp_path: Path) -> Store:
    made = open_store(registry_url, tmp_path)
    put(made, CUSTOMERS, "customers.yaml")
    put(made, contract())
    put(made, contract(name="returns"))
    return made


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query(), ["crm.people/customers", "sales.shop/orders", "sales.shop/returns"]),
        (Query(text="EVER bought"), ["crm.people/customers"]),
        (Query(text="ever sold"), []),
        (Query(text="returns"), ["sales.shop/returns"]),
        (Query(text="50%"), ["crm.people/customers"]),
        (Query(text="5_%"), []),
        (Query(column="legacy_status"), ["sales.shop/orders", "sales.shop/returns"]),
        (Query(column="returns.legacy_status"), ["sales.shop/returns"]),
        (Query(column="country*"), ["crm.people/customers"]),
        (Query(column="country%"), []),
        (Query(column="e*l"), ["crm.people/customers"]),
        (Query(column="*MAIL"), ["crm.people/customers"]),
        (Query(tag="golden"), ["crm.people/customers"]),
        (Query(tag="geo"), ["crm.people/customers"]),
        (Query(tag="gold"), []),
        (Query(tag="50%"), ["crm.people/customers"]),
        (Query(tag='say "hi"'), ["crm.people/customers"]),
        (Query(owner="Bea@Acme.com"), ["crm.people/customers"]),
        (Query(owner="nobody"), []),
        (Query(classification="pii"), ["crm.people/customers"]),
        (Query(classification="phi"), []),
        (Query(domain="sales"), ["sales.shop/orders", "sales.shop/returns"]),
        (Query(column="country_code", classification="pii"), []),  # one and the same field
        (Query(column="Email", classification="pii", tag="contact", domain="crm"), ["crm.people/customers"]),
        (Query(column="Email", tag="geo"), []),
    ],
)
def test_all_that_is_asked_must_fit(store: Store, query: Query, expected: list[str]):
    assert [row["contract_id"] for row in search(store, query).contracts] == expected


def test_the_fields_that_made_a_contract_fit_are_shown(store: Store):
    (found,) = search(store, Query(classification="pii")).contracts
    assert found["fields"] == [{"path": "customers.Email", "type": "string", "classification": "pii"}]
    assert (found["newest"], found["owner"]) == ("1.0.0", "bea@acme.com")


def test_pages_stay_as_they_are_while_others_publish(store: Store):
    first = search(store, Query(limit=2))
    assert [row["name"] for row in first.contracts] == ["customers", "orders"]
    assert first.after == "sales.shop/orders"
    put(store, contract(name="baskets"))  # before where the page ended: it moves nothing
    put(store, contract(name="parcels"))  # behind it: it comes
    second = search(store, Query(limit=2, after=first.after))
    assert [row["name"] for row in second.contracts] == ["parcels", "returns"]
    assert second.after is None


def test_a_contract_has_three_names(store: Store):
    for name in ("crm.people/customers", "urn:acme:customers", "silver.crm.customers"):
        assert find_ids(store, name) == ["crm.people/customers"]
    assert find_ids(store, "customers") == []
