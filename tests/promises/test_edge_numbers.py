"""Values at the edges, on Delta and Iceberg, with ANSI mode on and off: every count was made by hand."""

import datetime
import uuid
from decimal import Decimal
from pathlib import Path

import pytest

from floe.actions.verify import verify_tables
from floe.contract.formats import read
from floe.tables.locate import TableSelector
from tests.conftest import spark_settings

LARGE = 2**53
CONTRACT = f"""apiVersion: v3.1.0
kind: DataContract
id: urn:edges
name: edges
version: 1.0.0
status: active
domain: x
dataProduct: p
schema:
  - name: edges
    dataGranularityDescription: One row per big and side.
    properties:
      - {{name: a, physicalType: string, primaryKey: true, primaryKeyPosition: 1}}
      - {{name: b, physicalType: string, primaryKey: true, primaryKeyPosition: 2}}
      - {{name: big, physicalType: bigint, logicalType: integer, logicalTypeOptions: {{maximum: {LARGE}, multipleOf: 2}}}}
      - {{name: side, physicalType: int, logicalType: integer, logicalTypeOptions: {{minimum: 1, exclusiveMinimum: 1, exclusiveMaximum: 9.5}}}}
      - {{name: money, physicalType: "decimal(38,2)", logicalType: number, logicalTypeOptions: {{maximum: 0.305, multipleOf: 0.1}}}}
      - {{name: ratio, physicalType: double, logicalType: number, logicalTypeOptions: {{maximum: 0.1, multipleOf: 0.05}}}}
      - {{name: none, physicalType: string, logicalType: string, logicalTypeOptions: {{minLength: 5, pattern: "^x", format: uuid}}}}
      - {{name: at, physicalType: timestamp, logicalType: timestamp, logicalTypeOptions: {{minimum: "2026-03-01T00:00:00", defaultTimezone: Europe/Berlin}}}}
      - {{name: wall, physicalType: timestamp_ntz, logicalType: timestamp, logicalTypeOptions: {{exclusiveMaximum: "2026-03-01T00:00:00Z", timezone: false, defaultTimezone: Asia/Tokyo}}}}
      - name: list
        logicalType: array
        logicalTypeOptions: {{minItems: 2, uniqueItems: true}}
        items: {{logicalType: integer, physicalType: int, logicalTypeOptions: {{maximum: 3}}}}
      - name: odd.name`s
        physicalType: string
        quality:
          - {{metric: invalidValues, arguments: {{validValues: [x, "y'z"]}}, mustBe: 0}}
          - {{metric: duplicateValues, mustBeLessThan: 40, unit: percent}}
          - {{metric: missingValues, arguments: {{missingValues: [null, "x"]}}, mustBeBetween: [1, 2]}}
          - {{type: sql, query: "select count(*) from edges where {{property}} = 'y''z'", mustBe: 1}}
      - {{name: gone, physicalType: string, required: true}}
      - {{name: typed, physicalType: int, required: true}}
    quality:
      - {{metric: rowCount, mustBe: 5}}
      - {{metric: rowCount, mustNotBe: 5}}
"""
NAN, INFINITY = float("nan"), float("inf")
COLUMNS = (
    "a string, b string, big bigint, side int, money decimal(38,2), ratio double, none string, at timestamp, "
    "wall timestamp_ntz, list array<int>, `odd.name``s` string, typed string, extra date"
)


def at(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)


def wall(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)


# Berlin's 1 March began at 23:00 UTC; 00:00 UTC is 09:00 in Tokyo
ROWS = [
    (
        "1",
        "2",
        LARGE,
        1,
        Decimal("0.30"),
        0.1,
        None,
        at("2026-02-28T23:00:00"),
        wall("2026-03-01T08:59:59"),
        [1, 2],
        "x",
        "1",
        None,
    ),
    (
        "1,2",
        "",
        LARGE + 1,
        2,
        Decimal("0.31"),
        0.15,
        None,
        at("2026-02-28T22:59:59"),
        wall("2026-03-01T09:00:00"),
        [1, 1],
        "y'z",
        "1",
        None,
    ),
    ("1", ",2", LARGE + 2, 9, Decimal("-0.35"), NAN, None, None, None, [], "x", "1", None),
    ("1", "2", -LARGE - 1, 10, None, INFINITY, None, at("2026-03-01T00:00:00"), None, None, "other", "1", None),
    (
        None,
        "2",
        None,
        None,
        Decimal("99999999999999999999999999999999999.90"),
        None,
        None,
        None,
        None,
        [4, None, None],
        None,
        "1",
        None,
    ),
]
EXPECTED = {
    # ("1", "2") twice; a key with a null part does not count
    "edges(a, b):key-duplicated": ("fail", 1),
    "edges.a:null-value": ("fail", 1),
    "edges.b:null-value": ("pass", 0),
    "edges:grain": ("pass", 0),
    "edges.big:above-maximum": ("fail", 2),
    "edges.big:not-multiple": ("fail", 2),
    "edges.side:below-minimum": ("fail", 1),
    "edges.side:above-maximum": ("fail", 1),
    "edges.money:above-maximum": ("fail", 2),
    "edges.money:not-multiple": ("fail", 2),
    "edges.ratio:above-maximum": ("fail", 3),
    "edges.ratio:not-multiple": ("fail", 2),
    "edges.none:too-short": ("pass", 0),
    "edges.none:pattern-mismatch": ("pass", 0),
    "edges.none:format-mismatch": ("pass", 0),
    "edges.at:below-minimum": ("fail", 1),
    "edges.wall:above-maximum": ("fail", 1),
    "edges.list:too-short": ("fail", 1),
    "edges.list:item-repeated": ("fail", 1),
    "edges.list[]:above-maximum": ("fail", 1),
    "edges.`odd.name`s`:value-not-listed": ("fail", 1),
    "edges.`odd.name`s`:quality.duplicateValues": ("pass", 1),
    "edges.`odd.name`s`:quality.missingValues": ("fail", 3),
    "edges.`odd.name`s`:quality.sql": ("pass", None),
    "edges.gone:null-value": ("not_evaluated", None),
    "edges.typed:null-value": ("not_evaluated", None),
    "edges.gone:missing-column": ("fail", 1),
    "edges.typed:type-mismatch": ("fail", 1),
    "edges.extra:extra-column": ("fail", 1),
    "edges:quality.rowCount": ("pass", None),
    "edges:quality.rowCount[2]": ("fail", None),
}


def write(spark, form: str, folder: Path, frame) -> str:
    """The rows as a table; the name or path it has."""
    if form == "delta":
        frame.write.format("delta").option("delta.columnMapping.mode", "name").save(str(folder / "t"))
        return str(folder / "t")
    name = f"ice.edges{uuid.uuid4().hex[:8]}.t"
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {name.rsplit('.', 1)[0]}")
    frame.writeTo(name).create()
    return name


@pytest.mark.spark
@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_every_verdict_and_count_at_the_edges(spark, spark_root: Path, tmp_path: Path, form: str):
    contract, findings = read(CONTRACT, "edges.yaml")
    assert contract is not None, findings
    settings = spark_settings(spark_root, tmp_path, **{"tables.format": form})
    table = write(spark, form, tmp_path, spark.createDataFrame(ROWS, COLUMNS).coalesce(1))
    before = {key: spark.conf.get(key) for key in ("spark.sql.ansi.enabled", "spark.sql.session.timeZone")}
    try:
        for ansi, zone in (("true", "America/New_York"), ("false", "Asia/Tokyo")):
            spark.conf.set("spark.sql.ansi.enabled", ansi)
            spark.conf.set("spark.sql.session.timeZone", zone)
            (result,) = verify_tables([contract], TableSelector(table=table), settings).results
            found = {one.id: (one.outcome, one.violations) for one in result.expectations}
            assert found == EXPECTED, (ansi, {one.id: one.cause for one in result.expectations if one.cause})
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)


@pytest.mark.spark
@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_an_empty_table_breaks_no_row_rule_and_answers_no_share(spark, spark_root: Path, tmp_path: Path, form: str):
    contract, _ = read(CONTRACT, "edges.yaml")
    assert contract is not None
    settings = spark_settings(spark_root, tmp_path, **{"tables.format": form})
    table = write(spark, form, tmp_path, spark.createDataFrame([], COLUMNS))
    (result,) = verify_tables([contract], TableSelector(table=table), settings).results
    found = {one.id: (one.outcome, one.cause) for one in result.expectations}
    assert found["edges(a, b):key-duplicated"] == ("pass", None)
    assert found["edges:quality.rowCount"] == ("fail", None)
    assert found["edges:quality.rowCount[2]"] == ("pass", None)
    share = ("not_evaluated", "the table is empty, so a percentage of its rows is undefined")
    assert found["edges.`odd.name`s`:quality.duplicateValues"] == share
    failing = [one.id for one in result.failed if one.code[:3] == "E55" and "quality" not in one.id]
    assert failing == []
