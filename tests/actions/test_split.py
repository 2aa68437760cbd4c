"""`floe.split`: good rows, bad rows with the codes of what they break; nothing that cannot be judged is called good."""

from decimal import Decimal

import pytest

import floe
from tests.conftest import CONTRACT, spark_settings
from tests.helpers.orders import COLUMNS, NOON, frame, order

pytestmark = pytest.mark.spark
REFERRING = CONTRACT.read_text().replace(
    "      - name: order_ts", "        relationships: [{to: customers.id}]\n      - name: order_ts"
)


@pytest.fixture
def settings(spark_root, tmp_path):
    return spark_settings(spark_root, tmp_path)


def codes(rows):
    return sorted((row["order_id"], row["_floe_codes"]) for row in rows.collect() if row["order_id"] is not None)


def test_rows_are_told_apart_with_their_codes(spark, settings):
    rows = frame(
        spark,
        order(1),
        order(2),
        order(2, amount=Decimal(-1)),
        order(3, status="lost"),
        order(4, status="lost", customer_id=None),
        order(5, ship_to={"country": None, "city": "Bern"}),
        order(None),
        order(6, ship_to=None),
    )
    good, bad = floe.split(rows, CONTRACT, settings=settings)
    assert [row["order_id"] for row in good.orderBy("order_id").collect()] == [1, 6]
    assert codes(bad) == [
        (2, ["FLOE-E551"]),
        (2, ["FLOE-E551", "FLOE-E554"]),
        (3, ["FLOE-E552"]),
        (4, ["FLOE-E550", "FLOE-E552"]),
        (5, ["FLOE-E550"]),
    ]
    assert bad.where("order_id is null").collect()[0]["_floe_codes"] == ["FLOE-E550"]
    assert (good.count(), bad.count()) == (2, 6)
    assert good.schema == rows.schema
    assert [*rows.columns, "_floe_codes"] == bad.columns
    assert bad.schema["_floe_codes"].dataType.simpleString() == "array<string>"


def test_nothing_is_read_until_the_caller_does(spark, settings):
    rows = frame(spark, order(1)).selectExpr("*", "assert_true(order_id is null) as boom")
    good, _ = floe.split(rows, CONTRACT, settings=settings)
    assert good.columns[-1] == "boom"


def test_odd_columns_of_the_callers_stay(spark, settings):
    rows = frame(spark, {**order(1), "floe x": 7}, columns=f"{COLUMNS}, `floe x` int")
    assert floe.split(rows, CONTRACT, settings=settings).good.collect()[0]["floe x"] == 7


def test_references_are_followed_where_they_are_given_and_said_where_not(spark, settings):
    rows = frame(spark, order(1), order(2, customer_id="C2"))
    with pytest.raises(floe.ViolationError, match="no table found for 'customers'") as caught:
        floe.split(rows, REFERRING, settings=settings)
    assert [one.outcome for one in caught.value.result.not_evaluated] == ["not_evaluated"]
    customers = spark.createDataFrame([("C1",)], "id string")
    good, bad = floe.split(rows, REFERRING, references={"customers": customers}, settings=settings)
    assert ([row["order_id"] for row in good.collect()], codes(bad)) == ([1], [(2, ["FLOE-E555"])])
    with pytest.raises(floe.ViolationError, match="'customers' has no column 'id'"):
        floe.split(rows, REFERRING, references={"customers": customers.toDF("other")}, settings=settings)


def test_what_cannot_be_judged_on_rows_is_no_good_row(spark, settings):
    with pytest.raises(floe.ViolationError, match="Column 'amount' \\(decimal\\(14,2\\)\\) is missing") as caught:
        floe.split(frame(spark, order(1)).drop("amount"), CONTRACT, settings=settings)
    assert caught.value.code == "E531"
    text = CONTRACT.read_text().replace(
        "        description: Who ordered.",
        "        quality: [{id: odd, type: custom, engine: soda, implementation: x}]",
    )
    with pytest.raises(floe.ViolationError, match="odd"):
        floe.split(frame(spark, order(1)), text, settings=settings)


def test_a_contract_without_rules_calls_every_row_good(spark, settings):
    text = "apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\nschema: [{name: t, properties: [{name: a, physicalType: int}]}]\n"
    good, bad = floe.split(spark.createDataFrame([(1,)], "a int"), text, settings=settings)
    assert (good.count(), bad.count()) == (1, 0)


def test_a_frame_with_the_column_of_codes_or_a_stream_is_refused(spark, settings):
    _, bad = floe.split(frame(spark, order(None)), CONTRACT, settings=settings)
    with pytest.raises(floe.TableError, match="_floe_codes already"):
        floe.split(bad, CONTRACT, settings=settings)
    stream = spark.readStream.format("rate").load()
    with pytest.raises(floe.TableError, match="stream"):
        floe.split(stream, CONTRACT, settings=settings)


def test_a_tolerance_does_not_make_a_row_good(spark, settings):
    text = CONTRACT.read_text().replace(
        "            mustBe: 0\n", "            mustBeLessThan: 5\n            unit: percent\n"
    )
    _, bad = floe.split(frame(spark, order(1, order_ts=NOON), order(2, status="lost")), text, settings=settings)
    assert codes(bad) == [(2, ["FLOE-E552"])]
