"""`floe test` and `floe.verify`: metadata where it proves, one scan where not, never green on what was not evaluated."""

import datetime
import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import floe
from tests.conftest import Lake, Run, run_floe, run_floe_here
from tests.helpers.orders import frame, order
from tests.helpers.tables import DAY, HEAD, table


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "prices.yaml").write_text(HEAD)
    table(tmp_path / "t", (1, Decimal("1.50"), DAY), (2, None, None))
    return tmp_path


def judged(home: Path, *words: str, run: Run = run_floe, **environment: str) -> tuple[int, dict]:
    done = run("test", "prices.yaml", "--table", "./t", "--format", "json", *words, cwd=home, **environment)
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout)


NO_JAVA: dict[str, Any] = {"PATH": "/nowhere", "JAVA_HOME": ""}


def test_provable_rules_need_no_java(home: Path):
    code, said = judged(home, **NO_JAVA)
    (result,) = said["results"]
    assert (code, result["outcome"], result["rows"], result["snapshot"]) == (0, "pass", 2, "0")
    assert {one["how"] for one in result["expectations"]} == {"metadata"}
    assert [one["id"] for one in result["expectations"]] == [
        "prices:schema",
        "prices.id:null-value",
        "prices.price:below-minimum",
        "prices.price:above-maximum",
        "prices.day:below-minimum",
        "prices:quality.rowCount",
    ]


def test_nulls_and_row_counts_are_refuted_with_their_number(home: Path):
    table(home / "t", (None, Decimal(1), DAY), (None, Decimal(2), DAY), mode="append")
    (home / "prices.yaml").write_text(HEAD.replace("mustBeGreaterThan: 1", "mustBeGreaterThan: 4, severity: error"))
    code, said = judged(home, **NO_JAVA)
    (result,) = said["results"]
    failed = {
        one["id"]: (one["violations"], one["actual"]) for one in result["expectations"] if one["outcome"] == "fail"
    }
    assert code == 1
    assert failed == {"prices.id:null-value": (2, 2), "prices:quality.rowCount": (None, 4)}


def test_a_bound_that_statistics_break_is_not_called_broken_without_reading(home: Path):
    table(home / "t", (3, Decimal(-1), DAY), mode="append")
    code, said = judged(home, **NO_JAVA)
    assert code == 2
    assert "Java is not installed" in json.dumps(said)


@pytest.mark.spark
def test_what_statistics_cannot_prove_is_read(spark, home: Path):
    table(home / "t", (3, Decimal(-1), DAY), (4, Decimal(-2), datetime.date(2025, 12, 31)), mode="append")
    code, said = judged(home, run=run_floe_here)
    (result,) = said["results"]
    how = {one["id"]: (one["how"], one["outcome"], one["violations"]) for one in result["expectations"]}
    assert code == 1
    assert how["prices.id:null-value"] == ("metadata", "pass", 0)
    assert how["prices.price:below-minimum"] == ("scan", "fail", 2)
    assert how["prices.day:below-minimum"] == ("scan", "fail", 1)
    assert (result["rows"], result["snapshot"]) == (4, "1")
    runs = json.loads(run_floe_here("runs", "--format", "json", cwd=home).stdout)["runs"]
    assert [(run["mode"], run["outcome"]) for run in runs] == [("test", "fail")]


def test_a_missing_column_is_critical_and_its_rules_are_not_evaluated(home: Path):
    text = HEAD.replace(
        "      - {name: day,", "      - {name: gone, physicalType: int, required: true}\n      - {name: day,"
    )
    (home / "prices.yaml").write_text(text)
    code, said = judged(home, **NO_JAVA)
    (result,) = said["results"]
    by_id = {one["id"]: one for one in result["expectations"]}
    assert code == 1
    assert (by_id["prices.gone:missing-column"]["code"], by_id["prices.gone:missing-column"]["severity"]) == (
        "FLOE-E531",
        "critical",
    )
    assert by_id["prices.gone:null-value"]["outcome"] == "not_evaluated"
    assert by_id["prices.id:null-value"]["outcome"] == "pass"


def test_an_extra_column_is_only_told(home: Path):
    text = HEAD.replace(
        '      - {name: day, physicalType: date, logicalType: date, logicalTypeOptions: {minimum: "2026-01-01"}}\n', ""
    )
    (home / "prices.yaml").write_text(text)
    code, said = judged(home, **NO_JAVA)
    extra = [one for one in said["results"][0]["expectations"] if one["code"] == "FLOE-E532"]
    assert (code, [one["severity"] for one in extra]) == (0, ["info"])


def test_a_rule_that_nobody_can_judge_is_exit_2_unless_accepted(home: Path):
    (home / "prices.yaml").write_text(HEAD + "      - {id: odd, type: custom, engine: soda, implementation: x}\n")
    code, said = judged(home, **NO_JAVA)
    assert (code, said["summary"]["not_evaluated"]) == (2, 1)
    code, said = judged(home, "--accept", "prices:quality.odd", **NO_JAVA)
    assert (code, said["accepted"]) == (0, ["prices:quality.odd"])
    assert said["results"][0]["outcome"] == "not_evaluated"


@pytest.mark.parametrize(
    ("rule", "cause"),
    [
        ("metric: invalidValues, arguments: {pattern: '('}, mustBe: 0", "is not valid"),
        ("metric: invalidValues, arguments: {pattern: '(a+)+b\\1'}, mustBe: 0", "can hang"),
        ("type: sql, query: DROP TABLE prices, mustBe: 0", "not a single read-only query"),
    ],
)
def test_one_rule_that_is_bad_in_itself_is_not_evaluated_and_the_others_are(home: Path, rule: str, cause: str):
    level = ("prices", HEAD + f"      - {{id: bad, {rule}}}\n")
    if "pattern" in rule:
        level = (
            "prices.id",
            HEAD.replace("bigint, required: true", f"bigint, required: true, quality: [{{id: bad, {rule}}}]"),
        )
    (home / "prices.yaml").write_text(level[1])
    code, said = judged(home, **NO_JAVA)
    (bad,) = [one for one in said["results"][0]["expectations"] if one["outcome"] == "not_evaluated"]
    assert (code, bad["code"], bad["field"]) == (2, "FLOE-E580", level[0])
    assert cause in bad["cause"]
    assert {one["outcome"] for one in said["results"][0]["expectations"] if one is not bad} == {"pass"}


def test_a_table_that_is_not_there_is_not_evaluated(home: Path):
    done = run_floe("test", "prices.yaml", "--table", "./nothing", cwd=home)
    assert (done.returncode, "does not exist" in done.stdout) == (2, True)


@pytest.mark.spark
def test_a_table_on_either_format_and_a_frame_give_the_same_verdict(spark, lake: Lake):
    rows = frame(spark, order(1), order(2, status="lost"), order(3, amount=Decimal(-5)))
    floe.enforce(rows, lake.table_id, settings=lake.settings)
    from floe.actions.verify import verify_tables
    from floe.tables.locate import TableSelector

    (on_table,) = verify_tables([lake.table_id], TableSelector(), lake.settings).results
    on_frame = floe.verify(rows, lake.table_id, settings=lake.settings)
    wanted = {"orders_clean.status:value-not-listed": 1, "orders_clean.amount:below-minimum": 1}
    for result in (on_table, on_frame):
        assert {one.id: one.violations for one in result.failed} == wanted
        assert (result.rows, result.outcome) == (3, "fail")
    assert on_table.snapshot is not None


@pytest.mark.spark
@pytest.mark.parametrize("lake", ["iceberg"], indirect=True)
def test_an_iceberg_table_is_proved_from_its_manifests_and_deletes_or_widening_make_it_read(spark, lake: Lake):
    """Rules that statistics decide, before and after rows are deleted and a type is widened."""
    from floe.actions.verify import verify_tables
    from floe.tables.locate import TableSelector

    name = f"ice.{lake.table_id.split('.')[1]}.prices"
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS ice.{lake.table_id.split('.')[1]}")
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, price DECIMAL(9,2), day DATE, n INT) USING iceberg TBLPROPERTIES ('write.delete.mode'='merge-on-read', 'format-version'='2')"
    )
    spark.sql(f"INSERT INTO {name} VALUES (1, 1.50, DATE'2026-05-01', 5), (2, NULL, NULL, 7), (NULL, 3, NULL, 9)")
    text = HEAD.replace(
        "    quality:",
        "      - {name: n, physicalType: int, logicalType: integer, logicalTypeOptions: {minimum: 5}}\n    quality:",
    )

    def judged() -> dict[str, tuple]:
        (result,) = verify_tables([text], TableSelector(table=name), lake.settings).results
        return {one.id: (one.how, one.outcome, one.violations) for one in result.expectations}

    first = judged()
    assert first["prices.id:null-value"] == ("metadata", "fail", 1)
    assert first["prices.price:above-maximum"] == ("metadata", "pass", 0)
    assert first["prices.n:below-minimum"] == ("metadata", "pass", 0)
    assert first["prices:quality.rowCount"] == ("metadata", "pass", None)
    spark.sql(f"DELETE FROM {name} WHERE id IS NULL")
    spark.sql(f"ALTER TABLE {name} ALTER COLUMN n TYPE bigint")
    text = text.replace("{name: n, physicalType: int", "{name: n, physicalType: bigint")
    second = judged()
    assert second["prices.id:null-value"] == ("scan", "pass", 0)
    assert second["prices.price:above-maximum"] == ("metadata", "pass", 0)
    assert second["prices.n:below-minimum"] == ("scan", "pass", 0)
    assert second["prices:quality.rowCount"] == ("scan", "pass", None)


PAIR = """apiVersion: v3.1.0
kind: DataContract
id: urn:pair
name: pair
version: 1.0.0
status: active
domain: DOMAIN
dataProduct: p
schema:
  - name: customers
    physicalName: silver.DOMAIN.customers
    properties:
      - {name: id, physicalType: int, primaryKey: true}
      - {name: land, physicalType: string}
  - name: orders
    physicalName: silver.DOMAIN.orders
    relationships:
      - {from: [orders.customer, orders.land], to: [customers.id, customers.land]}
    properties:
      - {name: id, physicalType: int, primaryKey: true}
      - {name: customer, physicalType: int, relationships: [{to: customers.id}]}
      - {name: land, physicalType: string, relationships: [{to: countries.code}]}
"""


@pytest.mark.spark
def test_references_are_judged_at_the_gate_and_on_the_table(spark, lake: Lake):
    domain = lake.table_id.split(".")[1]
    (lake.root / "contracts/pair.yaml").write_text(PAIR.replace("DOMAIN", domain))
    customers = spark.createDataFrame([(1, "DE"), (2, "FR")], "id int, land string")
    orders = spark.createDataFrame(
        [(1, 1, "DE"), (2, 1, "FR"), (3, 9, "DE"), (4, None, "XX")], "id int, customer int, land string"
    )
    floe.enforce(customers, f"silver.{domain}.customers", settings=lake.settings)
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(orders, f"silver.{domain}.orders", settings=lake.settings)
    (unknown,) = caught.value.result.result.not_evaluated
    assert unknown.cause == "no table found for 'countries': pass --reference countries=TABLE"

    countries = str(lake.root / "countries")
    spark.createDataFrame([("DE",), ("FR",)], "code string").write.format("delta").save(countries)
    from floe.actions.verify import verify_tables
    from floe.tables.locate import TableSelector

    failed = {one.id: (one.code, one.violations) for one in caught.value.result.result.failed}
    assert failed == {"orders:reference": ("E555", 2), "orders.customer:reference": ("E555", 1)}
    given = floe.enforce(orders, f"silver.{domain}.orders", references={"countries": countries}, settings=lake.settings)
    assert (given.written, len(given.result.failed)) == (4, 3)
    results = verify_tables(
        [lake.root / "contracts/pair.yaml"], TableSelector(references={"countries": countries}), lake.settings
    ).results
    assert [result.dataset for result in results] == ["orders", "customers"]
    assert {one.id: one.violations for one in results[0].failed} == {
        "orders:reference": 2,
        "orders.customer:reference": 1,
        "orders.land:reference": 1,
    }


def levels(home: Path, text: str) -> dict[str, tuple]:
    (home / "prices.yaml").write_text(HEAD + f"slaProperties:\n{text}")
    _, said = judged(home, **NO_JAVA)
    return {
        one["id"]: (one["code"], one["outcome"], one["how"])
        for one in said["results"][0]["expectations"]
        if ":sla." in one["id"]
    }


def test_freshness_without_an_element_is_the_age_of_the_last_commit(home: Path):
    assert levels(home, "  - {property: freshness, value: 1, unit: h}\n") == {
        "prices:sla.freshness": ("FLOE-E560", "pass", "metadata")
    }
    old = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC).timestamp()
    log = home / "t/_delta_log/00000000000000000000.json"
    log.write_text(log.read_text().replace('"timestamp":', f'"timestamp":{old * 1000:.0f},"was":'))
    os.utime(log, (old, old))
    assert levels(home, "  - {property: freshness, value: 1, unit: h}\n") == {
        "prices:sla.freshness": ("FLOE-E560", "fail", "metadata")
    }


def test_levels_that_a_test_cannot_see_are_named_and_do_not_spoil_it(home: Path):
    text = "  - {property: availability, value: 99.9, unit: percent}\n  - {property: retention, value: 3, unit: y}\n"
    assert levels(home, text) == {
        "prices:sla.availability": ("FLOE-E580", "not_gated", None),
        "prices:sla.retention": ("FLOE-E580", "not_gated", None),
    }
    assert judged(home, **NO_JAVA)[0] == 0


@pytest.mark.spark
def test_ages_of_rows_are_judged_in_utc_and_the_future_does_not_count(spark, lake: Lake):
    text = HEAD.replace(
        'physicalType: date, logicalType: date, logicalTypeOptions: {minimum: "2026-01-01"}',
        "physicalType: timestamp_ntz",
    )
    text += "slaProperties:\n  - {property: freshness, value: 2, unit: h, element: prices.day}\n"
    text += "  - {property: retention, value: 1, unit: d, element: prices.day, driver: regulatory}\n"
    for hours, fresh in ((1, "pass"), (3, "fail")):
        rows = spark.sql(
            "SELECT CAST(1 AS BIGINT) AS id, CAST(1 AS DECIMAL(9,2)) AS price, "
            f"EXPLODE(ARRAY(to_timestamp_ntz(current_timestamp() - INTERVAL {hours} HOURS), "
            "to_timestamp_ntz(current_timestamp() + INTERVAL 9 HOURS), to_timestamp_ntz(current_timestamp() - INTERVAL 50 HOURS))) AS day"
        )
        result = floe.verify(rows, text, settings=lake.settings)
        found = {one.id: (one.code, one.outcome) for one in result.expectations if ":sla." in one.id}
        assert found == {"prices:sla.freshness": ("E560", fresh), "prices:sla.retention": ("E564", "fail")}


KEYED = """apiVersion: v3.1.0
kind: DataContract
id: urn:keyed
name: keyed
version: 1.0.0
status: active
domain: shop
dataProduct: p
schema:
  - name: keyed
    properties:
      - {name: id, physicalType: bigint, unique: true}
      - {name: price, physicalType: "decimal(9,2)", primaryKey: true, primaryKeyPosition: 1}
      - {name: day, physicalType: date, primaryKey: true, primaryKeyPosition: 2}
      - {name: code, physicalType: string, unique: true}
"""


@pytest.mark.spark
def test_keys_of_many_rows_before_and_after_some_are_deleted(spark, lake: Lake):
    from floe.actions.verify import verify_tables
    from floe.tables.locate import TableSelector

    domain = lake.table_id.split(".")[1]
    name, kind = {
        "delta": (f"delta.`{lake.root}/keyed`", "'delta.enableDeletionVectors' = 'true'"),
        "iceberg": (f"ice.{domain}.keyed", "'write.delete.mode' = 'merge-on-read'"),
    }[lake.format]
    if lake.format == "iceberg":
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS ice.{domain}")
    columns = "id BIGINT, price DECIMAL(9,2), day DATE, code STRING"
    spark.sql(f"CREATE TABLE {name} ({columns}) USING {lake.format} TBLPROPERTIES ({kind})")
    row = """CAST(id AS BIGINT) AS id, CAST((id div 400) / 100 AS DECIMAL(9,2)) AS price,
        date_add(DATE'2026-01-01', CAST(id % 400 AS INT)) AS day, concat('K', CAST(id AS STRING)) AS code"""
    spark.sql(f"INSERT INTO {name} SELECT {row} FROM range(120000)")
    spark.sql(f"INSERT INTO {name} SELECT {row} FROM VALUES (7), (7), (119999) AS again(id)")
    way = TableSelector(table=str(lake.root / "keyed") if lake.format == "delta" else name)

    def judged() -> dict[str, tuple]:
        (result,) = verify_tables([KEYED], way, lake.settings).results
        return {one.field: (one.violations, one.samples) for one in result.expectations if one.how == "scan"}

    seven, last = {"price": "0.00", "day": "2026-01-08"}, {"price": "2.99", "day": "2027-02-04"}
    assert judged() == {
        "keyed(price, day)": (3, (seven, last)),
        "keyed.id": (3, ({"id": 119_999}, {"id": 7})),
        "keyed.code": (3, ({"code": "K119999"}, {"code": "K7"})),
    }
    spark.sql(f"DELETE FROM {name} WHERE id = 7")
    assert [number for number, _ in judged().values()] == [1, 1, 1]
    spark.sql(f"DELETE FROM {name} WHERE id = 119999")
    assert [number for number, _ in judged().values()] == [0, 0, 0]
