"""SIGTERM with work under way: a write is rolled back or kept whole, and a request that is being answered gets its answer."""

import json
import multiprocessing
import os
import signal
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyarrow import parquet

from floe.actions.load.settings import load_settings
from floe.actions.runs import runs
from floe.cli import main

CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: orders
name: orders
version: 1.0.0
status: active
domain: sales
dataProduct: shop
schema:
- name: orders
  properties:
  - {name: id, physicalType: bigint, required: true, primaryKey: true}
customProperties:
- {property: layer, value: silver}
"""
ENFORCE = ["enforce", "b.parquet", "c.yaml", "--batch-id", "b1"]


def write_until(root: str, place: str) -> None:
    """Run `floe enforce` in this process, which gets SIGTERM at a place of the gate."""
    from floe.system import failpoint

    os.chdir(root)
    failpoint.hooks[place] = lambda: os.kill(os.getpid(), signal.SIGTERM)
    sys.stderr = open("said", "w")  # noqa: SIM115
    sys.exit(main(ENFORCE))


@pytest.mark.spark
@pytest.mark.parametrize(("place", "committed"), [("staged", False), ("after-commit", True)])
def test_a_write_that_is_stopped_is_rolled_back_or_whole(
    spark, tmp_path: Path, monkeypatch, place: str, committed: bool
):
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(CONTRACT)
    java = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1", "spark.sql.shuffle.partitions": "2"}
    Path("manifest.yaml").write_text(json.dumps({"spark": {"master": "local[2]", "conf": java}}))
    parquet.write_table(pa.table({"id": pa.array([1, 2, 3], pa.int64())}), "b.parquet")
    child = multiprocessing.get_context("spawn").Process(target=write_until, args=(str(tmp_path), place))
    child.start()
    child.join(120)
    assert child.exitcode == 130
    assert "✗ stopped" in Path("said").read_text()
    assert list(tmp_path.rglob(".floe-staging/*")) == []
    table = tmp_path / ".floe" / "warehouse" / "silver_sales" / "orders"
    assert DeltaTable.is_deltatable(str(table)) == committed
    # the retry answers or writes the same batch, and both runs are known
    assert main(ENFORCE) == 0
    assert sorted(DeltaTable(str(table)).to_pyarrow_table()["id"].to_pylist()) == [1, 2, 3]
    assert list(Path(".floe/pending").iterdir()) == []
    assert [run["result"]["written"] for run in runs(load_settings())] == [3]
