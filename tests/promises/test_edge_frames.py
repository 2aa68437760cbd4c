"""Frames at the edges: no rows, no columns, nothing but nulls, nulls inside of structs, lists and maps. Every rule has an outcome."""

import uuid
from pathlib import Path
from typing import Any

import pytest

import floe
from floe.model.result import Result
from floe.settings import Settings
from tests.conftest import spark_settings

pytestmark = pytest.mark.spark

CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: urn:frames
name: frames
version: 1.0.0
status: active
domain: DOMAIN
dataProduct: p
schema:
  - name: frames
    physicalName: silver.DOMAIN.frames
    quality: [{metric: rowCount, mustBeGreaterThan: 0}]
    properties:
      - {name: id, physicalType: bigint, required: true, primaryKey: true}
      - {name: word, physicalType: string, logicalType: string, logicalTypeOptions: {pattern: "^a", minLength: 2}}
      - {name: number, physicalType: double, logicalType: number, logicalTypeOptions: {maximum: 5}}
      - name: list
        logicalType: array
        logicalTypeOptions: {minItems: 1, uniqueItems: true}
        items: {logicalType: integer, physicalType: int, required: true, logicalTypeOptions: {maximum: 3}}
      - name: deep
        logicalType: object
        properties:
          - name: inner
            logicalType: object
            properties:
              - {name: code, physicalType: string, required: true, logicalTypeOptions: {minLength: 1}}
      - {name: map, physicalType: "map<string,int>"}
"""
COLUMNS = "id bigint, word string, number double, list array<int>, deep struct<inner:struct<code:string>>, map map<string,int>"
WELL = (1, "ab", 1.0, [1, 2], ((("x",),)), {"k": 1})
# what no rule forbids: nothing where nothing is required, a key of a map without a value
BARE = (5, None, None, None, None, {"k": None})
HOLLOW = [
    (2, None, None, [], None, {}),
    (3, None, None, [None], (None,), {"k": None}),
    (4, None, None, [4, 4], ((None,),), {"": 1, "x": None}),
    (None, None, None, None, None, None),
]
RULES = {
    "frames.id:null-value",
    "frames.id:key-duplicated",
    "frames.word:too-short",
    "frames.word:pattern-mismatch",
    "frames.number:above-maximum",
    "frames.list:too-short",
    "frames.list:item-repeated",
    "frames.list[]:null-value",
    "frames.list[]:above-maximum",
    "frames.deep.inner.code:null-value",
    "frames.deep.inner.code:too-short",
}
# by hand: one row for each; a struct that is not there requires nothing of its members
BROKEN = {
    "frames.id:null-value",
    "frames.list:too-short",
    "frames.list:item-repeated",
    "frames.list[]:null-value",
    "frames.list[]:above-maximum",
    "frames.deep.inner.code:null-value",
}


@pytest.fixture(params=["delta", "iceberg"])
def gate(request: pytest.FixtureRequest, spark, spark_root: Path, tmp_path: Path) -> Any:
    """The contract of a table that is not there yet, and the settings of its format."""
    settings = spark_settings(spark_root, tmp_path, **{"tables.format": request.param})
    path = tmp_path / "frames.yaml"
    path.write_text(CONTRACT.replace("DOMAIN", f"d{uuid.uuid4().hex[:12]}"))
    return str(path), settings


def rules(result: Result) -> dict[str, tuple[str, int | None]]:
    """What became of each rule on values."""
    return {one.id: (one.outcome, one.violations) for one in result.expectations if one.id in RULES}


def refused(df: Any, path: str, settings: Settings) -> Result:
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(df, path, settings=settings)
    assert caught.value.result.written == 0
    found: Result = caught.value.result.result
    return found


def test_a_frame_without_columns_lacks_them_all(spark, gate):
    path, settings = gate
    for rows in (0, 3):
        frame = spark.range(rows).select()
        for result in (floe.verify(frame, path, settings=settings), refused(frame, path, settings)):
            lacking = {one.field for one in result.failed if one.code == "E531"}
            assert lacking == {f"frames.{name}" for name in ("id", "word", "number", "list", "deep", "map")}
            assert rules(result) == dict.fromkeys(RULES, ("not_evaluated", None))


def test_a_frame_without_rows_breaks_no_rule_and_passes_a_gate(spark, gate):
    path, settings = gate
    empty = spark.createDataFrame([], COLUMNS)
    verified = floe.verify(empty, path, settings=settings)
    assert [one.id for one in verified.failed] == ["frames:quality.rowCount"]
    written = floe.enforce(empty, path, settings=settings)
    assert (written.written, written.refused) == (0, False)
    assert rules(verified) == rules(written.result) == dict.fromkeys(RULES, ("pass", 0))


def test_nulls_inside_of_values_are_counted_where_something_is_required(spark, gate):
    path, settings = gate
    expected = {rule: ("fail", 1) if rule in BROKEN else ("pass", 0) for rule in RULES}
    hollow = spark.createDataFrame(HOLLOW, COLUMNS)
    assert rules(floe.verify(hollow, path, settings=settings)) == expected
    assert rules(refused(hollow, path, settings)) == expected


def test_what_is_empty_and_allowed_is_written_as_it_is(spark, gate):
    path, settings = gate
    written = floe.enforce(spark.createDataFrame([WELL, BARE], COLUMNS), path, settings=settings)
    assert rules(written.result) == dict.fromkeys(RULES, ("pass", 0))
    rows = floe.read(path, settings=settings).orderBy("id").collect()
    assert [(row["id"], row["list"], row["map"]) for row in rows] == [(1, [1, 2], {"k": 1}), (5, None, {"k": None})]
    assert (rows[0]["deep"]["inner"]["code"], rows[1]["deep"]) == ("x", None)
