"""check.py by spark-submit of the installed pyspark, with the settings of its README, on jars that are there already."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from floe.actions.load.settings import load_settings
from floe.engine.spark.session import JARS, jars
from tests.helpers.deploying import DEPLOY

FOLDER = DEPLOY / "spark-submit"
README = (FOLDER / "README.md").read_text()
CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
name: orders
version: 1.0.0
status: active
domain: sales
dataProduct: shop
schema:
  - name: orders
    physicalName: silver.sales.orders
    properties: [{name: order_id, physicalType: bigint, primaryKey: true, required: true}]
"""


def submitted(root: Path, *words: object) -> tuple[int, Any]:
    """The exit code and the result of check.py on the contract."""
    settings = re.findall(r"--conf (spark\.sql\S+)", README)
    assert len(settings) == 2
    command = [str(Path(sys.executable).parent / "spark-submit"), "--master", "local[1]"]
    command += ["--jars", ",".join(map(str, jars(load_settings(start=root))[:2]))]
    command += [word for one in settings for word in ("--conf", one)]
    command += [str(FOLDER / "check.py"), "orders.yaml", "--table", "lake/orders", *map(str, words)]
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("FLOE_", "SPARK_", "PYSPARK_"))}
    environment = {**clean, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=300, check=False)
    results = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(results) == 1, done.stdout[-3000:] + done.stderr[-3000:]
    return done.returncode, json.loads(results[0])


def test_the_readme_names_the_jars_of_this_floe():
    assert f"--packages {JARS[0].coordinates} " in README


@pytest.mark.spark
def test_a_batch_is_written_refused_and_checked(tmp_path: Path):
    (tmp_path / "orders.yaml").write_text(CONTRACT)
    pq.write_table(pa.table({"order_id": pa.array([1, 2], pa.int64())}), tmp_path / "good.parquet")
    pq.write_table(pa.table({"order_id": pa.array([3, 3], pa.int64())}), tmp_path / "twice.parquet")

    code, result = submitted(tmp_path, "--batch", "good.parquet", "--batch-id", "1")
    assert (code, result["written"], result["refused"]) == (0, 2, False)
    code, result = submitted(tmp_path, "--batch", "twice.parquet")
    assert (code, result["written"], result["refused"]) == (1, 0, True)
    code, result = submitted(tmp_path)
    assert (code, result["rows"], result["outcome"]) == (0, 2, "pass")
