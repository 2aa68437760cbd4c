"""floe installed without pyspark, as in the slim image: metadata answers, and what needs rows says what is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from pyarrow import parquet as pq

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
    properties:
      - {name: order_id, physicalType: bigint, required: true%s}
"""
MISSING = "pyspark is not installed"


def floe_without_pyspark(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; sys.modules['pyspark'] = None; from floe.cli import main; sys.exit(main(sys.argv[1:]))"
    clean = {key: value for key, value in os.environ.items() if not key.startswith("FLOE_")}
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    batch = pa.table({"order_id": pa.array([1, 2], pa.int64())})
    write_deltalake(str(tmp_path / "lake" / "orders"), batch)
    pq.write_table(batch, tmp_path / "batch.parquet")
    (tmp_path / "bare.yaml").write_text(CONTRACT % "")
    (tmp_path / "keyed.yaml").write_text(CONTRACT % ", primaryKey: true")
    return tmp_path


def test_metadata_answers(lake: Path):
    done = floe_without_pyspark("test", "bare.yaml", "--table", "lake/orders", cwd=lake)
    assert done.returncode == 0, done.stderr


def test_what_needs_rows_is_not_evaluated(lake: Path):
    done = floe_without_pyspark("test", "keyed.yaml", "--table", "lake/orders", cwd=lake)
    assert (done.returncode, done.stderr) == (2, "")
    assert MISSING in done.stdout


def test_a_write_says_what_is_missing(lake: Path):
    done = floe_without_pyspark("enforce", "batch.parquet", "keyed.yaml", "--table", "lake/orders", cwd=lake)
    assert done.returncode == 2
    assert done.stderr.startswith(f"✗ {MISSING}")


def test_the_doctor_says_it(lake: Path):
    done = floe_without_pyspark("doctor", cwd=lake)
    assert done.returncode == 2
    assert f"✗ pyspark        {MISSING}" in done.stdout
