"""`floe diff` with a live table, read without Spark: what differs, and nothing that a table cannot tell."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from floe.cli.main import main

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:acme:orders
name: orders
version: 1.2.0
status: active
domain: sales
dataProduct: shop
servers: [{server: p, type: local, path: x, format: delta}]
slaProperties: [{property: freshness, value: 4h}]
schema:
  - name: orders
    physicalName: db.orders
    quality: [{metric: rowCount, mustBeGreaterThan: 0}]
    properties:
      - {name: id, physicalType: bigint, required: true, primaryKey: true, description: the key}
      - {name: total, physicalType: "decimal(12,2)", classification: internal, quality: [{metric: nullValues, mustBe: 0}]}
      - {name: day, physicalType: date, partitioned: true, partitionKeyPosition: 1}
      - {name: count, logicalType: integer}
      - {name: code, physicalType: "varchar(10)", tags: [a]}
      - name: lines
        logicalType: array
        items:
          logicalType: object
          properties:
            - {name: sku, physicalType: string, required: true, description: article}
            - {name: qty, physicalType: int}
"""
SKU = [pa.field("sku", pa.string()), pa.field("qty", pa.int32())]
COLUMNS = {
    "id": pa.field("id", pa.int64(), nullable=False),
    "total": pa.field("total", pa.decimal128(12, 2)),
    "day": pa.field("day", pa.date32()),
    "count": pa.field("count", pa.int32()),
    "code": pa.field("code", pa.string()),
    "lines": pa.field("lines", pa.list_(pa.struct(SKU))),
}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("orders.yaml").write_text(CONTRACT)


def table(path, columns, partition=("day",)):
    schema = pa.schema(list(columns.values()))
    write_deltalake(path, pa.Table.from_pylist([], schema=schema), partition_by=list(partition))


def answer(capsys, *words):
    code = main(["diff", *words, "--format", "json"])
    (result,) = json.loads(capsys.readouterr().out)["results"]
    return code, result


def test_a_table_that_keeps_its_contract_does_not_differ(capsys):
    table("out/orders", COLUMNS)
    for words in (("table:out/orders", "orders.yaml"), ("orders.yaml", "table:out/orders")):
        code, result = answer(capsys, *words)
        assert (code, result["ok"], result["changes"], result["findings"]) == (0, True, [], [])
        assert any("has no rules, service levels, keys" in note for note in result["notes"])
    assert (result["from"], result["to"]) == ("1.2.0", "table:out/orders")
    assert main(["diff", "table:out/orders", "orders.yaml"]) == 0
    assert "a table has no rules" in capsys.readouterr().out


DRIFTED = {
    **COLUMNS,
    "id": pa.field("id", pa.int64()),
    "total": pa.field("total", pa.float64()),
    "count": pa.field("count", pa.string()),
    "lines": pa.field("lines", pa.list_(pa.struct([SKU[0], pa.field("qty", pa.int64())]))),
    "extra": pa.field("extra", pa.string()),
}
del DRIFTED["code"]


def test_what_differs_is_named_from_either_side(capsys):
    table("out/orders", DRIFTED, partition=())
    code, result = answer(capsys, "orders.yaml", "table:out/orders")
    said = {(one["row"], one["path"], str(one["old"]), str(one["new"])) for one in result["changes"]}
    assert said == {
        ("C8", "orders.id", "required", "optional"),
        ("D5", "orders.total", "decimal(12,2)", "double"),
        ("D16", "orders.count", "integer", "string"),
        ("D1", "orders.lines[].qty", "int", "bigint"),
        ("C1", "orders.code", "varchar(10)", "None"),
        ("C2", "orders.extra", "None", "string"),
        ("K12", "orders", "['day']", "[]"),
    }
    drift = {(one["code"], one["severity"], one["message"].rpartition(" ")[2].strip("'")) for one in result["findings"]}
    assert drift == {
        ("FLOE-E533", "error", "orders.id"),
        ("FLOE-E530", "critical", "orders.total"),
        ("FLOE-E530", "critical", "orders.count"),
        ("FLOE-E530", "critical", "orders.lines[].qty"),
        ("FLOE-E531", "critical", "orders.code"),
        ("FLOE-E532", "info", "orders.extra"),
        ("FLOE-E534", "error", "orders"),
    }
    assert (code, result["bump"]) == (1, "MAJOR")
    _, back = answer(capsys, "table:out/orders", "orders.yaml")
    assert {one["path"] for one in back["changes"]} == {one["path"] for one in result["changes"]}
    assert {(one["code"], one["message"]) for one in back["findings"]} == {
        (one["code"], one["message"]) for one in result["findings"]
    }
    (total,) = [one for one in back["findings"] if "orders.total" in one["message"]]
    assert (total["file"], total["line"]) == ("orders.yaml", 17)


def test_a_not_null_constraint_of_delta_is_required_and_others_are_named(capsys):
    from deltalake import DeltaTable

    table("out/orders", {**COLUMNS, "id": pa.field("id", pa.int64())})
    held = DeltaTable("out/orders").alter
    held.add_constraint({"id_there": "id IS NOT NULL"})
    DeltaTable("out/orders").alter.add_constraint({"positive": "total >= 0"})
    code, result = answer(capsys, "orders.yaml", "table:out/orders")
    assert (code, result["changes"]) == (0, [])
    assert any(note.endswith("not compared: positive") for note in result["notes"])


def test_an_iceberg_table_by_its_catalog_name(capsys):
    from pyiceberg.catalog import load_catalog
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.transforms import IdentityTransform
    from pyiceberg.types import DateType, LongType, NestedField, StringType

    Path("manifest.yaml").write_text(
        "catalogs: {ice: {type: sql, uri: 'sqlite:///catalog.db', warehouse: warehouse}}\n"
    )
    here = Path.cwd()
    catalog = load_catalog("ice", type="sql", uri=f"sqlite:///{here}/catalog.db", warehouse=f"file://{here}/warehouse")
    catalog.create_namespace("db")
    schema = Schema(
        NestedField(1, "id", LongType(), required=True),
        NestedField(2, "name", StringType()),
        NestedField(3, "day", DateType()),
    )
    spec = PartitionSpec(PartitionField(3, 1000, IdentityTransform(), "day"))
    catalog.create_table("db.people", schema, partition_spec=spec)
    Path("people.yaml").write_text(
        "apiVersion: v3.1.0\nkind: DataContract\nid: people\nname: people\nversion: 1.0.0\nstatus: active\nschema:\n"
        "  - name: people\n    properties:\n"
        "      - {name: id, physicalType: int, required: true}\n"
        "      - {name: name, physicalType: string}\n"
        "      - {name: day, physicalType: date, partitioned: true}\n"
    )
    _, result = answer(capsys, "people.yaml", "table:ice.db.people")
    assert [(one["row"], one["path"]) for one in result["changes"]] == [("D1", "people.id")]
    assert [one["code"] for one in result["findings"]] == ["FLOE-E530"]


def test_two_tables(capsys):
    table("a", COLUMNS)
    table("b", DRIFTED)
    code, result = answer(capsys, "table:a", "table:b")
    assert (code, result["bump"]) == (0, "MAJOR")
    assert ("D1", "a.lines[].qty") in {(one["row"], one["path"]) for one in result["changes"]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["table:out/nowhere", "orders.yaml"], "There is no table at"),
        (["orders.yaml", "table:db.orders"], "is in Spark's catalog"),
        (["table:empty", "orders.yaml"], "it is not a Delta table"),
        (["table:", "orders.yaml"], "table: has no table name"),
        (["table:out/orders"], "A new version is needed"),
        (["table:a", "folder"], "folder contains 2 contracts, but one is compared with a table"),
        (["table:a", "two.yaml"], "None of the 2 datasets of two.yaml has the name 'a'"),
        (["table:a", "orders.yaml", "--transitive"], "--transitive is not available for tables"),
        (["table:ice.db.orders", "orders.yaml"], "There is no table at ice.db.orders"),
    ],
)
def test_what_cannot_be_compared_is_said_and_exits_2(capsys, words, said):
    table("a", COLUMNS)
    Path("empty").mkdir()
    Path("folder").mkdir()
    for name in ("one", "other"):
        Path(f"folder/{name}.yaml").write_text(CONTRACT.replace("name: orders\nversion", f"name: {name}\nversion"))
    Path("two.yaml").write_text(CONTRACT + "  - {name: other}\n")
    assert main(["diff", *words]) == 2
    assert said in capsys.readouterr().err
