"""Avro schemas as contracts, and what Avro bends."""

import json

import pytest

from floe.actions.convert import convert
from floe.contract.formats import odcs
from floe.contract.formats.foreign import avro_read
from floe.contract.formats.foreign.table import document
from floe.contract.formats.text import json_text
from floe.model import ContractError, Dataset

HEAD = "apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\nschema:\n"


def datasets(schema: object) -> tuple[tuple[Dataset, ...], list[str]]:
    tree = json_text.parse(json.dumps(schema), "x.avsc")
    tables, lost = avro_read.read(tree)
    contract, findings = odcs.read(document("x", tables, tree.place), "x.avsc")
    assert findings == []
    assert contract is not None
    return contract.datasets, [str(one) for one in lost]


def record(*fields: dict, **more: object) -> dict:
    return {"type": "record", "name": "r", "fields": list(fields), **more}


@pytest.mark.parametrize(
    ("avro", "spark"),
    [
        ("int", "int not null"),
        (["null", "long"], "bigint"),
        (["string", "null"], "string"),
        ({"type": "int", "logicalType": "date"}, "date not null"),
        ({"type": "long", "logicalType": "timestamp-millis"}, "timestamp not null"),
        ({"type": "long", "logicalType": "local-timestamp-micros"}, "timestamp_ntz not null"),
        (
            {"type": "fixed", "name": "d", "size": 8, "logicalType": "decimal", "precision": 9, "scale": 2},
            "decimal(9,2) not null",
        ),
        ({"type": "fixed", "name": "f", "size": 8}, "binary not null"),
        ({"type": "string", "logicalType": "uuid"}, "string not null"),
        ({"type": "array", "items": ["null", "int"]}, "array<int> not null"),
        ({"type": "map", "values": "double"}, "map<string,double not null> not null"),
        (["int", "long"], "bigint not null"),
        (["int", "string"], "struct<member0:int,member1:string> not null"),
        ({"type": "int", "spark.sql.catalyst.type": "smallint"}, "smallint not null"),
    ],
)
def test_types(avro, spark):
    (dataset,), _ = datasets(record({"name": "a", "type": avro}))
    assert str(dataset.schema) == f"struct<a:{spark}>"


def test_enums_docs_and_defaults():
    (dataset,), lost = datasets(
        record(
            {"name": "a", "type": {"type": "enum", "name": "e", "symbols": ["x", "y"]}, "doc": "A", "default": "x"},
            {"name": "b", "type": "int", "aliases": ["old"]},
            doc="Rows",
        )
    )
    assert dataset.node["description"] == "Rows"
    assert dataset.fields[0].values == ("x", "y")
    assert dataset.fields[0].node["description"] == "A"
    assert dataset.fields[0].node["customProperties"] == [{"property": "default", "value": "x"}]
    assert lost == ["field aliases: b"]


def test_named_types_are_found_by_namespace():
    inner = {"type": "record", "name": "p", "fields": [{"name": "x", "type": "int"}]}
    (dataset,), _ = datasets(
        record({"name": "a", "type": inner}, {"name": "b", "type": "n.p"}, {"name": "c", "type": "p"}, namespace="n")
    )
    part = "struct<x:int not null> not null"
    assert str(dataset.schema) == f"struct<a:{part},b:{part},c:{part}>"


def test_of_a_list_only_the_records_nobody_uses_are_datasets():
    inner = {"type": "record", "name": "p", "fields": [{"name": "x", "type": "int"}]}
    made, _ = datasets([inner, record({"name": "a", "type": "p"})])
    assert [dataset.name for dataset in made] == ["r"]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (record({"name": "a", "type": "r"}), "contains itself"),
        (record({"name": "a", "type": "nowhere"}), "Unknown type for 'a'"),
        (record({"name": "a"}), "no name or no type"),
        (record({"name": "a", "type": 7}), "Unknown type for 'a'"),
    ],
)
def test_what_is_no_tree_of_types_is_said(schema, message):
    with pytest.raises(ContractError, match=message):
        datasets(schema)


def test_names_avro_does_not_allow_are_bent_and_said():
    source = (
        HEAD
        + "  - name: my-table\n    properties:\n      - {name: a-b, logicalType: string}\n      - {name: a_b, logicalType: string}\n"
    )
    result = convert(source, "avro")
    schema = json.loads(result.text)
    assert (schema["name"], schema["floe.name"]) == ("my_table", "my-table")
    assert [field["name"] for field in schema["fields"]] == ["a_b", "a_b_2"]
    assert str(result.lost[0]) == (
        "names Avro does not allow (kept as floe.name): 'my-table' as my_table, 'a-b' as a_b, 'a_b' as a_b_2"
    )
    (dataset,), _ = datasets(schema)
    assert (dataset.name, [part.column for part in dataset.fields]) == ("my-table", ["a-b", "a_b"])


def test_values_that_are_no_symbols_stay_text_and_are_said():
    rule = "{metric: invalidValues, arguments: {validValues: [in stock]}, mustBe: 0}"
    source = HEAD + f"  - name: t\n    properties:\n      - {{name: a, logicalType: string, quality: [{rule}]}}\n"
    result = convert(source, "avro")
    assert json.loads(result.text)["fields"][0]["type"] == ["null", "string"]
    assert "listed values that are no Avro symbols: t.a" in map(str, result.lost)
