"""A real Iceberg REST catalog: Spark writes through the gate, floe test proves without Java and reads with it."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.conftest import run_floe
from tests.helpers.rest_server import make_rest

pytestmark = pytest.mark.spark

CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: urn:prices
name: prices
version: 1.0.0
status: active
domain: shop
dataProduct: p
schema:
  - name: prices
    physicalName: silver.shop.prices
    properties:
      - {name: id, physicalType: bigint, required: true}
      - {name: code, physicalType: string}
"""
PATTERN = ", logicalType: string, logicalTypeOptions: {pattern: '^[a-z]+$'}"


def test_a_table_of_a_rest_catalog_is_written_proved_and_read(tmp_path: Path):
    server = make_rest(tmp_path / "server")
    try:
        (tmp_path / "manifest.yaml").write_text(
            f"catalogs: {{ice: {{type: rest, uri: '{server.url}'}}}}\ntables: {{format: iceberg}}\n"
        )
        contract = tmp_path / "contracts/silver/shop/prices.yaml"
        contract.parent.mkdir(parents=True)
        contract.write_text(CONTRACT)
        pq.write_table(pa.table({"id": [1, 2], "code": ["a", "B"]}), tmp_path / "good.parquet")
        pq.write_table(pa.table({"id": [3, None], "code": ["a", "b"]}), tmp_path / "bad.parquet")
        done = run_floe(
            "enforce", "good.parquet", "bad.parquet", "silver.shop.prices", "--format", "json", cwd=tmp_path
        )
        good, bad = json.loads(done.stdout)["results"]
        assert (done.returncode, good["written"], bad["written"], bad["refused"]) == (1, 2, 0, True)
        proved = run_floe("test", "silver.shop.prices", "--format", "json", cwd=tmp_path, PATH="/nowhere", JAVA_HOME="")
        (result,) = json.loads(proved.stdout)["results"]
        assert (proved.returncode, result["rows"], result["outcome"]) == (0, 2, "pass")
        contract.write_text(CONTRACT.replace("physicalType: string", f"physicalType: string{PATTERN}"))
        read = run_floe("test", "silver.shop.prices", "--format", "json", cwd=tmp_path)
        (result,) = json.loads(read.stdout)["results"]
        (broken,) = [one for one in result["expectations"] if one["outcome"] == "fail"]
        assert (read.returncode, broken["name"], broken["violations"]) == (1, "pattern-mismatch", 1)
    finally:
        server.stop()
