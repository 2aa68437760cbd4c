"""JSON Schema as a contract, and a contract as JSON Schema."""

import json

import jsonschema_rs
import pytest

from floe.actions.convert import convert
from floe.contract.formats import odcs
from floe.contract.formats.foreign import json_schema_read
from floe.contract.formats.foreign.table import document
from floe.contract.formats.text import json_text
from floe.model import ContractError, Dataset
from tests.helpers.conversions import ORDERS

WRITTEN_ELSEWHERE = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "person",
    "type": "object",
    "required": ["id", "mail"],
    "properties": {
        "id": {"type": "integer"},
        "mail": {"type": "string", "format": "email", "maxLength": 80},
        "age": {"type": "integer", "minimum": 0, "exclusiveMaximum": 150},
        "nick": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "home": {"$ref": "#/definitions/address"},
        "scores": {"type": "object", "additionalProperties": {"type": "number"}},
        "kind": {"oneOf": [{"const": "a"}, {"const": "b"}]},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "mixed": {"type": ["string", "integer"]},
    },
    "definitions": {"address": {"type": "object", "required": ["zip"], "properties": {"zip": {"type": "string"}}}},
    "if": {"properties": {"age": {"const": 1}}},
}


def dataset(schema: dict) -> tuple[Dataset, list[str]]:
    tree = json_text.parse(json.dumps(schema), "x.json")
    table, lost = json_schema_read.read(tree, "x")
    contract, findings = odcs.read(document("x", [table], tree.place), "x.json")
    assert findings == []
    assert contract is not None
    return contract.datasets[0], [str(one) for one in lost]


def test_a_schema_written_elsewhere():
    got, lost = dataset(WRITTEN_ELSEWHERE)
    assert got.name == "person"
    assert {part.column: f"{part.type}{' required' if part.required else ''}" for part in got.fields} == {
        "id": "integer required",
        "mail": "string required",
        "age": "integer",
        "nick": "string",
        "home": "struct<zip:string not null>",
        "scores": "map<string,number not null>",
        "kind": "string",
        "tags": "array<string not null>",
        "mixed": "any",
    }
    by_name = {part.column: part for part in got.fields}
    assert dict(by_name["mail"].options) == {"maxLength": 80, "format": "email"}
    assert dict(by_name["age"].options) == {"minimum": 0, "exclusiveMaximum": 150}
    assert by_name["kind"].values == ("a", "b")
    assert lost == ["keyword if: the root", "keyword type with alternatives: mixed"]


def test_flags_of_draft_4_are_bounds():
    got, _ = dataset(
        {"type": "object", "properties": {"a": {"type": "number", "minimum": 1, "exclusiveMinimum": True}}}
    )
    assert dict(got.fields[0].options) == {"exclusiveMinimum": 1}


def test_the_written_schema_is_valid_and_judges_rows():
    schema = json.loads(convert(ORDERS, "json-schema").text)
    jsonschema_rs.meta.validate(schema)
    judge = jsonschema_rs.validator_for(schema)
    row = {"order_id": 1, "status": "open", "total": 3.5, "lines": [{"sku": "a"}]}
    assert judge.is_valid(row)
    for wrong in (
        {"status": "lost"},
        {"total": -1},
        {"order_id": None},
        {"lines": [None]},
        {"lines": [{"quantity": 1}]},
    ):
        assert not judge.is_valid(row | wrong)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "object", "properties": {"a": {"$ref": "#"}}}, "refers to itself through"),
        ({"type": "object", "properties": {"a": {"$ref": "other.json"}}}, "points outside the document"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}}, "does not exist in the document"),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "string"}, "no object with properties"),
        ({"type": "object", "properties": {"a": {"x-spark-type": "wibble"}}}, "Unknown type for 'a'"),
    ],
)
def test_what_cannot_be_a_table_is_said(schema, message):
    with pytest.raises(ContractError, match=message):
        dataset(schema)


def test_references_that_multiply_are_refused():
    many = {
        f"d{i}": {"type": "object", "properties": {k: {"$ref": f"#/$defs/d{i + 1}"} for k in "ab"}} for i in range(30)
    }
    many["d30"] = {"type": "string"}
    with pytest.raises(ContractError, match="100,000 columns"):
        dataset({"$defs": many, "$ref": "#/$defs/d0"})


@pytest.mark.parametrize(("kind", "form"), [("string", "date-time"), ("varchar(30)", "date"), ("string", "email")])
def test_text_that_looks_like_a_date_stays_text(kind, form):
    text = (
        "apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\nschema:\n"
        f"  - name: t\n    properties:\n      - name: seen\n        logicalType: string\n        physicalType: {kind}\n"
        f"        logicalTypeOptions: {{format: {form}, maxLength: 20}}\n"
    )
    got, _ = dataset(json.loads(convert(text, "json-schema").text))
    assert str(got.fields[0].type) == kind
    assert dict(got.fields[0].options) == {"format": form, "maxLength": 20}
