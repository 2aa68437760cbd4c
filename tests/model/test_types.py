"""schema_hash: ten golden hashes, each the sha256 of the canonical JSON beside it."""

import hashlib

import pytest

from floe.lang.type_text import parse_type
from floe.model.types import Struct, schema_hash

GOLDEN = [
    (
        "a:int",
        '{"fields":[{"name":"a","nullable":true,"type":"integer"}],"type":"struct"}',
        "84781b7348e833059329c9666d5c02db36329615d811b34d503b964ef001938e",
    ),
    (
        "a:bigint not null",
        '{"fields":[{"name":"a","nullable":false,"type":"long"}],"type":"struct"}',
        "a4e9e69ab5e643628165f29f26f66eff39326fce8a3f0fa8d84eb33f1c370220",
    ),
    (
        "a:int,b:string",
        '{"fields":[{"name":"a","nullable":true,"type":"integer"},{"name":"b","nullable":true,"type":"string"}],"type":"struct"}',
        "35badb1fef8c0b5ae0263dbdaed6e255db49c477ad7444b462381101e1d170bc",
    ),
    (
        "amount:decimal(14,2)",
        '{"fields":[{"name":"amount","nullable":true,"type":"decimal(14,2)"}],"type":"struct"}',
        "5d2c0905c221d3fe303c03d64e9b57363bec765ac9d70048fd0ee1e51d1a6bf7",
    ),
    (
        "t:timestamp,n:timestamp_ntz,d:date",
        '{"fields":[{"name":"t","nullable":true,"type":"timestamp"},{"name":"n","nullable":true,"type":"timestamp_ntz"},{"name":"d","nullable":true,"type":"date"}],"type":"struct"}',
        "2a9681e6e4a0fb9c912c097ac8eb5938e0a37b0fa9eda778a927cc0e87ba93d7",
    ),
    (
        "x:array<int>",
        '{"fields":[{"name":"x","nullable":true,"type":{"containsNull":true,"elementType":"integer","type":"array"}}],"type":"struct"}',
        "ba865ef6786aa06032dfa7a8fa75ee89b58ddbd08286fa4b12d3a6747b9a1fca",
    ),
    (
        "x:array<string not null>",
        '{"fields":[{"name":"x","nullable":true,"type":{"containsNull":false,"elementType":"string","type":"array"}}],"type":"struct"}',
        "4834e8cf4575fe2997d4f62d52976c87c3d99a4fed802792bcfaa4334a8a5884",
    ),
    (
        "m:map<string,double>",
        '{"fields":[{"name":"m","nullable":true,"type":{"keyType":"string","type":"map","valueContainsNull":true,"valueType":"double"}}],"type":"struct"}',
        "7b74630d513c35c8e0f5f4ac950e9b014e1409627104c3dd2496d04dca357851",
    ),
    (
        "s:struct<a:tinyint not null,b:smallint>",
        '{"fields":[{"name":"s","nullable":true,"type":{"fields":[{"name":"a","nullable":false,"type":"byte"},{"name":"b","nullable":true,"type":"short"}],"type":"struct"}}],"type":"struct"}',
        "94b1c7c46cb0e88808cfde7a6aec8b1c8ac5d0a35bc211d1f43a205b82cde683",
    ),
    (
        "`ein Näme`:varchar(20),f:float,z:boolean,y:binary",
        '{"fields":[{"name":"ein Näme","nullable":true,"type":"varchar(20)"},{"name":"f","nullable":true,"type":"float"},{"name":"z","nullable":true,"type":"boolean"},{"name":"y","nullable":true,"type":"binary"}],"type":"struct"}',
        "f6e6f183db990e438441b381302c9bf8d50c168eb98190dcfcdb64fa4ab533b3",
    ),
]


@pytest.mark.parametrize(("columns", "canonical", "digest"), GOLDEN)
def test_schema_hash_is_for_ever(columns: str, canonical: str, digest: str):
    schema = parse_type(f"struct<{columns}>")
    assert isinstance(schema, Struct)
    assert schema_hash(schema) == f"sha256:{digest}"
    assert hashlib.sha256(canonical.encode()).hexdigest() == digest


def test_aliases_and_comments_do_not_count():
    one, other = (
        parse_type("struct<a:long comment 'x', b:numeric(4,2)>"),
        parse_type("STRUCT<a: BIGINT, b: DECIMAL(4, 2)>"),
    )
    assert schema_hash(one) == schema_hash(other)  # type: ignore[arg-type]


@pytest.mark.parametrize("other", ["b:int,a:int", "a:int,b:int not null", "a:int,b:bigint", "a:int,B:int", "a:int"])
def test_order_nullability_type_and_name_count(other: str):
    assert schema_hash(parse_type("struct<a:int,b:int>")) != schema_hash(parse_type(f"struct<{other}>"))  # type: ignore[arg-type]
