import contextlib
from pathlib import Path

import pytest
import yaml
from hypothesis import given, strategies as st

from floe.lang.type_text import from_spark_json, parse_type
from floe.model.types import Array, Atomic, Decimal, Family, MapOf, Member, Struct, is_physical, spark_json

_CASES = Path(__file__).parents[1] / "cases" / "types"
_SPELLINGS = [
    pytest.param(spelling, canonical, id=f"{dialect}-{spelling}")
    for dialect, rows in yaml.safe_load((_CASES / "spellings.yaml").read_text()).items()
    for spelling, canonical in rows.items()
]
_UNREADABLE = yaml.safe_load((_CASES / "unreadable.yaml").read_text())


@pytest.mark.parametrize(("spelling", "canonical"), _SPELLINGS)
def test_a_spelling_means_one_type(spelling, canonical):
    assert str(parse_type(spelling)) == canonical


@pytest.mark.parametrize(("spelling", "words"), _UNREADABLE.items())
def test_what_is_no_type_is_refused_with_its_cause(spelling, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        parse_type(spelling)


def test_canonical_text_reads_as_the_same_type():
    type_ = Struct(
        (
            Member("id", Atomic("bigint"), False),
            Member("a b", Array(MapOf(Atomic("string"), Decimal(10, 2), False), False)),
        )
    )
    assert parse_type(str(type_)) == type_
    assert from_spark_json(spark_json(type_)) == type_


@given(st.text("array<>mpstruc(), :`'[]0129intdecimalvh\n", max_size=40))
def test_any_text_is_a_type_or_a_value_error(text):
    with contextlib.suppress(ValueError):
        assert parse_type(str(parse_type(text))) is not None


@pytest.mark.parametrize("text", ["array<" * 5000, "'" * 30000, "struct<" + "a int," * 3000, "(" * 10000])
def test_hostile_text_ends_quickly(text):
    with pytest.raises(ValueError, match=r"."):
        parse_type(text)


@pytest.mark.parametrize(
    ("family", "members", "strangers"),
    [
        ("integer", ["tinyint", "smallint", "int", "bigint"], ["double", "string", "decimal(3,0)"]),
        ("number", ["float", "double", "decimal(10,2)"], ["int", "string"]),
        ("decimal", ["decimal(10,2)", "decimal(38,0)"], ["double", "int"]),
        ("date", ["date", "timestamp", "timestamp_ntz"], ["string"]),
        ("array", ["array<int>"], ["int", "map<string,int>"]),
        ("map", ["map<string,int>"], ["array<int>", "struct<a:int>"]),
        ("object", ["struct<a:int>"], ["map<string,int>", "string"]),
        ("any", ["int", "varchar(3)", "array<int>"], []),
    ],
)
def test_a_family_has_its_members_only(family, members, strangers):
    assert all(Family(family).has(parse_type(text)) for text in members)
    assert not any(Family(family).has(parse_type(text)) for text in strangers)


def test_an_open_type_makes_no_table():
    assert not is_physical(parse_type("array<decimal>"))
    assert not is_physical(parse_type("MAP<STRING, STRUCT>"))
    assert is_physical(parse_type("array<decimal(3,1)>"))
