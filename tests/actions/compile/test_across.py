"""Contracts side by side: ids, tables, labels, owners, input ports, tables in an Iceberg catalog."""

from pathlib import Path

import pytest

import floe
from floe.model import Severity
from tests.helpers.products import DOCUMENT, HEAD, PRODUCT, write

BARE = PRODUCT.split("output_ports", maxsplit=1)[0]
TABLE = "schema: [{name: orders, physicalName: gold.sales.orders%s}]\n"


@pytest.fixture(autouse=True)
def _stand_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, floe=BARE, manifest="")


def said(least: Severity = Severity.WARNING, folder: str = ".", **options) -> list[tuple[str, str, str]]:
    found = [one for one in floe.compile(folder, **options).findings if one.severity >= least]
    return [(one.code, str(one.severity), one.message) for one in found]


def test_one_table_promised_twice_with_two_owners():
    for name in ("a", "b"):
        team = f"team: {{members: [{{username: {name}, role: owner}}]}}\n"
        write(Path(), **{f"contracts__{name}": HEAD.format(id=name) + team + TABLE % ""})
    expected = [
        ("E508", "warning", "Table 'gold.sales.orders' is described by two contracts"),
        ("E508", "warning", "Table 'gold.sales.orders' has two owners"),
    ]
    assert sorted(said()) == sorted(expected)
    assert sorted(said()) == sorted(expected)
    write(Path(), contracts__b=HEAD.format(id="b") + TABLE.replace("orders", "returns") % "")
    assert said() == []


def test_one_meaning_with_two_labels():
    for name, label in (("a", "pii"), ("b", "public"), ("c", "pii")):
        column = f"{{name: email, logicalType: string, classification: {label}}}"
        text = HEAD.format(id=name) + f"schema: [{{name: {name}, properties: [{column}]}}]\n"
        write(Path(), **{f"contracts__{name}": text})
    expected = [
        ("E508", "warning", "'b.email' is classified 'public', but 'a.email' of another contract 'pii'"),
        ("E508", "warning", "'c.email' is classified 'pii', but 'b.email' of another contract 'public'"),
    ]
    assert said() == expected
    assert said() == expected


@pytest.mark.parametrize(
    ("contract", "expected"),
    [
        ("sales.customer_360/orders", None),
        ("sales.customer_360/orders:1.0.0", None),
        ("orders", None),
        ("gold.sales.orders", None),
        ("sales.other/carts", None),
        ("sales.customer_360/orders:9.0.0", "critical"),
        ("sales.customer_360/ordres", "critical"),
        ("hr.people/staff", "warning"),
    ],
)
def test_input_ports_name_contracts_that_exist(contract: str, expected: str | None):
    other = BARE.replace("customer_360", "other") + "output_ports: [{name: carts, columns: {id: bigint}}]\n"
    write(Path(), q__floe=other, p__floe=BARE + f"input_ports: [{{name: i, contract: '{contract}'}}]\n")
    Path("floe.yaml").unlink()
    write(Path(), p__contracts__orders=HEAD.format(id="orders") + TABLE % "")
    message = f"Input port 'i' of 'sales.customer_360' names the contract '{contract}', which is not found"
    found = [("E500", expected, message)] if expected else []
    assert said() == found
    assert said(folder="p") == found


@pytest.mark.parametrize(
    ("status", "custom", "expected"),
    [
        ("active", "", []),
        (
            "deprecated",
            "",
            [("E570", "warning", "Contract orders is deprecated. Sunset date: 2099-01-01. Migrate to: carts")],
        ),
        (
            "deprecated",
            ", {property: lifecycleState, value: sunset}",
            [("E571", "error", "Contract orders is sunset. Immediate migration required to: carts")],
        ),
        ("retired", "", [("E572", "error", "Contract orders is retired and cannot be used. Migrate to: carts")]),
    ],
)
def test_an_input_port_that_names_an_ending_contract(status: str, custom: str, expected: list[tuple[str, str, str]]):
    told = "{property: deprecation, value: {announced: 2098-01-01, sunsetDate: 2099-01-01, replacement: carts}}"
    text = HEAD.format(id="orders").replace("active", status) + f"customProperties: [{told}{custom}]\n"
    write(Path(), p__floe=BARE, p__datacontract=text)
    write(Path(), q__floe=PRODUCT.replace("_360", "_1") + "input_ports: [{name: i, contract: orders}]\n")
    Path("floe.yaml").unlink()
    assert said() == expected
    assert said(folder="q") == expected


def test_types_in_an_iceberg_catalog_are_compared(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("pyiceberg")
    import pyarrow as pa
    from pyiceberg.catalog import load_catalog

    Path(".floe").mkdir()
    catalog = load_catalog(
        "ice", type="sql", uri="sqlite:///.floe/catalog.db", warehouse=f"file://{Path.cwd()}/.floe/warehouse"
    )
    catalog.create_namespace("gold_sales")
    inner = pa.struct([("street", pa.int32())])
    rows = [pa.field("customer_id", pa.string()), pa.field("address", inner), pa.field("more", pa.int64())]
    catalog.create_table("gold_sales.customers", pa.schema(rows))
    columns = "{customer_id: bigint, email: string, address: 'struct<street:string>'}"
    write(
        Path(),
        floe=BARE + f"output_ports: [{{name: customers, table: gold.sales.customers, columns: {columns}}}]\n",
        manifest="tables: {format: iceberg}\n",
    )
    result = floe.compile()
    assert result.failed
    assert sorted((one.code, one.message, one.detail) for one in result.findings if one.code >= "E530") == [
        ("E530", "Type mismatch for column 'address.street'", "Contract: string, Table: int"),
        ("E530", "Type mismatch for column 'customer_id'", "Contract: bigint, Table: string"),
        ("E531", "Column 'customers.email' is not in the table", "Table: ice.gold_sales.customers"),
        ("E532", "Table has column 'customers.more', which the contract does not", "Table: ice.gold_sales.customers"),
    ]
    assert "1 table compared" in result.steps[4][1]
    monkeypatch.setenv("FLOE_CATALOGS", '{"lake": {"type": "sql", "uri": "sqlite:///.floe/lake.db"}}')
    assert "no table reachable" in floe.compile().steps[4][1]


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        (".floe/warehouse/gold_sales/customers", None, None),
        ("other/gold_sales/customers", "FLOE_TABLES_WAREHOUSE", "other"),
        ("else/customers", "FLOE_TABLES_NAMES", '{"gold.sales.*": "./else/{table}"}'),
    ],
)
def test_the_settings_say_where_a_table_stands(where: str, name: str | None, value: str | None, monkeypatch):
    import pyarrow as pa
    from deltalake import write_deltalake

    write(Path(), floe=PRODUCT)
    Path(where).parent.mkdir(parents=True)
    write_deltalake(where, pa.table({"customer_id": [1], "email": ["a"]}))
    if name and value:
        assert "no table reachable" in floe.compile().steps[4][1]
        monkeypatch.setenv(name, value)
    assert "1 table compared" in floe.compile().steps[4][1]
    monkeypatch.setenv("FLOE_TABLES_FORMAT", "iceberg")
    assert ("1 table compared" in floe.compile().steps[4][1]) is (name == "FLOE_TABLES_NAMES")


@pytest.mark.parametrize("setting", ["DATA_CONTRACTS_STANDARD", "DATA_CONTRACTS_PLUGIN_TYPE"])
def test_another_standard_or_plugin_is_refused(setting: str, monkeypatch: pytest.MonkeyPatch):
    write(Path(), floe=PRODUCT)
    monkeypatch.setenv(f"FLOE_{setting}", "avro")
    with pytest.raises(floe.SettingError, match="avro"):
        floe.compile()


def test_no_number_of_processes_below_one():
    for number in (0, -1):
        with pytest.raises(floe.SettingError, match="expected 1 or more"):
            floe.compile(processes=number)


def test_two_contracts_with_one_id_in_two_products_are_found_again_from_what_is_kept():
    same = DOCUMENT.replace("customProperties: [{property: extends, value: %s}]\n", "")
    for name in ("p", "q"):
        write(Path(), **{f"{name}__floe": BARE.replace("customer_360", name), f"{name}__datacontract": same})
    Path("floe.yaml").unlink()
    expected = [("E508", "error", "Two contracts have the name 'customers'")]
    assert said() == expected
    assert said() == expected
