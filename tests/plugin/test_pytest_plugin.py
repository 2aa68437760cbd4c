"""The pytest plugin, as a project uses it: in a pytest of its own, on a plain Spark session."""

import os
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tests.conftest import CONTRACT, ROOT

INNER = """
import datetime
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

COLUMNS = ("order_id bigint, customer_id string, order_ts timestamp, status string, amount decimal(14,2), "
           "ship_to struct<country:string,city:string>")
NAME = "silver.commerce.orders_clean"


@pytest.fixture(scope="session")
def spark():
    return SparkSession.builder.master("local[1]").config("spark.sql.shuffle.partitions", "1").getOrCreate()


def orders(spark, *rows):
    noon = datetime.datetime(2026, 11, 14, 12)
    return spark.createDataFrame([(n, "C1", noon, status, Decimal(1), None) for n, status in rows], COLUMNS)


def test_good(spark, floe_contract):
    rows = orders(spark, (1, "placed"), (2, "shipped"))
    floe_contract(NAME).assert_schema(rows)
    floe_contract(NAME).assert_holds(rows)
    floe_contract("contracts/silver/commerce/orders_clean.yaml").assert_holds(rows)


def test_columns(spark, floe_contract):
    rows = orders(spark, (1, "placed")).drop("status").selectExpr(
        "cast(order_id as string) order_id", "* except(order_id, ship_to)",
        "named_struct('country', 1) ship_to", "1 more")
    floe_contract(NAME).assert_schema(rows)


def test_rows(spark, floe_contract):
    floe_contract(NAME).assert_holds(orders(spark, (1, "lost"), (2, "placed"), (2, "placed")))


def test_unknown(spark, floe_contract):
    floe_contract("odd.yaml").assert_holds(spark.createDataFrame([(1,)], "a int"))


def test_accepted(spark, floe_contract):
    floe_contract("odd.yaml").assert_holds(spark.createDataFrame([(1,)], "a int"), accept=["t:quality.odd"])


def test_accepts_a_stranger(spark, floe_contract):
    floe_contract(NAME).assert_holds(orders(spark, (1, "placed")), accept=["t:quality.gone"])
"""
ODD = """apiVersion: v3.1.0
kind: DataContract
id: x
version: 1.0.0
status: active
schema:
  - name: t
    properties: [{name: a, physicalType: int}]
    quality: [{id: odd, type: custom, engine: soda, implementation: x}]
"""


@pytest.mark.spark
def test_frames_of_a_test_are_held_to_a_contract(tmp_path: Path):
    place = tmp_path / "contracts" / "silver" / "commerce" / "orders_clean.yaml"
    place.parent.mkdir(parents=True)
    shutil.copy(CONTRACT, place)
    (tmp_path / "odd.yaml").write_text(ODD)
    (tmp_path / "test_inner.py").write_text(INNER)
    # the entry point is put aside, so that the test holds whether or not the tree was installed with it
    words = ["-m", "pytest", "-p", "no:cacheprovider", "-p", "no:floe", "-p", "floe.pytest_plugin", "-rA", "."]
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False, env=os.environ
    )
    said = done.stdout
    assert "4 failed, 2 passed" in said, said + done.stderr
    lines = {" ".join(line.split()) for line in said.splitlines()}
    assert {
        "column expected actual",
        "✗ order_id bigint string",
        "customer_id string string",
        "✗ status string missing",
        "✗ ship_to.country string int",
        "✗ ship_to.city string missing",
        "✗ more not in contract int",
    } <= lines
    assert "FLOE-E551 critical orders_clean.order_id:key-duplicated" in said
    assert "e.g. order_id=2" in said
    assert any("FLOE-E552 error" in line for line in lines)
    assert "1 bad, expected ['placed', 'shipped', 'returned'], actual 1" in lines
    assert "not evaluated: " in said
    assert "accept names 't:quality.gone', which is not an expectation of the contract" in said


def test_the_entry_point_leads_to_the_plugin():
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert said == {"floe": "floe.pytest_plugin"}
    assert import_module(said["floe"]).floe_contract


def test_the_plugin_loads_nothing_heavy():
    code = (
        "import sys, floe.pytest_plugin; print([m for m in sys.modules if m in ('pyspark', 'sqlglot', 'sqlalchemy')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
