"""Who relies on a contract: registered, moved, removed, signed off; on both databases."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from floe.actions.consumers import ConsumerRequest, add_consumer, list_consumers, remove_consumer
from floe.actions.consumers.signoff import Agreement, sign_off
from floe.actions.lifecycle import Line, deprecate
from floe.actions.load.settings import load_settings
from floe.model import ContractError, FloeError, RegistryError, SettingError
from floe.model.lifecycle import Announcement
from floe.registry.schema import audit, consumers, sign_offs
from floe.registry.store import trail
from floe.settings import Settings
from tests.helpers.consumers import FIELDS, contract_text, register_text

ORDERS = "sales.shop/orders"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def wish(**said: Any) -> ConsumerRequest:
    return ConsumerRequest(**{"contract": ORDERS, "team": "bi", "contact": "bi@acme.com", **said})


@pytest.fixture
def settings(registry_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A registry with orders 1.0.0, 1.1.0 and 2.0.0."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLOE_ACTOR", "me")
    for version in ("1.0.0", "1.1.0", "2.0.0"):
        register_text(registry_url, tmp_path, contract_text(version=version))
    return load_settings({"registry.url": registry_url}, start=tmp_path)


def rows(settings: Settings, table: sa.Table) -> list:
    from floe.registry import open_store

    with open_store(settings.registry.url, settings.root).begin() as connection:
        return list(connection.execute(sa.select(table)).mappings())


def test_a_consumer_is_kept_with_its_columns_as_paths_and_an_audit_row(settings: Settings):
    made = add_consumer(wish(columns=["email", "address.city", "items.sku"], version="^1.0.0"), settings, NOW)
    assert made.was is None
    (row,) = list_consumers(settings, ORDERS)
    assert row["columns"] == ["orders.address.city", "orders.email", "orders.items[].sku"]
    assert (row["major"], row["version_range"], row["team"]) == (1, "^1.0.0", "bi")
    from floe.registry import open_store

    entry = trail(open_store(settings.registry.url, settings.root), ORDERS)[-1]
    assert (entry["actor"], entry["verb"], entry["detail"]["team"]) == ("me", "consumers add", "bi")


def test_a_consumer_is_pinned_to_one_major_and_moves_when_it_says_so(settings: Settings):
    add_consumer(wish(version="1.x"), settings, NOW)
    moved = add_consumer(wish(version="2.x"), settings, NOW)
    assert moved.was is not None
    assert moved.was["version_range"] == "1.x"
    assert [row["major"] for row in list_consumers(settings, ORDERS)] == [2]
    with pytest.raises(SettingError, match="includes several MAJOR versions"):
        add_consumer(wish(version=">=1.0.0"), settings, NOW)


def test_without_a_range_the_newest_active_line_is_meant_or_that_of_the_named_version(settings: Settings):
    register_text(settings.registry.url, settings.root, contract_text(version="3.0.0", status="draft"))
    assert add_consumer(wish(), settings, NOW).row["version_range"] == "2.x"
    assert add_consumer(wish(contract=f"{ORDERS}:1.1.0"), settings, NOW).row["version_range"] == "1.x"


def test_a_contract_has_other_names(settings: Settings):
    Path("orders.yaml").write_text(contract_text(version="9.0.0"))
    for name in ("urn:orders", "silver.sales.orders", "orders.yaml"):
        assert add_consumer(wish(contract=name), settings, NOW).row["contract_id"] == ORDERS


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"contract": "sales.shop/order"}, "No contract is registered as 'sales.shop/order'\n.*'sales.shop/orders'"),
        ({"contract": f"{ORDERS}:1.7.0"}, "has no version 1.7.0\n.*1.0.0, 1.1.0, 2.0.0"),
        ({"columns": ["emial"]}, "has no column 'emial'\n.*Did you mean 'email'?"),
        ({"columns": [" ", ""]}, "No column given"),
        ({"version": "4.x"}, "No version of sales.shop/orders is in '4.x'"),
        ({"version": "latest"}, "'latest' is not a range of versions"),
        ({"team": " "}, "needs a team"),
        ({"contact": ""}, "needs a contact"),
        ({"through": "sales.shop/none"}, "'sales.shop/none' is neither registered nor a contract of this"),
        ({"through": ORDERS}, "cannot be produced from itself"),
    ],
)
def test_what_cannot_be_registered_is_said_and_nothing_is_written(settings: Settings, said: dict, words: str):
    with pytest.raises(FloeError) as error:
        add_consumer(wish(**said), settings, NOW)
    assert re.search(words, str(error.value), re.DOTALL), str(error.value)
    assert rows(settings, consumers) == []


def test_a_draft_cannot_be_relied_on(settings: Settings):
    register_text(settings.registry.url, settings.root, contract_text("sales.shop/idea", status="in development"))
    with pytest.raises(RegistryError, match=r"Contract sales.shop/idea:1.0.0 is a draft"):
        add_consumer(wish(contract="sales.shop/idea"), settings, NOW)


def test_the_end_of_a_line_is_warned_of_then_refused(settings: Settings):
    add_consumer(wish(team="old", version="1.x"), settings, NOW)
    said = Announcement(
        sunset_date=date(2026, 4, 1), retire_date=date(2026, 4, 8), replacement=f"{ORDERS}:2.0.0", reason="old"
    )
    deprecate(Line(ORDERS, 1, settings, NOW), said)

    def try_on(day: int, team: str):
        return add_consumer(wish(team=team, version="1.x"), settings, datetime(2026, 4, day, tzinfo=UTC))

    (warned,) = add_consumer(wish(team="new", version="1.x"), settings, NOW).findings
    assert (warned.code, warned.message) == (
        "E570",
        "Contract sales.shop/orders:1.1.0 is deprecated. Sunset date: 2026-04-01. Migrate to: sales.shop/orders:2.0.0",
    )
    with pytest.raises(ContractError) as sunset:
        try_on(1, "newer")
    assert (sunset.value.code, sunset.value.message) == (
        "E571",
        "Contract sales.shop/orders:1.1.0 is sunset. Immediate migration required to: sales.shop/orders:2.0.0",
    )
    assert [one.code for one in try_on(1, "old").findings] == ["E571"]
    with pytest.raises(ContractError) as retired:
        try_on(8, "old")
    assert retired.value.code == "E572"
    assert [row["team"] for row in list_consumers(settings, ORDERS)] == ["new", "old"]


def test_lists_are_of_a_contract_or_a_team_and_the_removed_are_gone(settings: Settings):
    register_text(settings.registry.url, settings.root, contract_text("sales.shop/customers"))
    add_consumer(wish(), settings, NOW)
    add_consumer(wish(team="ml"), settings, NOW)
    add_consumer(wish(contract="sales.shop/customers"), settings, NOW)
    assert len(list_consumers(settings)) == 3
    assert [row["contract"] for row in list_consumers(settings, team="bi")] == ["sales.shop/customers", ORDERS]
    assert [row["team"] for row in remove_consumer(wish(), settings, NOW)] == ["bi"]
    assert [row["team"] for row in list_consumers(settings, ORDERS)] == ["ml"]
    with pytest.raises(RegistryError, match=r"Team 'bi' is not a consumer of sales.shop/orders; registered: ml"):
        remove_consumer(wish(), settings, NOW)
    assert add_consumer(wish(), settings, NOW).was is None
    assert len(list_consumers(settings, ORDERS)) == 2


def next_major(**said: str) -> Path:
    path = Path("orders_v4.yaml")
    path.write_text(contract_text(version="4.0.0", fields=FIELDS.replace("name: email", "name: mail"), **said))
    return path


def test_a_team_signs_off_the_very_change_that_a_file_makes(settings: Settings):
    add_consumer(wish(version="2.x"), settings, NOW)
    path = next_major()
    asked = Agreement(contract=ORDERS, version="4.0.0", team="bi", reason="fine", file=str(path))
    first, again = sign_off(asked, settings, NOW), sign_off(asked, settings, NOW)
    assert (first.new, again.new, first.row["diff_hash"]) == (True, False, again.row["diff_hash"])
    path.write_text(path.read_text().replace("decimal(12,2)", "decimal(10,2)"))
    other = sign_off(asked, settings, NOW)
    assert other.new
    assert other.row["diff_hash"] != first.row["diff_hash"]
    kept = rows(settings, sign_offs)
    assert [(row["team"], row["decision"], row["reason"], row["by"]) for row in kept] == [
        ("bi", "signed", "fine", "me")
    ] * 2


def test_a_sign_off_names_the_change_that_consumers_were_told_of(settings: Settings):
    from floe.registry import open_store
    from floe.registry.store import audited

    add_consumer(wish(version="2.x"), settings, NOW)
    told = {"version": "4.0.0", "diff_hash": "sha256:" + "a" * 64}
    with open_store(settings.registry.url, settings.root).begin(writes=True) as connection:
        audited(connection, actor="x", verb="notice", subject=ORDERS, at="2026-02-01T00:00:00.000Z", **told)
    made = sign_off(Agreement(contract=ORDERS, version="4.0.0", team="bi"), settings, NOW)
    assert made.row["diff_hash"] == told["diff_hash"]
    named = Agreement(contract=ORDERS, version="4.0.0", team="bi", diff="sha256:" + "b" * 64)
    assert sign_off(named, settings, NOW).row["diff_hash"] == "sha256:" + "b" * 64


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"team": "ml"}, "Team 'ml' is not a consumer of sales.shop/orders; registered: bi"),
        ({"team": None}, "No team given"),
        ({"version": "4"}, "'4' is not a version"),
        ({"version": "1.5.0", "file": None}, "is not a later MAJOR than 1, so it needs no sign-off"),
        ({"version": "5.0.0", "file": None}, "sales.shop/orders:5.0.0 is unknown"),
        ({"version": "5.0.0"}, "is sales.shop/orders:4.0.0, not sales.shop/orders:5.0.0"),
        ({"diff": "abc"}, "'abc' is not the hash of a diff"),
        ({"override": True, "reason": "now"}, "the owner is 'owner@acme.com', you are 'me'"),
        ({"override": True}, "needs a reason"),
    ],
)
def test_what_cannot_be_signed_off_is_said_and_nothing_is_written(settings: Settings, said: dict, words: str):
    add_consumer(wish(version="2.x"), settings, NOW)
    known = {"contract": ORDERS, "version": "4.0.0", "team": "bi", "file": str(next_major())}
    with pytest.raises(FloeError, match=words):
        sign_off(Agreement(**{**known, **said}), settings, NOW)
    assert rows(settings, sign_offs) == []


def test_an_owner_overrides_with_a_reason_that_is_kept(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FLOE_ACTOR", "owner@acme.com")
    owner = load_settings({"registry.url": settings.registry.url}, start=settings.root)
    asked = Agreement(contract=ORDERS, version="4.0.0", override=True, reason="law", file=str(next_major()))
    sign_off(asked, owner, NOW)
    (row,) = rows(settings, sign_offs)
    assert (row["team"], row["decision"], row["reason"], row["by"]) == ("*", "override", "law", "owner@acme.com")
    verbs = [row["verb"] for row in rows(settings, audit)]
    assert verbs[-1] == "consumers override"


def test_many_register_at_once_and_each_is_kept_once(settings: Settings):
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda n: add_consumer(wish(team=f"team{n % 3}"), settings, NOW), range(12)))
    assert sum(one.was is None for one in made) == 3
    assert [row["team"] for row in list_consumers(settings, ORDERS)] == ["team0", "team1", "team2"]
