"""Search: what fits and what does not, in pages that inserts do not move."""

from pathlib import Path

import pytest

from floe.registry import Store, open_store
from floe.registry.names import find_ids
from floe.registry.search import SearchQuery, search
from tests.helpers.customers import CUSTOMERS
from tests.helpers.registered import put
from tests.helpers.repositories import contract


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
        (SearchQuery(), ["crm.people/customers", "sales.shop/orders", "sales.shop/returns"]),
        (SearchQuery(text="EVER bought"), ["crm.people/customers"]),
        (SearchQuery(text="ever sold"), []),
        (SearchQuery(text="returns"), ["sales.shop/returns"]),
        (SearchQuery(text="50%"), ["crm.people/customers"]),
        (SearchQuery(text="5_%"), []),
        (SearchQuery(column="legacy_status"), ["sales.shop/orders", "sales.shop/returns"]),
        (SearchQuery(column="returns.legacy_status"), ["sales.shop/returns"]),
        (SearchQuery(column="country*"), ["crm.people/customers"]),
        (SearchQuery(column="country%"), []),
        (SearchQuery(column="e*l"), ["crm.people/customers"]),
        (SearchQuery(column="*MAIL"), ["crm.people/customers"]),
        (SearchQuery(tag="golden"), ["crm.people/customers"]),
        (SearchQuery(tag="geo"), ["crm.people/customers"]),
        (SearchQuery(tag="gold"), []),
        (SearchQuery(tag="50%"), ["crm.people/customers"]),
        (SearchQuery(tag='say "hi"'), ["crm.people/customers"]),
        (SearchQuery(owner="Bea@Acme.com"), ["crm.people/customers"]),
        (SearchQuery(owner="nobody"), []),
        (SearchQuery(classification="pii"), ["crm.people/customers"]),
        (SearchQuery(classification="phi"), []),
        (SearchQuery(domain="sales"), ["sales.shop/orders", "sales.shop/returns"]),
        (SearchQuery(column="country_code", classification="pii"), []),  # one and the same field
        (SearchQuery(column="Email", classification="pii", tag="contact", domain="crm"), ["crm.people/customers"]),
        (SearchQuery(column="Email", tag="geo"), []),
    ],
)
def test_all_that_is_asked_must_fit(store: Store, query: SearchQuery, expected: list[str]):
    assert [row["contract_id"] for row in search(store, query).contracts] == expected


def test_the_fields_that_made_a_contract_fit_are_shown(store: Store):
    (found,) = search(store, SearchQuery(classification="pii")).contracts
    assert found["fields"] == [{"path": "customers.Email", "type": "string", "classification": "pii"}]
    assert (found["newest"], found["owner"]) == ("1.0.0", "bea@acme.com")


def test_pages_stay_as_they_are_while_others_publish(store: Store):
    first = search(store, SearchQuery(limit=2))
    assert [row["name"] for row in first.contracts] == ["customers", "orders"]
    assert first.after == "sales.shop/orders"
    put(store, contract(name="baskets"))  # before where the page ended: it moves nothing
    put(store, contract(name="parcels"))  # behind it: it comes
    second = search(store, SearchQuery(limit=2, after=first.after))
    assert [row["name"] for row in second.contracts] == ["parcels", "returns"]
    assert second.after is None


def test_a_contract_has_three_names(store: Store):
    for name in ("crm.people/customers", "urn:acme:customers", "silver.crm.customers"):
        assert find_ids(store, name) == ["crm.people/customers"]
    assert find_ids(store, "customers") == []
