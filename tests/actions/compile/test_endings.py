"""Compile asks the registry about the contracts that input ports name."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

import floe
from floe.actions.lifecycle import Line, deprecate
from floe.actions.load.settings import load_settings
from floe.model.lifecycle import Announcement
from tests.helpers.consumers import contract_text, register_text

ORDERS = "sales.shop/orders"
PRODUCT = """metadata: {name: books, domain: fin, version: 1.0.0, owner: a@acme.com, repository: r}
output_ports: [{name: out, table: silver.fin.out, format: delta, columns: [{name: x, type: int}]}]
input_ports: [{name: i, contract: "%s"}]
"""


@pytest.fixture(autouse=True)
def _registry(registry_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLOE_REGISTRY_URL", registry_url)
    for name in (ORDERS, "sales.shop/orders_new"):
        register_text(registry_url, tmp_path, contract_text(name))
    now = datetime(2026, 3, 1, tzinfo=UTC)
    said = Announcement(
        sunset_date=date(2026, 4, 1), retire_date=date(2026, 4, 8), replacement="sales.shop/orders_new", reason="r"
    )
    deprecate(Line(ORDERS, 1, load_settings(), now), said)


def said(contract: str, today: date = date(2026, 3, 2)) -> list[tuple[str, str, str]]:
    Path("floe.yaml").write_text(PRODUCT % contract)
    found = floe.compile(".", today=today).findings
    return [(one.code, str(one.severity), one.message) for one in found if one.path == ("input_ports",)]


@pytest.mark.parametrize("name", [ORDERS, f"{ORDERS}:1.0.0"])
def test_what_the_registry_says_holds_by_the_day(name: str):
    assert said(name) == [
        (
            "E570",
            "warning",
            f"Contract {name} is deprecated. Sunset date: 2026-04-01. Migrate to: sales.shop/orders_new",
        )
    ]
    sunset = f"Contract {name} is sunset. Immediate migration required to: sales.shop/orders_new"
    assert said(name, date(2026, 4, 1)) == [("E571", "error", sunset)]
    assert [one[0] for one in said(name, date(2026, 4, 8))] == ["E572"]


def test_a_registered_contract_is_known_and_another_is_not():
    for name in ("sales.shop/orders_new", "urn:orders_new", "silver.sales.orders_new"):
        assert said(name) == []
    assert [one[0] for name in ("urn:orders", "silver.sales.orders") for one in said(name)] == ["E570", "E570"]
    assert [one[:2] for one in said("sales.shop/none")] == [("E500", "warning")]


def test_the_next_major_is_not_ending(registry_url: str, tmp_path: Path):
    register_text(registry_url, tmp_path, contract_text(version="2.0.0"))
    assert said(ORDERS) == []
    assert [one[0] for one in said(f"{ORDERS}:1.0.0")] == ["E570"]


def test_a_registry_out_of_reach_does_not_stop_a_compile(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FLOE_REGISTRY_URL", "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")
    assert [one[:2] for one in said(ORDERS)] == [("E500", "warning")]
