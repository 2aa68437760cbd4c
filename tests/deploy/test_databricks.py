"""The Databricks bundle by its text; no workspace was reached."""

import importlib.util
import sys
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet as pq

from tests.helpers.deploying import DEPLOY, accepted

FOLDER = DEPLOY / "databricks"
JOB: dict[str, Any] = yaml.safe_load((FOLDER / "databricks.yml").read_text())["resources"]["jobs"]["floe"]
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]


def test_floe_accepts_the_parameters_of_its_tasks():
    parameters = {parameter["name"]: parameter["default"] for parameter in JOB["parameters"]}
    for task in JOB["tasks"]:
        wheel = task["python_wheel_task"]
        assert PROJECT["name"] == wheel["package_name"]
        assert PROJECT["entry-points"]["packages"][wheel["entry_point"]] == "floe_job:run"
        named = [word[len("{{job.parameters.") : -2] for word in wheel["parameters"] if word.startswith("{{")]
        assert set(named) <= set(parameters)
        accepted(wheel["parameters"])


@pytest.mark.spark
def test_a_refused_batch_fails_the_task_and_an_accepted_one_does_not(spark, tmp_path: Path, monkeypatch):
    spec = importlib.util.spec_from_file_location("floe_job", FOLDER / "floe_job.py")
    assert spec
    assert spec.loader
    job = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(job)
    (tmp_path / "orders.yaml").write_text(
        "apiVersion: v3.1.0\nkind: DataContract\nid: orders\nname: orders\nversion: 1.0.0\nstatus: active\n"
        "domain: sales\ndataProduct: shop\nschema: [{name: orders, physicalName: silver.sales.orders, properties: [{name: order_id, physicalType: bigint, required: true}]}]\n"
    )
    pq.write_table(pa.table({"order_id": pa.array([1], pa.int64())}), tmp_path / "good.parquet")
    pq.write_table(pa.table({"order_id": pa.array(["a"])}), tmp_path / "bad.parquet")
    monkeypatch.chdir(tmp_path)
    rest = ["orders.yaml", "--table", "lake/orders", "--batch-id", "1"]
    monkeypatch.setattr(sys, "argv", ["floe_job", "enforce", "bad.parquet", *rest])
    with pytest.raises(RuntimeError, match="exit code 1"):
        job.run()
    monkeypatch.setattr(sys, "argv", ["floe_job", "enforce", "good.parquet", *rest])
    job.run()
    assert (tmp_path / "lake" / "orders" / "_delta_log").is_dir()
