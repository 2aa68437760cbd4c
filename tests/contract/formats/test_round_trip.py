"""Any schema survives every schema format."""

import json

from hypothesis import HealthCheck, given, settings, strategies as st

from floe.contract.formats import odcs
from floe.contract.formats.foreign import avro, documents, json_schema, spark_ddl, spark_json
from floe.contract.formats.foreign.table import Column, SchemaTable, closed, document, struct_of, table_of
from floe.model import Contract, Dataset, Place
from floe.model.types import Array, Atomic, Decimal, MapOf, Member, Struct, Text, Type

PLACE = Place("x", 1, 1)
WORDS = (
    *("tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary", "boolean"),
    *("date", "timestamp", "timestamp_ntz", "time"),
)
NAMES = st.one_of(
    st.sampled_from(["id", "order", "select", "b c", "x-y", "1st", "ünï", "a.b", "q'q", 'd"d', "from", "struct"]),
    st.text("abc_`$/", min_size=1, max_size=4),
)
LEAVES = st.one_of(
    st.sampled_from(WORDS).map(Atomic),
    st.tuples(st.integers(1, 38), st.integers(0, 38)).map(lambda ps: Decimal(ps[0], min(ps))),
    st.tuples(st.sampled_from(["varchar", "char"]), st.integers(1, 400)).map(lambda kl: Text(*kl)),
)
KEYS = st.sampled_from(["string", "int", "bigint", "date"]).map(Atomic)


def members(types: st.SearchStrategy[Type]) -> st.SearchStrategy[Struct]:
    one = st.tuples(NAMES, types, st.booleans()).map(lambda parts: Member(*parts))
    return st.lists(one, min_size=1, max_size=4, unique_by=lambda member: member.name.lower()).map(
        lambda found: Struct(tuple(found))
    )


TYPES: st.SearchStrategy[Type] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.booleans()).map(lambda en: Array(*en)),
        st.tuples(KEYS, inner, st.booleans()).map(lambda kvn: MapOf(*kvn)),
        members(inner),
    ),
    max_leaves=6,
)


def contract_of(schema: Struct) -> Contract:
    columns = tuple(
        Column(name=m.name, type=m.type, nullable=m.nullable, path=odcs.step(m.name)) for m in schema.members
    )
    contract, findings = odcs.read(document("t", [SchemaTable(name="t", columns=columns, place=PLACE)], PLACE), "x")
    assert findings == []
    assert contract is not None
    return contract


def back(text: str, name: str) -> Struct:
    found = documents.read(text.encode(), name)
    assert found is not None
    contract, _ = odcs.read(found.trees[0][1], "x")
    assert contract is not None
    return contract.datasets[0].schema


def write_all(contract: Contract, dataset: Dataset) -> dict[str, str]:
    table = table_of(dataset)
    return {
        "t.sql": spark_ddl.write([(table, [])]),
        "t.spark.json": spark_json.write(table),
        "t.schema.json": json_schema.write(table)[0],
        "t.avsc": avro.write(table, contract)[0],
    }


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(members(TYPES))
def test_any_schema_reads_back_equal_from_every_format(schema):
    contract = contract_of(schema)
    dataset = contract.datasets[0]
    assert dataset.schema == schema
    for name, text in write_all(contract, dataset).items():
        assert back(text, name) == schema, name


def test_spark_itself_reads_the_json():
    from pyspark.sql import types

    schema = Struct(
        (Member("a", Decimal(5, 2), False), Member("b", Array(Struct((Member("c", Atomic("time")),)), False)))
    )
    text = spark_json.write(table_of(contract_of(schema).datasets[0]))
    read = types.StructType.fromJson(json.loads(text))
    assert read.simpleString() == "struct<a:decimal(5,2),b:array<struct<c:time(6)>>>"
    assert [field.nullable for field in read] == [False, True]
    assert read["b"].dataType.containsNull is False  # type: ignore[attr-defined]  # an array, as the schema says


def test_closing_leaves_closed_types_alone():
    columns = [Column(name="a", type=Array(Atomic("int"), False))]
    assert closed(struct_of(columns)) == struct_of(columns)
