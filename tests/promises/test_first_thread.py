"""The thread: one contract through public doors, on a real Delta and a real Iceberg table."""

import json
import subprocess
import sys
import uuid
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import functions

import floe
from tests.conftest import ROOT, Lake, make_lake, run_floe, spark_settings
from tests.helpers.gates import read
from tests.helpers.orders import COLUMNS, frame, order

pytestmark = pytest.mark.spark


def test_a_good_batch_creates_the_table_and_is_found_by_its_properties(spark, lake: Lake):
    result = floe.enforce(frame(spark, order(1), order(2)), lake.table_id, mode="append", settings=lake.settings)

    assert (result.written, result.refused, result.created, result.result.outcome) == (2, False, True, "pass")
    from floe.tables import probe

    facts = probe(lake.target, lake.settings)
    assert facts is not None
    assert facts.snapshot == result.snapshot_after
    assert facts.properties["floe.contract"] == f"{lake.table_id.split('.')[1]}.orders/orders_clean:1.0.0"
    assert facts.properties["floe.schema_version"] == "1"
    assert facts.properties["floe.schema_hash"] == result.schema_hash
    assert facts.columns == ("order_id", "customer_id", "order_ts", "status", "amount", "ship_to")


def test_a_second_batch_is_appended_and_rows_read_back_as_given(spark, lake: Lake):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    floe.enforce(frame(spark, order(2, ship_to=None)), lake.table_id, settings=lake.settings)

    rows = read(spark, lake).orderBy("order_id").collect()
    assert [(row.order_id, row.status, str(row.amount), row.ship_to) for row in rows] == [
        (1, "placed", "9.90", ("DE", "Berlin")),
        (2, "placed", "9.90", None),
    ]


REFUSED = [
    (
        "E530",
        "amount",
        COLUMNS.replace("decimal(14,2)", "string"),
        [order(3, amount="9.90")],
        1,
        "string",
        "decimal(14,2)",
    ),
    ("E531", "customer_id", COLUMNS.replace("customer_id string, ", ""), [order(3)], 1, None, "string"),
    ("E532", "coupon", COLUMNS + ", coupon string", [order(3, coupon="X")], 1, "string", None),
    ("E550", "order_id", COLUMNS, [order(None), order(3)], 1, 1, 0),
    ("E551", "order_id", COLUMNS, [order(3), order(3), order(3), order(4)], 2, 2, 0),
]


@pytest.mark.parametrize(("code", "column", "columns", "rows", "violations", "actual", "expected"), REFUSED)
def test_a_batch_that_breaks_the_contract_is_refused_and_nothing_changes(
    spark, lake: Lake, code, column, columns, rows, violations, actual, expected
):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    before = lake.state()
    wanted = [name.split()[0] for name in columns.replace("struct<country:string,city:string>", "struct").split(", ")]
    batch = [{key: value for key, value in row.items() if key in wanted} for row in rows]

    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, *batch, columns=columns), lake.table_id, settings=lake.settings)

    result = caught.value.result
    broken = result.result.failed
    assert [(one.code, one.field, one.violations, one.actual, one.expected) for one in broken] == [
        (code, f"orders_clean.{column}", violations, actual, expected)
    ]
    assert f"FLOE-{code}" in str(caught.value)
    assert (result.refused, result.written, result.snapshot_before) == (True, 0, result.snapshot_after)
    assert lake.state() == before


def test_a_refused_first_batch_makes_no_table(spark, lake: Lake):
    with pytest.raises(floe.ViolationError):
        floe.enforce(frame(spark, order(None)), lake.table_id, settings=lake.settings)
    assert lake.state() == (None, None, ())


def test_keys_that_are_in_the_table_already_are_refused(spark, lake: Lake):
    floe.enforce(frame(spark, order(1), order(2)), lake.table_id, settings=lake.settings)
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(2), order(3)), lake.table_id, settings=lake.settings)
    (broken,) = caught.value.result.result.failed
    assert (broken.code, broken.violations, broken.samples) == ("E551", 1, ({"order_id": 2},))


def test_a_row_whose_key_repeats_and_is_in_the_table_counts_once(spark, lake: Lake):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(
            frame(spark, order(1), order(1), order(2), order(2), order(3)), lake.table_id, settings=lake.settings
        )
    (broken,) = caught.value.result.result.failed
    assert (broken.code, broken.violations) == ("E551", 3)  # both of key 1, the second of key 2
    assert broken.message == (
        "'orders_clean.order_id' is duplicated in 2 rows of the batch and "
        "'orders_clean.order_id' of 2 rows is already in the table"
    )


def test_text_that_its_type_cannot_hold_is_refused_alike_on_both_formats(spark, lake: Lake):
    who = "physicalType: {}\n        required: true\n        description: Who ordered."
    lake.contract(who.format("string"), who.format("varchar(3)"))
    batch = frame(spark, order(1, customer_id="abc"), order(2, customer_id="abcd"))
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(batch, lake.table_id, settings=lake.settings)
    (broken,) = caught.value.result.result.failed
    assert (broken.code, broken.name, broken.violations, broken.message) == (
        "E554",
        "too-long-for-type",
        1,
        "Values of 'orders_clean.customer_id' are not at most 3 characters long",
    )
    assert lake.state() == (None, None, ())


def test_a_name_that_delta_cannot_hold_is_said_before_anything_is_made(spark, lake: Lake):
    lake.contract("- name: customer_id", "- name: customer id")
    batch = frame(spark, order(1)).withColumnRenamed("customer_id", "customer id")
    if lake.format == "iceberg":
        assert floe.enforce(batch, lake.table_id, settings=lake.settings).written == 1
        return
    with pytest.raises(floe.TableError, match="Delta does not allow the column names 'customer id'"):
        floe.enforce(batch, lake.table_id, settings=lake.settings)
    assert lake.state() == (None, None, ())


def test_empty_text_in_a_partition_column_is_judged_as_the_table_keeps_it(spark, lake: Lake):
    lake.contract(
        "- name: customer_id", "- name: customer_id\n        partitioned: true\n        partitionKeyPosition: 1"
    )
    batch = frame(spark, order(1), order(2, customer_id=""), order(3, customer_id="a/b c=d"))
    if lake.format == "iceberg":
        assert floe.enforce(batch, lake.table_id, settings=lake.settings).written == 3
        assert {row.customer_id for row in read(spark, lake).collect()} == {"C1", "", "a/b c=d"}
        return
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(batch, lake.table_id, settings=lake.settings)
    (broken,) = caught.value.result.result.failed
    assert (broken.code, broken.field, broken.violations) == ("E550", "orders_clean.customer_id", 1)


def test_a_null_in_a_required_part_of_a_struct_is_refused(spark, lake: Lake):
    batch = frame(spark, order(1, ship_to={"country": None, "city": "Rome"}), order(2, ship_to=None))
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(batch, lake.table_id, settings=lake.settings)
    (broken,) = caught.value.result.result.failed
    assert (broken.code, broken.field, broken.violations) == ("E550", "orders_clean.ship_to.country", 1)


def test_values_that_break_a_data_rule_are_written_with_an_alert_and_refused_by_block(
    spark, lake: Lake, spark_root: Path
):
    batch = frame(spark, order(1, status="lost"), order(2, amount=Decimal(-1)), order(3))
    blocking = spark_settings(
        spark_root, lake.root, **{"tables.format": lake.format, "data_contracts.enforcement": "block"}
    )
    with pytest.raises(floe.ViolationError):
        floe.enforce(batch, lake.table_id, settings=blocking)
    assert lake.state() == (None, None, ())

    result = floe.enforce(batch, lake.table_id, settings=lake.settings)
    assert (result.written, result.result.passed, result.result.outcome) == (3, False, "fail")
    assert {(one.code, one.name, one.violations) for one in result.result.failed} == {
        ("E552", "value-not-listed", 1),
        ("E554", "below-minimum", 1),
    }


def rand(_):
    """Spark's own: the same frame, other values wherever the plan cuts it differently."""
    return functions.expr("CAST(rand() * 100 - 50 AS DECIMAL(14,2))")


def uuid4(_):
    """Other values each time the frame is asked, whatever the plan."""
    draw = functions.udf(lambda: uuid.uuid4().int % 100 - 50, "bigint").asNondeterministic()
    return draw().cast("decimal(14,2)")


@pytest.mark.parametrize("amount", [rand, uuid4])
def test_the_rows_judged_are_the_rows_written(spark, lake: Lake, amount):
    """About half the amounts break the minimum; which ones is only known of the rows that were written."""
    batch = spark.range(1000).select(
        functions.expr("id AS order_id"),
        functions.expr("'C1' AS customer_id"),
        functions.expr("timestamp'2026-11-14 12:00:00' AS order_ts"),
        functions.expr("'placed' AS status"),
        amount(spark).alias("amount"),
        functions.expr("struct('DE' AS country, 'Berlin' AS city) AS ship_to"),
    )
    result = floe.enforce(batch, lake.table_id, settings=lake.settings)
    (broken,) = result.result.failed
    assert broken.violations == read(spark, lake).where("amount < 0").count()
    assert 300 < (broken.violations or 0) < 700


def test_a_source_replaced_after_staging_changes_nothing(spark, lake: Lake, tmp_path: Path):
    source = str(tmp_path / "source")
    frame(spark, order(1)).write.parquet(source)
    batch = spark.read.parquet(source)
    result = floe.enforce(batch, lake.table_id, settings=lake.settings)
    frame(spark, order(2), order(3)).write.mode("overwrite").parquet(source)
    assert (result.written, [row.order_id for row in read(spark, lake).collect()]) == (1, [1])


def test_column_order_and_case_do_not_matter_at_silver(spark, lake: Lake):
    batch = frame(spark, order(1)).selectExpr(
        "ship_to", "amount", "status", "order_ts", "customer_id AS Customer_ID", "order_id"
    )
    result = floe.enforce(batch, lake.table_id, settings=lake.settings)
    assert result.notes[0] == "Column 'Customer_ID' of the batch was written as 'customer_id'"
    assert read(spark, lake).columns == ["order_id", "customer_id", "order_ts", "status", "amount", "ship_to"]


def test_parts_of_a_struct_in_another_order_are_written_under_their_names(spark, lake: Lake):
    batch = frame(spark, order(1)).selectExpr(
        "order_id", "customer_id", "order_ts", "status", "amount", "struct(ship_to.city, ship_to.country) AS ship_to"
    )
    floe.enforce(batch, lake.table_id, settings=lake.settings)
    assert [row.ship_to.asDict() for row in read(spark, lake).collect()] == [{"country": "DE", "city": "Berlin"}]


def test_an_empty_batch_passes_and_adds_no_snapshot(spark, lake: Lake):
    first = floe.enforce(frame(spark), lake.table_id, settings=lake.settings)
    assert (first.written, first.created, first.result.outcome) == (0, True, "pass")
    before = lake.state()
    again = floe.enforce(frame(spark), lake.table_id, settings=lake.settings)
    assert (again.written, again.created) == (0, False)
    assert lake.state() == before


def test_a_contract_without_a_key_appends_and_says_what_was_not_looked_for(spark, lake: Lake):
    lake.contract("        primaryKey: true\n        primaryKeyPosition: 1\n", "")
    result = floe.enforce(frame(spark, order(1), order(1)), lake.table_id, settings=lake.settings)
    assert result.written == 2
    assert result.notes[0] == (
        "'orders_clean' has no primary key, so duplicates were not checked: add primaryKey: true to its key columns"
    )


def test_a_table_that_differs_from_the_contract_is_not_written(spark, lake: Lake):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    spark.sql(f"ALTER TABLE {lake.target.sql} ADD COLUMN note string")
    before = lake.state()
    with pytest.raises(floe.ViolationError, match="Column 'note' \\(string\\) of the table is not in the contract"):
        floe.enforce(frame(spark, order(2)), lake.table_id, settings=lake.settings)
    assert lake.state() == before


def test_a_rule_nobody_can_judge_is_never_green(spark, lake: Lake):
    lake.contract(
        "      - name: customer_id\n", "      - name: customer_id\n        logicalTypeOptions: {format: hexagram}\n"
    )
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    (unknown,) = caught.value.result.result.not_evaluated
    assert (unknown.code, unknown.outcome, unknown.field) == ("E580", "not_evaluated", "orders_clean.customer_id")
    assert caught.value.result.result.outcome == "not_evaluated"


def test_references_are_named_as_not_evaluated_and_table_rules_as_not_a_gate_s(spark, lake: Lake):
    rules = "    quality:\n      - {type: custom, engine: floe, implementation: {pointInTime: {rule: order_ts <= order_ts}}}\n"
    rules += "      - {metric: rowCount, mustBeGreaterThan: 5}\n"
    lake.contract("    customProperties:\n", rules + "    customProperties:\n")
    lake.contract(
        "      - name: customer_id\n",
        "      - name: customer_id\n        relationships: [{to: customers.id}]\n",
    )
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    result = caught.value.result.result
    assert [(one.field, str(one.severity)) for one in result.not_evaluated] == [("orders_clean.customer_id", "error")]
    assert [
        (one.code, one.outcome) for one in result.expectations if one.field == "orders_clean" and one.code == "E558"
    ] == [("E558", "pass")]
    assert [one.name for one in result.expectations if one.outcome == "not_gated"] == ["rowCount"]


def test_samples_of_classified_keys_are_hashed(spark, lake: Lake):
    lake.contract("        primaryKey: true\n", "        primaryKey: true\n        classification: pii\n")
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(41), order(41)), lake.table_id, settings=lake.settings)
    (broken,) = caught.value.result.result.failed
    assert broken.samples[0]["order_id"].startswith("hash:")
    assert '"41"' not in json.dumps(caught.value.result.to_dict())


def test_staged_files_are_gone_whatever_came_of_the_batch(spark, lake: Lake):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    with pytest.raises(floe.ViolationError):
        floe.enforce(frame(spark, order(None)), lake.table_id, settings=lake.settings)
    assert lake.staged == []


@pytest.mark.parametrize("format_", ["delta", pytest.param("iceberg", marks=pytest.mark.soak)])
def test_the_whole_thread_by_command(format_: str, tmp_path: Path):
    """Lint, five refused batches and an accepted one, runs and doctor: each in a process of its own."""
    lake = make_lake(tmp_path, spark_settings(tmp_path, tmp_path), "commerce")
    (tmp_path / "manifest.yaml").write_text(
        (ROOT / "examples/lakehouse/manifest.yaml").read_text().replace("delta", format_, 1)
    )
    make = [sys.executable, ROOT / "tests/helpers/make_batches.py", tmp_path / "batches"]
    subprocess.run(list(map(str, make)), check=True)

    clean = run_floe("lint", "contracts/", cwd=tmp_path)
    assert (clean.returncode, clean.stdout) == (0, "✓ 1 file: no error, no warning\n")
    (tmp_path / "wrong.yaml").write_text(lake.contract().read_text().replace("minimum: 0", "minimum: 2000000"))
    wrong = run_floe("lint", "wrong.yaml", "--format", "json", cwd=tmp_path)
    (finding,) = json.loads(wrong.stdout)["findings"]
    assert (wrong.returncode, finding["code"], finding["line"], finding["column"]) == (1, "FLOE-E508", 56, 20)

    good = run_floe("enforce", "batches/good.parquet", lake.table_id, "--format", "json", cwd=tmp_path)
    assert good.returncode == 0, good.stderr
    written = json.loads(good.stdout)
    assert (written["written"], written["refused"], written["snapshot_before"], written["schema_version"]) == (
        1000,
        False,
        None,
        1,
    )

    before = doctor(tmp_path, lake.table_id)
    assert before["snapshot"] == written["snapshot_after"]
    broken = sorted(str(path.relative_to(tmp_path)) for path in (tmp_path / "batches/broken").iterdir())
    refused = run_floe("enforce", *broken, lake.table_id, "--format", "json", cwd=tmp_path)
    assert refused.returncode == 1, refused.stderr
    answers = json.loads(refused.stdout)["results"]
    codes = [
        [one["code"] for one in answer["result"]["expectations"] if one["outcome"] == "fail"] for answer in answers
    ]
    assert codes == [["FLOE-E530"], ["FLOE-E531"], ["FLOE-E532"], ["FLOE-E550"], ["FLOE-E551"]]
    assert [(answer["refused"], answer["written"]) for answer in answers] == [(True, 0)] * 5
    assert doctor(tmp_path, lake.table_id) == before

    told = run_floe("runs", "--format", "json", cwd=tmp_path)
    runs = json.loads(told.stdout)["runs"]
    assert [(run["refused"], run["written"]) for run in reversed(runs)] == [(False, 1000)] + [(True, 0)] * 5
    assert [run["run_id"] for run in reversed(runs)] == [written["run_id"], *(answer["run_id"] for answer in answers)]
    text = run_floe("runs", cwd=tmp_path).stdout
    assert "E551 ×1" in text
    assert text.count("refused") == 5


def doctor(root: Path, table_id: str) -> dict:
    said = run_floe("doctor", table_id, "--format", "json", cwd=root)
    assert said.returncode == 0, said.stdout
    found: dict = json.loads(said.stdout)
    assert found["reachable"] is True
    return found
