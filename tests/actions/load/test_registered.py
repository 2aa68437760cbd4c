"""A contract is found in files, then artifacts, then the registry, then the copies of what was read from it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

import floe
from floe.actions.load.find import find_contract, find_for_write, load_contract
from floe.actions.load.settings import load_settings
from floe.cli import main
from floe.registry import Store, open_store
from floe.settings import Settings
from tests.conftest import ROOT
from tests.helpers.customers import CUSTOMERS
from tests.helpers.postgres import Postgres
from tests.helpers.registered import folder_with, put, retire
from tests.helpers.repositories import contract, write

ORDERS = "sales.shop/orders"


@pytest.fixture
def heard() -> list[str]:
    return []


@pytest.fixture
def settings(registry_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heard: list[str]) -> Settings:
    monkeypatch.chdir(folder_with(registry_url, tmp_path / "root"))
    return load_settings(say=heard.append)


@pytest.fixture
def store(registry_url: str, settings: Settings) -> Store:
    return open_store(registry_url, settings.root)


@pytest.mark.parametrize(
    "name",
    [
        "crm.people/customers",
        "crm.people/customers:1.0.0",
        "urn:acme:customers",
        "urn:acme:customers:1.0.0",
        "silver.crm.customers",
        "registry:crm.people/customers",
        "registry:silver.crm.customers",
    ],
)
def test_every_name_finds_it_in_the_registry(store: Store, settings: Settings, name: str):
    put(store, CUSTOMERS)
    found, dataset = find_contract(name, settings)
    assert (found.identity, found.source) == ("crm.people/customers:1.0.0", "registry:crm.people/customers:1.0.0")
    assert (found.table_id(dataset), found.layer(dataset)) == ("silver.crm.customers", "silver")


def test_files_come_before_artifacts_and_these_before_the_registry(store: Store, settings: Settings):
    put(store, contract("1.2.0"))
    assert load_contract(ORDERS, settings).version == "1.2.0"
    text = contract("1.1.0")
    write(
        "shop/floe.yaml",
        "metadata: {name: shop, domain: sales, version: 1.0.0, owner: ann, repository: r}\noutput_ports: []\n",
    )
    write("shop/contracts/orders.yaml", text)
    assert floe.compile(".", settings=settings).contracts[0]["version"] == "1.1.0"
    found = load_contract(ORDERS, settings)
    assert (found.version, found.source) == ("1.1.0", f"compiled:{ORDERS}:1.1.0")
    assert load_contract(f"{ORDERS}:1.2.0", settings).source == f"registry:{ORDERS}:1.2.0"
    write("contracts/orders.yaml", contract("1.0.0"))
    assert load_contract(ORDERS, settings).source.endswith("contracts/orders.yaml")
    assert load_contract(f"registry:{ORDERS}", settings).version == "1.2.0"


def test_compiled_contracts_keep_what_their_folder_and_product_said(settings: Settings):
    product = "metadata: {name: shop, domain: sales, version: 1.0.0, owner: ann, repository: r}\noutput_ports: []\n"
    write("shop/floe.yaml", product)
    bare = contract().replace(
        "domain: sales\ndataProduct: shop\n", "customProperties: [{property: extends, value: base.yaml}]\n"
    )
    write("shop/contracts/gold/sales/orders.yaml", bare)
    base = (
        contract(name="base")
        .replace("name: base\n    prop", 'name: "*"\n    prop')
        .replace("legacy_status", "loaded_at")
    )
    write("base.yaml", base)
    compiled = floe.compile(".", settings=settings)
    assert "sales.shop/orders:1.0.0" in [one["id"] for one in compiled.contracts]
    found, dataset = find_contract("gold.sales.orders", settings)
    assert (found.source, found.layer(dataset)) == ("compiled:sales.shop/orders:1.0.0", "gold")
    assert [field.name for field in dataset.fields] == ["order_id", "legacy_status", "loaded_at"]
    pretty = json.dumps(json.loads(Path("compiled_artifacts.json").read_text()), indent=1)
    Path("compiled_artifacts.json").write_text(pretty)
    assert find_contract("gold.sales.orders", settings)[0].version == "1.0.0"
    Path("compiled_artifacts.json").write_text(pretty[:500])
    with pytest.raises(floe.ContractError, match="is not a file of compiled artifacts or is truncated"):
        find_contract("gold.sales.orders", settings)


def test_the_version_in_effect_is_meant_and_a_retired_one_refused(store: Store, settings: Settings):
    put(store, contract("1.0.0"))
    put(store, contract("2.0.0", "order_id:string!"), effective_from="2999-01-01")
    assert load_contract(ORDERS, settings).version == "1.0.0"
    assert load_contract(f"{ORDERS}:2.0.0", settings).version == "2.0.0"
    retire(store, ORDERS, 1, replacement=f"{ORDERS}:2.0.0")
    assert load_contract(ORDERS, settings).version == "2.0.0"
    with pytest.raises(
        floe.ContractError, match=r"orders:1\.0\.0 is retired since 2026-03-01\. Migrate to: sales"
    ) as caught:
        load_contract(f"{ORDERS}:1.0.0", settings)
    assert (caught.value.code, caught.value.suggestion) == ("E572", "Its live MAJOR versions: 2")
    retire(store, ORDERS, 2)
    with pytest.raises(floe.ContractError, match="is retired"):
        load_contract(ORDERS, settings)


def test_unknown_and_ambiguous_names_are_said(store: Store, settings: Settings):
    put(store, contract())
    with pytest.raises(floe.ContractError, match=r"Unknown contract 'sales\.shop/order'") as caught:
        load_contract("sales.shop/order", settings)
    assert "Did you mean 'sales.shop/orders'?" in caught.value.suggestion
    with pytest.raises(floe.ContractError, match="No contract is registered as 'nothing'"):
        load_contract("registry:nothing", settings)
    put(store, contract(name="returns").replace("urn:acme:returns", "urn:acme:orders"))
    with pytest.raises(
        floe.ContractError, match=r"is the name of 2 registered contracts: sales\.shop/orders, sales\.shop/returns"
    ):
        load_contract("urn:acme:orders", settings)


def unreachable(settings: Settings, heard: list[str]) -> Settings:
    """The same root, and a registry nobody answers for."""
    url = "postgresql://nobody@127.0.0.1:1/none"
    return load_settings({"registry.url": url}, start=settings.root, say=heard.append)


def test_a_copy_stands_in_for_a_registry_out_of_reach(store: Store, settings: Settings, heard: list[str]):
    put(store, contract("1.0.0"))
    put(store, contract("1.1.0", "order_id:string!", "legacy_status:string", "note:string"))
    put(store, CUSTOMERS)
    for name in (f"{ORDERS}:1.0.0", ORDERS, "silver.crm.customers"):
        load_contract(name, settings)
    assert heard == []
    assert len(list((settings.root / ".floe/cache/contracts").iterdir())) == 3
    down = unreachable(settings, heard)
    found, dataset = find_contract("silver.crm.customers", down)
    assert (found.identity, found.layer(dataset)) == ("crm.people/customers:1.0.0", "silver")
    assert heard[-1].startswith("! FLOE-E542 warning: The registry postgresql")
    assert "using the copy of crm.people/customers:1.0.0 (sha256:" in heard[-1]
    assert [load_contract(name, down).version for name in (ORDERS, f"{ORDERS}:1.0.0", "urn:acme:orders")] == [
        "1.1.0",
        "1.0.0",
        "1.1.0",
    ]


def test_without_a_copy_silver_is_refused_and_bronze_captures(settings: Settings, heard: list[str]):
    down = unreachable(settings, heard)
    with pytest.raises(floe.RegistryError, match="cannot be used") as caught:
        find_for_write("silver.crm.customers", down)
    assert caught.value.code == "E542"
    assert find_for_write("bronze.crm.customers", down)[1].physical_name == "bronze.crm.customers"


def test_a_copy_that_was_changed_is_not_used(store: Store, settings: Settings, heard: list[str]):
    put(store, contract())
    load_contract(ORDERS, settings)
    (copy,) = (settings.root / ".floe/cache/contracts").iterdir()
    copy.write_text(copy.read_text().replace("legacy_status", "other_status"))
    with pytest.raises(floe.RegistryError):
        load_contract(ORDERS, unreachable(settings, heard))
    copy.write_text("{")
    with pytest.raises(floe.RegistryError):
        load_contract(ORDERS, unreachable(settings, heard))


def test_a_tampered_version_is_not_served(store: Store, settings: Settings):
    put(store, contract())
    load_contract(ORDERS, settings)  # there is a copy, but the registry answers, and wrongly
    with store.begin(writes=True) as connection:
        connection.execute(sa.text("UPDATE versions SET effective = '{}'"))
    with pytest.raises(floe.RegistryError, match="was changed in the database after it was registered"):
        load_contract(ORDERS, settings)


def test_a_database_that_stops_between_two_reads(postgres: Postgres, tmp_path: Path, heard: list[str]):
    root = folder_with(postgres.database(), tmp_path / "root")
    settings = load_settings(start=root, say=heard.append)
    put(open_store(settings.registry.url, root), contract())
    assert load_contract(ORDERS, settings).source.startswith("registry:")
    postgres.stop()
    try:
        assert load_contract(ORDERS, settings).source.startswith("cache:")
    finally:
        postgres.start()
    assert load_contract(ORDERS, settings).source.startswith("registry:")


def test_a_path_does_not_open_the_registry(tmp_path: Path):
    path = ROOT / "examples/lakehouse/contracts/silver/commerce/orders_clean.yaml"
    script = f"import sys\nfrom floe.actions.load.find import find_contract\nfrom floe.actions.load.settings import load_settings\nfind_contract({str(path)!r}, load_settings())\nprint('sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == "False"


def diff(capsys, *words: str) -> tuple[int, dict]:
    code = main(["diff", *words, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def test_registered_versions_are_compared(store: Store, settings: Settings, capsys):
    put(store, contract("1.0.0"))
    put(store, contract("1.1.0", "order_id:string!", "legacy_status:string", "note:string"))
    code, shape = diff(capsys, f"registry:{ORDERS}:1.0.0", f"registry:{ORDERS}")
    (result,) = shape["results"]
    assert (code, result["contract"], result["from"], result["to"], result["bump"]) == (
        0,
        ORDERS,
        "1.0.0",
        "1.1.0",
        "MINOR",
    )
    write("new.yaml", contract("1.2.0", "order_id:string!"))
    code, shape = diff(capsys, f"registry:{ORDERS}", "new.yaml")
    assert (code, shape["results"][0]["bump"], shape["results"][0]["from"]) == (1, "MAJOR", "1.1.0")
    code, shape = diff(capsys, "new.yaml", "registry:urn:acme:orders:1.0.0")
    assert (shape["results"][0]["from"], shape["results"][0]["to"]) == ("1.2.0", "1.0.0")


def test_a_new_version_is_compared_with_the_whole_registered_line(store: Store, settings: Settings, capsys):
    put(store, contract("1.0.0", "order_id:string!", "gone:string"))
    put(store, contract("1.1.0", "order_id:string!"))
    put(store, contract("2.0.0", "order_id:int!"))
    write("new.yaml", contract("1.2.0", "order_id:string!", "note:string"))
    _, shape = diff(capsys, "--transitive", f"registry:{ORDERS}:1.1.0", "new.yaml")
    (result,) = shape["results"]
    assert (result["from"], result["to"]) == ("1.1.0", "1.2.0")
    assert [(one["from"], one["bump"]) for one in result["transitive"]] == [("1.0.0", "MAJOR")]
    _, shape = diff(capsys, "--transitive", f"registry:{ORDERS}:1.1.0")
    assert [(one["from"], one["to"]) for one in shape["results"]] == [("1.0.0", "1.1.0")]
    _, shape = diff(capsys, "--transitive", f"registry:{ORDERS}", "new.yaml")
    assert shape["results"][0]["from"] == "1.1.0"


def test_a_side_that_is_not_registered_is_said(store: Store, settings: Settings, capsys):
    put(store, contract())
    assert main(["diff", "registry:sales.shop/order", f"registry:{ORDERS}"]) == 2
    assert "Did you mean 'sales.shop/orders'?" in capsys.readouterr().err
