"""Rules about a whole table: SQL, rows per day, duplicates of parts; every number counted by hand."""

import datetime
from decimal import Decimal

import pytest

from floe.contract.formats import read
from floe.engine.plan import make_plan as plan
from floe.model.plan import Plan, RowsPerDay, SqlQuery
from tests.helpers.plans import HEAD

NOW = int(datetime.datetime(2026, 3, 30, 0, 30, tzinfo=datetime.UTC).timestamp())
COLUMNS = "id bigint, at timestamp, amount decimal(9,2), `who's` string, place struct<code:string>"
PROPERTIES = """
      - {name: id, physicalType: bigint}
      - name: at
        logicalType: timestamp
        physicalType: timestamp
        logicalTypeOptions: {defaultTimezone: Europe/Berlin}
      - {name: amount, physicalType: "decimal(9,2)"}
      - {name: "who's", physicalType: string}
      - name: place
        logicalType: object
        properties: [{name: code, physicalType: string, unique: true}]
"""


def contract_plan(quality: str = "", properties: str = PROPERTIES, rest: str = "") -> Plan:
    contract, findings = read(f"{HEAD.rstrip()}\n{properties.strip(chr(10))}\n{quality}{rest}", "x.yaml")
    assert contract is not None, findings
    return plan(contract, contract.datasets[0])


def sql_plan(query: str, threshold: str = "mustBe: 0") -> Plan:
    return contract_plan(
        f"    quality:\n      - type: sql\n        query: |-\n          {query}\n        {threshold}\n"
    )


def moment(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)


def rows(spark):
    return spark.createDataFrame(
        [
            # 23:30 UTC on 27 March is 00:30 on the 28th in Berlin; on the 29th Berlin's clocks go forward
            (1, moment("2026-03-27T22:30:00"), Decimal("1.10"), "it's", ("a",)),
            (2, moment("2026-03-27T23:30:00"), Decimal("2.20"), "a${x}", ("a",)),
            (3, moment("2026-03-28T22:59:59"), Decimal("3.30"), None, ("b",)),
            (4, moment("2026-03-29T22:00:00"), None, "{x}", (None,)),
            (5, moment("2026-03-30T00:10:00"), Decimal("5.50"), "b", None),
            (6, None, Decimal("6.60"), "c", ("a",)),
        ],
        COLUMNS,
    )


def measured(spark, found: Plan, references: dict | None = None, **changed) -> dict:
    from floe.engine.spark.measure import MeasureRequest, measure

    scene = MeasureRequest(rows=rows(spark), plan=found, salt="", references=references or {}, gate=False, now=NOW)
    _, outcomes = measure(scene)
    return {one.id: one for one in outcomes}


@pytest.mark.spark
@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize(
    ("query", "actual"),
    [
        ("SELECT count(*) FROM t", 6),
        ("select count(*) from {object} where `who's` = 'it''s'", 1),
        ("select count(*) from ${table} x where x.`who's` = 'b' or x.`who's` in ('{x}')", 2),
        ("select sum(t.amount) from T t -- ; drop table t", 18.7),
        ("with t as (select * from t where id > 2) select /* a */ count(*) from t", 4),
        ("with a as (select id from t), b as (select id from a where id < 3) select count(*) from b", 2),
        ("select count(*) from t join (select max(id) m from t) s on t.id = s.m", 1),
        ("select avg(id) from t", 3.5),
        ("select count(distinct place.code) from t", 2),
        ("select count(*) from t where date_trunc('DAY', at) is null", 1),
        ("select (select count(*) from t) - (select count(*) from t where amount is null)", 5),
        ("select 0.1D + 0.2D", 0.30000000000000004),
    ],
)
def test_a_query_yields_its_number(spark, query: str, actual: object, ansi: str):
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    views = {one.name for one in spark.catalog.listTables()}
    try:
        found = measured(spark, sql_plan(query))["t:quality.sql"]
    finally:
        spark.conf.set("spark.sql.ansi.enabled", before)
    assert (found.actual, found.outcome, found.cause) == (actual, "fail", None)
    assert {one.name for one in spark.catalog.listTables()} == views


@pytest.mark.spark
@pytest.mark.parametrize(
    ("query", "cause"),
    [
        ("select id from t", "its SQL returns several rows, not one number"),
        ("select id from t where id > 100", "its SQL returns no row, not one number"),
        ("select count(*), 1 from t", "its SQL returns 2 columns, not one number"),
        ("select max(amount) from t where id > 100", "its SQL returns NULL, which is not a number"),
        ("select max(`who's`) from t", "its SQL returns a str, which is not a number"),
        ("select double('NaN')", "its SQL returns a float, which is not a number"),
        ("select count(nope) from t", "Spark: [UNRESOLVED_COLUMN"),
        ("select count(*) from t where {property} is null", "its SQL uses the column of the rule"),
        ("select count(*) from hr.salaries", "its SQL reads 'hr.salaries', which is not in the contract"),
        ("select count(*) from t where a = ${lost}", "its SQL contains the variable ${lost}"),
        ("select count(*) from t where `who's` = 'a$\\{x}'", "its SQL contains the variable ${x}"),
    ],
)
def test_what_is_no_number_is_not_evaluated_and_says_why(spark, query: str, cause: str):
    found = measured(spark, sql_plan(query))["t:quality.sql"]
    assert (found.outcome, found.code) == ("not_evaluated", "E580")
    assert str(found.cause).startswith(cause)


@pytest.mark.spark
def test_a_query_that_takes_too_long_is_stopped(spark, monkeypatch):
    from floe.engine.spark import measure_query
    from floe.engine.spark.measure import MeasureRequest

    query = "select count(*) from range(100000000000) a where hash(id) = 3 and hash(id + 1) = 4"
    (asked,) = [rule for rule in sql_plan(query).expectations if rule.id == "t:quality.sql"]
    scene = MeasureRequest(rows=rows(spark), plan=sql_plan(query), salt="", gate=False)
    monkeypatch.setattr(measure_query, "LONGEST", 2.0)
    assert isinstance(asked.check, SqlQuery)
    assert measure_query.by_query(scene, asked, asked.check).cause == "its SQL took more than 2 seconds"


@pytest.mark.spark
def test_a_query_reads_the_tables_that_relationships_name(spark):
    related = PROPERTIES.replace(
        "{name: id, physicalType: bigint}",
        "{name: id, physicalType: bigint, relationships: [{to: customers.id}]}",
    )
    quality = "    quality: [{type: sql, query: select count(*) from t left anti join customers c on t.id = c.id, mustBe: 2}]\n"
    found = contract_plan(quality, related)
    others = {"customers": spark.createDataFrame([(1,), (2,), (3,), (4,)], "id bigint")}
    assert measured(spark, found, others)["t:quality.sql"].outcome == "pass"
    lost = measured(spark, found)["t:quality.sql"]
    assert lost.cause == "no table found for 'customers': pass --reference customers=TABLE"


def volume_plan(arguments: str) -> Plan:
    return contract_plan(
        f"    quality: [{{type: custom, engine: floe, implementation: {{volume: {{column: at, {arguments}}}}}}}]\n"
    )


# Berlin: 27 March 1 row (22:30 UTC is 23:30), 28 March 2 (ids 2, 3), 29 March none, 30 March 2 and not complete
@pytest.mark.spark
@pytest.mark.parametrize(
    ("arguments", "outcome", "message"),
    [
        ("minRowsPerDay: 0", "pass", ""),
        ("maxRowsPerDay: 2", "pass", ""),
        ("minRowsPerDay: 1", "fail", "1 of 3 completed days of 't.at' are out of range; 1 has none"),
        (
            "minRowsPerDay: 2",
            "fail",
            "2 of 3 completed days of 't.at' are out of range; 2026-03-27 has 1 row; 1 has none",
        ),
        ("maxRowsPerDay: 1", "fail", "1 of 3 completed days of 't.at' are out of range; 2026-03-28 has 2 rows"),
    ],
)
@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Tokyo"])
def test_rows_per_completed_day_in_the_declared_zone(spark, arguments: str, outcome: str, message: str, zone: str):
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        found = measured(spark, volume_plan(arguments))["t:quality.custom"]
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    assert (found.outcome, found.message) == (outcome, message)


@pytest.mark.spark
def test_a_member_of_a_struct_that_repeats(spark):
    found = measured(spark, contract_plan())["t.place.code:value-duplicated"]
    assert (found.outcome, found.violations, found.code) == ("fail", 2, "E551")


def test_volume_finds_its_column_or_says_how_to_name_it():
    (named,) = [one for one in volume_plan("minRowsPerDay: 1").expectations if isinstance(one.check, RowsPerDay)]
    assert (named.columns, named.gated, named.expected) == (("at",), False, "at least 1 rows per day")
    quality = "    quality: [{type: custom, engine: floe, implementation: {volume: {minRowsPerDay: 1}}}]\n"
    lost = contract_plan(quality).expectations[-1]
    assert lost.cause == "it has no column for the day"
    fresh = contract_plan(quality, rest="slaProperties: [{property: freshness, value: 1, unit: d, element: t.at}]\n")
    assert [one.columns for one in fresh.expectations if isinstance(one.check, RowsPerDay)] == [("at",)]


IDS = """
      - name: a
        physicalType: string
        quality:
          - {metric: nullValues, mustBe: 0}
          - {metric: nullValues, mustBeLessThan: 5}
          - {name: "nullValues[2]", metric: nullValues, mustBeLessThan: 6}
          - {metric: invalidValues, arguments: {pattern: "(("}, mustBe: 0}
      - {name: "a:quality.nullValues", physicalType: string, required: true}
      - {name: "a.b", physicalType: string, required: true}
      - name: a(b)
        logicalType: object
        properties: [{name: "x:y", physicalType: string, required: true}]
"""


def test_ids_never_collide_whatever_the_names_are():
    found = contract_plan("    quality: [{metric: rowCount, mustBe: 1}, {metric: rowCount, mustBe: 2}]\n", IDS)
    ids = [one.id for one in found.expectations]
    assert len(ids) == len(set(ids)) == 9
    assert {"t:quality.rowCount", "t:quality.rowCount[2]", "t.a:quality.nullValues[2]"} <= set(ids)
    (bad,) = [one for one in found.expectations if one.cause]
    assert str(bad.cause).startswith("the pattern '((' is not valid: ")
