"""Delta tables by name in a Hive metastore: the one that Spark embeds, on Derby."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from tests.conftest import run_floe

pytestmark = [pytest.mark.spark, pytest.mark.soak]
CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: orders
name: orders
version: 1.0.0
status: active
domain: d
dataProduct: p
schema:
- name: orders
  properties:
  - {name: id, physicalType: bigint, required: true, primaryKey: true}
"""
CONF = """spark.sql.catalogImplementation hive
spark.hadoop.javax.jdo.option.ConnectionURL jdbc:derby:;databaseName={root}/metastore;create=true
spark.hadoop.datanucleus.schema.autoCreateAll true
spark.hadoop.hive.metastore.schema.verification false
spark.driver.extraJavaOptions -Dderby.system.home={root}/derby
"""


def test_a_table_of_the_metastore_is_created_appended_and_checked(tmp_path: Path):
    (tmp_path / "orders.yaml").write_text(CONTRACT)
    (tmp_path / "hive.conf").write_text(CONF.format(root=tmp_path))
    words = ("orders.yaml", "--table", "sales.orders", "--properties-file", "hive.conf", "--format", "json")
    for number, first in enumerate((0, 10)):
        pq.write_table(pa.table({"id": pa.array(range(first, first + 10), pa.int64())}), tmp_path / "batch.parquet")
        done = run_floe("enforce", "batch.parquet", *words, "--layer", "silver", cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        said = json.loads(done.stdout)
        assert (said["written"], said["created"]) == (10, number == 0)
    tested = run_floe("test", *words[:-2], cwd=tmp_path)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "20 rows" in tested.stdout
