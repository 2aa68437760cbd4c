"""Naming a contract, and finding its table: each way of the specification, in its order."""

from pathlib import Path

import pytest

import floe
from floe.actions.load.find import find_contract, find_layer
from floe.actions.load.settings import load_settings
from floe.actions.plan import plan
from floe.engine.plan import make_plan
from floe.model import Contract, Dataset, FloeError
from floe.model.contract import Target
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target
from tests.conftest import CONTRACT


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    path = tmp_path / "contracts/silver/commerce/orders_clean.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(CONTRACT.read_text())
    return load_settings(start=tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "silver.commerce.orders_clean",
        "urn:datacontract:silver:commerce:orders_clean",
        "commerce.orders/orders_clean",
        "commerce.orders/orders_clean:1.0.0",
        str(CONTRACT),
        CONTRACT,
        CONTRACT.read_text(),
    ],
)
def test_every_name_of_a_contract(settings: Settings, name):
    contract, dataset = find_contract(name, settings)
    assert (contract.identity, dataset.name) == ("commerce.orders/orders_clean:1.0.0", "orders_clean")
    assert find_contract(contract, settings)[0] is contract


BASE = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:base
version: 1.0.0
status: active
slaProperties: [{property: freshness, value: 24, unit: h}]
schema:
  - {name: "*", properties: [{name: customer_id, logicalTypeOptions: {pattern: "^C"}}]}
"""


def test_tables_are_held_to_what_a_contract_inherits(settings: Settings, tmp_path: Path):
    (tmp_path / "contracts/base.yaml").write_text(BASE)
    child = CONTRACT.read_text() + "customProperties:\n  - {property: extends, value: urn:base}\n"
    (tmp_path / "contracts/silver/commerce/orders_clean.yaml").write_text(child)
    contract, dataset = find_contract("silver.commerce.orders_clean", settings)
    assert [one.name for one in contract.datasets] == ["orders_clean"]
    (made,) = plan("silver.commerce.orders_clean", settings)
    assert make_plan(contract, dataset) == made
    assert {"orders_clean.customer_id:pattern-mismatch", "orders_clean:sla.freshness"} <= {
        one.id for one in made.expectations
    }

    (tmp_path / "contracts/base.yaml").unlink()
    with pytest.raises(floe.ContractError, match="Parent 'urn:base' is not found") as caught:
        find_contract("silver.commerce.orders_clean", settings)
    assert caught.value.code == "E516"


def test_a_name_that_fits_several_lists_them(settings: Settings, tmp_path: Path):
    copy = tmp_path / "contracts/silver/commerce/copy.yaml"
    copy.write_text(CONTRACT.read_text().replace("version: 1.0.0", "version: 2.0.0"))
    with pytest.raises(floe.ContractError, match="is the name of 2 contracts") as caught:
        find_contract("commerce.orders/orders_clean", settings)
    assert "copy.yaml" in str(caught.value)
    assert find_contract("commerce.orders/orders_clean:2.0.0", settings)[0].version == "2.0.0"


def test_a_contract_of_several_datasets_is_asked_which(settings: Settings):
    text = CONTRACT.read_text() + "  - {name: second, properties: [{name: a, physicalType: int}]}\n"
    with pytest.raises(floe.ContractError, match="has 2 datasets"):
        find_contract(text, settings)


def test_the_root_is_the_nearest_folder_with_a_manifest(tmp_path: Path):
    (tmp_path / "manifest.yaml").write_text("tables: {format: iceberg}\n")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    found = load_settings(start=below)
    assert (found.root, found.tables.format) == (tmp_path, "iceberg")


def named(settings: Settings, old: str = "", new: str = "") -> tuple[Contract, Dataset]:
    return find_contract(CONTRACT.read_text().replace(old, new), settings)


def servers(text: str) -> tuple[str, str]:
    return "schema:\n", f"servers: {text}\nschema:\n"


LOCAL = "{server: dev, type: local, path: 'data/{table}', format: delta}"
BRICKS = "{server: lake, environment: prod, type: databricks, host: h, catalog: main, schema: sales}"


def test_what_is_given_wins(settings: Settings):
    contract, dataset = named(settings)
    known = {"format": "delta", "name": None, "location": "/seen"}
    assert find_target(settings, contract, dataset, TableSelector("ice.a.b"), known) == Target("iceberg", "ice.a.b")
    assert find_target(settings, contract, dataset, TableSelector("lake.a.b"), known) == Target("delta", "lake.a.b")
    assert find_target(settings, contract, dataset, TableSelector("/x/y"), known) == Target("delta", path="/x/y")
    assert find_target(settings, contract, dataset, TableSelector(), known) == Target("delta", path="/seen")


def test_a_server_leads_to_its_table(settings: Settings):
    one = named(settings, *servers(f"[{LOCAL}]"))
    assert find_target(settings, *one, TableSelector(), None) == Target(
        "delta", path=f"{settings.root}/data/orders_clean"
    )
    two = named(settings, *servers(f"[{LOCAL}, {BRICKS}]"))
    for word in ("lake", "prod"):
        assert find_target(settings, *two, TableSelector(server=word), None) == Target(
            "delta", "main.sales.orders_clean"
        )
    with pytest.raises(FloeError, match="has 2 servers"):
        find_target(settings, *two, TableSelector(), None)
    with pytest.raises(FloeError, match=r"No server of .* has the name 'test'"):
        find_target(settings, *two, TableSelector(server="test"), None)


def test_a_server_of_another_kind_is_passed_over(settings: Settings):
    kafka = named(settings, *servers("[{server: k, type: kafka, host: h}]"))
    assert (
        find_target(settings, *kafka, TableSelector(), None).path
        == f"{settings.root}/.floe/warehouse/silver_commerce/orders_clean"
    )
    csv = named(settings, *servers("[{server: c, type: local, path: x.csv, format: csv}]"))
    with pytest.raises(FloeError, match=r"has csv data at x\.csv, which floe does not read by path"):
        find_target(settings, *csv, TableSelector(), None)


def test_else_the_table_id_leads_to_it(settings: Settings, tmp_path: Path):
    contract, dataset = named(settings)
    iceberg = load_settings({"tables.format": "iceberg"}, start=tmp_path)
    assert find_target(iceberg, contract, dataset, TableSelector(), None) == Target(
        "iceberg", "ice.silver_commerce.orders_clean"
    )


def test_without_a_layer_the_physical_name_is_the_table(settings: Settings):
    bare = CONTRACT.read_text().replace("physicalName: silver.commerce.orders_clean", "physicalName: lake.sales.orders")
    bare = bare.replace("    customProperties:\n      - property: layer\n        value: silver\n", "")
    contract, dataset = find_contract(bare, settings)
    assert find_target(settings, contract, dataset, TableSelector(), None) == Target("delta", "lake.sales.orders")
    with pytest.raises(FloeError, match="layer of 'orders_clean' is unknown"):
        find_layer(contract, dataset, None)
    assert find_layer(contract, dataset, "gold") == "gold"


VARIABLES = (
    CONTRACT.read_text()
    .replace("apiVersion: v3.1.0", "apiVersion: v3.2.0")
    .replace(
        "schema:\n  - name: orders_clean",
        "servers: [{server: dev, type: local, path: '${LAKE}/{table}', format: delta}]\nschema:\n  - name: orders_clean",
    )
    .replace("maximum: 1000000", "maximum: ${MOST:-1000000}")
)


def test_variables_get_their_values_where_a_contract_is_used(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    allowing = load_settings({"variables": ["LAKE"]}, start=tmp_path)
    with pytest.raises(floe.ContractError, match="no value for the variable LAKE"):
        find_contract(VARIABLES, allowing)
    monkeypatch.setenv("LAKE", "/lake-of-variables")
    contract, dataset = find_contract(VARIABLES, allowing)
    assert find_target(allowing, contract, dataset, TableSelector(), None) == Target(
        "delta", path="/lake-of-variables/orders_clean"
    )
    assert dataset.fields[4].options["maximum"] == 1000000
    with pytest.raises(floe.ContractError, match=r"variables: \[LAKE\]"):
        find_contract(VARIABLES, settings)  # which name no variables


def test_outside_servers_a_variable_has_its_default_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LAKE", "/lake-of-variables")
    monkeypatch.setenv("MOST", "99.5")
    not_named = load_settings({"variables": ["LAKE"]}, start=tmp_path)
    assert find_contract(VARIABLES, not_named)[1].fields[4].options["maximum"] == 1000000
    named = load_settings({"variables": ["LAKE", "MOST"]}, start=tmp_path)
    with pytest.raises(floe.ContractError, match="MOST has a value in servers only"):
        find_contract(VARIABLES, named)
    without = VARIABLES.replace("${MOST:-1000000}", "${MOST}")
    with pytest.raises(floe.ContractError, match=r":\d+:\d+: the variable MOST has no value"):
        find_contract(without, not_named)


def test_variables_stay_as_written_where_a_contract_is_only_read(settings: Settings):
    assert floe.load(VARIABLES, settings).servers[0].values["path"] == "${LAKE}/{table}"
    assert "${LAKE}" in floe.convert(VARIABLES, "odcs-3.2").text
