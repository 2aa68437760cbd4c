"""A contract made of a table holds on that table, and fails on the same table with one fault."""

import uuid
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from pyarrow import parquet as pq
from pyiceberg.catalog import load_catalog

import floe
from floe.settings import Settings
from tests.conftest import spark_settings
from tests.helpers.bootstrap import SCHEMA, fields, row, rows

pytestmark = pytest.mark.spark

AMOUNT = SCHEMA.get_field_index("amount")
FAULTS = {
    "null": ("E550", rows(row(8, order_id=9, status=None))),
    "duplicate-key": ("E551", rows(row(8))),
    "unlisted": ("E552", rows(row(8, order_id=9, status="lost"))),
    "too-high": ("E554", rows(row(8, order_id=9, amount=Decimal("2.01")))),
    "too-low": ("E554", rows(row(8, order_id=9, amount=Decimal("0.24")))),
    "other-type": ("E530", rows().set_column(AMOUNT, "amount", rows()["amount"].cast(pa.float64()))),
    "missing": ("E531", rows().drop_columns(["amount"])),
    "extra": ("E532", rows().append_column("more", pa.array([1] * 8))),
}


def put(form: str, home: Path, settings: Settings, data: pa.Table, name: str) -> str:
    if form == "iceberg":
        space = f"b{uuid.uuid4().hex[:12]}"
        catalog = load_catalog("ice", **settings.catalogs["ice"])
        catalog.create_namespace(space)
        catalog.create_table(f"{space}.{name}", data.schema).append(data)
        return f"ice.{space}.{name}"
    if form == "delta":
        # deltalake writes NOT NULL beside timestamp_ntz in a way that Spark refuses to read
        data = data.cast(pa.schema([field.with_nullable(True) for field in data.schema]))
        write_deltalake(str(home / name), data)
    else:
        (home / name).mkdir()
        pq.write_table(data, home / name / "a.parquet")
    return str(home / name)


@pytest.mark.parametrize("form", ["delta", "iceberg", "parquet"])
def test_it_holds_where_it_came_from_and_fails_with_one_fault(form: str, spark, spark_root: Path, tmp_path: Path):
    settings = spark_settings(spark_root, tmp_path)
    source = put(form, tmp_path, settings, rows(), "orders")
    path = tmp_path / "orders.yaml"
    path.write_text(floe.bootstrap(source, settings=settings, accept_observed=True).text)
    held = floe.verify(source, path, settings)
    assert {one.outcome for one in held.expectations} == {"pass"}
    for name, (code, data) in FAULTS.items():
        result = floe.verify(put(form, tmp_path, settings, data, name.replace("-", "_")), path, settings)
        assert {one.code for one in result.failed} == {code}, name
        assert result.passed is (code == "E532"), name  # a column that nobody promised breaks no promise


def test_a_frame_shows_what_its_table_shows(spark, spark_root: Path, tmp_path: Path):
    settings = spark_settings(spark_root, tmp_path)
    source = put("delta", tmp_path, settings, rows(), "orders")
    frame = spark.read.format("delta").load(source)
    by_table = floe.bootstrap(source, settings=settings, accept_observed=True).text
    by_frame = floe.bootstrap(frame, name="orders", settings=settings, accept_observed=True).text
    assert fields(by_frame) == fields(by_table)
    assert {one.outcome for one in floe.verify(frame, by_frame, settings).expectations} == {"pass"}
    schema = floe.bootstrap(frame.schema, name="orders", settings=settings).text
    assert "#?" not in schema
    assert "No rows were read" in schema


def test_rows_that_only_spark_reads_are_read_by_spark(spark, spark_root: Path, tmp_path: Path):
    settings = spark_settings(spark_root, tmp_path)
    for name, feature in (
        ("mapped", "'delta.columnMapping.mode' = 'name'"),
        ("erased", "'delta.enableDeletionVectors' = 'true'"),
    ):
        spark.sql(
            f"CREATE TABLE delta.`{tmp_path}/{name}` (id BIGINT, kind STRING) USING delta TBLPROPERTIES ({feature})"
        )
        spark.sql(f"INSERT INTO delta.`{tmp_path}/{name}` SELECT id, IF(id = 9, 'x', 'y') FROM range(10)")
        spark.sql(f"DELETE FROM delta.`{tmp_path}/{name}` WHERE id = 9")
        text = floe.bootstrap(tmp_path / name, settings=settings, accept_observed=True).text
        assert "All 9 rows were read" in text
        assert fields(text)["kind"]["quality"][0]["arguments"] == {"validValues": ["y"]}
        assert fields(text)["id"]["primaryKey"] is True
    spark.sql(f"CREATE TABLE bootstrapped USING delta LOCATION '{tmp_path}/erased'")
    text = floe.bootstrap("default.bootstrapped", settings=settings).text
    assert "physicalName: default.bootstrapped" in text
    assert "All 9 rows were read" in text
    spark.sql("DROP TABLE bootstrapped")
