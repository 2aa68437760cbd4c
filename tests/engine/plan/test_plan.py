"""Plans: what a contract's facts become, and what the SQL says of rows one can count by eye."""

import datetime

import pytest

from floe.engine.metadata.schema import Difference, differences
from floe.lang.sql.literals import literal, quote, text
from floe.lang.type_text import parse_type
from floe.model.types import Struct
from tests.helpers.plans import plan_of

NESTED = """
- name: id
  physicalType: int
  primaryKey: true
- name: tags
  logicalType: array
  items: {logicalType: string, physicalType: string, required: true, logicalTypeOptions: {maxLength: 3}}
- name: lines
  logicalType: array
  items:
    logicalType: object
    properties:
      - {name: sku, physicalType: string, required: true}
      - {name: qty, physicalType: int, logicalType: integer, logicalTypeOptions: {minimum: 1}}
- name: ratio
  physicalType: double
  logicalType: number
  logicalTypeOptions: {minimum: 0}
- name: day
  physicalType: date
  logicalType: date
  logicalTypeOptions: {minimum: "2026-01-01"}
"""


def test_ids_are_stable_and_say_field_and_name():
    assert [expectation.id for expectation in plan_of(NESTED).expectations] == [
        "t.id:key-duplicated",
        "t.id:null-value",
        "t.tags[]:null-value",
        "t.tags[]:too-long",
        "t.lines[].sku:null-value",
        "t.lines[].qty:below-minimum",
        "t.ratio:below-minimum",
        "t.day:below-minimum",
    ]


@pytest.mark.spark
def test_bad_rows_are_counted_at_any_depth(spark):
    from floe.engine.spark.measure import MeasureRequest, measure

    columns = "id int, tags array<string>, lines array<struct<sku:string,qty:int>>, ratio double, day date"
    infinity, nan = float("inf"), float("nan")
    new_year, eve = datetime.date(2026, 1, 1), datetime.date(2025, 12, 31)
    rows = spark.createDataFrame(
        [
            (1, ["a"], [("x", 1)], 0.5, new_year),
            (2, ["a", None], [("x", 0), ("y", 0)], nan, eve),
            (3, ["abcd"], [(None, 5)], infinity, None),
            (4, None, None, None, None),
            (5, [], [], -0.5, new_year),
        ],
        columns,
    )
    total, outcomes = measure(MeasureRequest(rows=rows, plan=plan_of(NESTED), salt="salt"))
    assert total == 5
    assert {one.id: (one.outcome, one.violations) for one in outcomes} == {
        "t.id:key-duplicated": ("pass", 0),
        "t.id:null-value": ("pass", 0),
        "t.tags[]:null-value": ("fail", 1),
        "t.tags[]:too-long": ("fail", 1),
        "t.lines[].sku:null-value": ("fail", 1),
        "t.lines[].qty:below-minimum": ("fail", 1),
        "t.ratio:below-minimum": ("fail", 3),
        "t.day:below-minimum": ("fail", 1),
    }


@pytest.mark.spark
@pytest.mark.parametrize(
    "value", ["it's", "a\\b", "x\ny", 'say "hi"', "${spark.app.name}", "😀", "\u0000", "`; DROP TABLE t; --"]
)
def test_a_text_literal_is_the_text_whatever_it_holds(spark, value: str):
    assert spark.sql(f"SELECT {text(value)} AS v").collect()[0].v == value


@pytest.mark.spark
@pytest.mark.parametrize("name", ["a b", "a.b", "a`b", "select", "ä", 'q"q'])
def test_a_quoted_name_is_one_name(spark, name: str):
    assert spark.sql(f"SELECT 1 AS {quote(name)}").columns == [name]


def test_a_value_that_is_no_date_is_still_a_literal():
    assert literal("x'y", parse_type("date")) == "'x\\u0027y'"


def struct(columns: str) -> Struct:
    found = parse_type(f"struct<{columns}>")
    assert isinstance(found, Struct)
    return found


@pytest.mark.parametrize(
    ("promised", "actual", "found"),
    [
        ("a:int", "a:int", []),
        ("a:int,b:string", "b:string,a:int", []),
        ("a:int", "a:bigint", [Difference("E530", "type-mismatch", "a", "int", "bigint")]),
        ("a:int,b:int", "a:int", [Difference("E531", "missing-column", "b", "int", None)]),
        ("a:int", "a:int,c:date", [Difference("E532", "extra-column", "c", None, "date")]),
        ("s:struct<x:int>", "s:struct<x:string>", [Difference("E530", "type-mismatch", "s.x", "int", "string")]),
        (
            "s:array<struct<x:int>>",
            "s:array<struct<x:int,y:int>>",
            [Difference("E532", "extra-column", "s[].y", None, "int")],
        ),
        ("m:map<string,int>", "m:map<string,date>", [Difference("E530", "type-mismatch", "m{}", "int", "date")]),
        ("s:struct<x:int>", "s:string", [Difference("E530", "type-mismatch", "s", "struct<x:int>", "string")]),
        ("a:varchar(5)", "a:string", []),
        ("a:decimal", "a:decimal(9,1)", []),
        ("a:decimal", "a:double", [Difference("E530", "type-mismatch", "a", "decimal", "double")]),
        ("Aa:int", "aA:int", []),
        ("a:int", "A:int,a:int", [Difference("E532", "extra-column", "A", None, "int")]),
    ],
)
def test_schema_differences_at_silver(promised: str, actual: str, found: list[Difference]):
    assert list(differences(struct(promised), struct(actual))) == found


@pytest.mark.parametrize(
    ("promised", "actual", "codes"),
    [("a:int,b:int", "b:int,a:int", ["E530"]), ("Aa:int", "aA:int", ["E531", "E532"]), ("a:int", "a:int", [])],
)
def test_gold_asks_for_order_and_letter_case(promised: str, actual: str, codes: list[str]):
    assert [one.code for one in differences(struct(promised), struct(actual), exact=True)] == codes


def test_a_bound_that_is_no_date_is_not_evaluated_and_says_why():
    found = plan_of('- {name: day, logicalType: date, physicalType: date, logicalTypeOptions: {minimum: "2020-13-01"}}')
    (only,) = found.expectations
    assert (only.code, only.id, only.row_rule, only.cause) == (
        "E580",
        "t.day:below-minimum",
        None,
        "the bound '2020-13-01' is not of type date",
    )


def test_a_listed_value_that_cannot_be_one_is_left_out_of_the_comparison():
    listed = "quality: [{metric: invalidValues, arguments: {validValues: [1, many]}, mustBe: 0}]"
    (only,) = plan_of(f"- {{name: n, logicalType: integer, physicalType: int, {listed}}}").expectations
    assert (only.row_rule, only.expected) == ("`n` NOT IN (1)", [1, "many"])


def test_what_a_type_cannot_hold_is_part_of_the_schema():
    text = "- {name: c, logicalType: string, physicalType: varchar(3), logicalTypeOptions: {maxLength: 2}}"
    shorter, typed = plan_of(text).expectations
    assert (shorter.id, shorter.expected, shorter.structural) == ("t.c:too-long", "at most 2 characters long", False)
    assert (typed.id, typed.expected, typed.structural) == ("t.c:too-long-for-type", "at most 3 characters long", True)
    (only,) = plan_of(text.replace("maxLength: 2", "maxLength: 3")).expectations
    assert only.name == "too-long-for-type"
