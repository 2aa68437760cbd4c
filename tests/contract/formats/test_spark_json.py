"""Spark's schema JSON as a contract."""

import json

import pytest

from floe.contract.formats.foreign import spark_json
from floe.contract.formats.foreign.table import struct_of
from floe.contract.formats.text import json_text
from floe.model import ContractError


def schema(*fields: dict) -> str:
    tree = json_text.parse(json.dumps({"type": "struct", "fields": list(fields)}), "x.json")
    return str(struct_of(spark_json.read(tree, "t").columns))


def field(type_: object, **more: object) -> dict:
    return {"name": "a", "type": type_, "nullable": True, "metadata": {}, **more}


def test_bounded_text_stands_in_the_metadata():
    metadata = {"__CHAR_VARCHAR_TYPE_STRING": "varchar(20)"}
    assert schema(field("string", metadata=metadata)) == "struct<a:varchar(20)>"


def test_comments_are_descriptions():
    tree = json_text.parse(json.dumps({"type": "struct", "fields": [field("long", metadata={"comment": "A"})]}), "x")
    assert spark_json.read(tree, "t").columns[0].description == "A"


def test_missing_flags_mean_nullable():
    assert schema({"name": "a", "type": {"type": "array", "elementType": "integer"}}) == "struct<a:array<int>>"


@pytest.mark.parametrize(
    ("type_", "message"),
    [("wibble", "Unknown type for 'a'"), ({"type": "udt"}, "Unknown type for 'a'"), (None, "Unknown type for 'a'")],
)
def test_unknown_types_are_said(type_, message):
    with pytest.raises(ContractError, match=message):
        schema(field(type_))


def test_a_field_without_a_name_is_said():
    with pytest.raises(ContractError, match="no name"):
        schema({"type": "long"})
