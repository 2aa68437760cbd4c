"""Lineage as openlineage-spark itself tells it, of a real run on this Spark, taken in by floe."""

import hashlib
import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import sqlalchemy as sa

from floe.registry import open_store
from floe.registry.schema import lineage
from tests.conftest import run_floe

pytestmark = [pytest.mark.spark, pytest.mark.soak]
VERSION = "1.53.0"
SHA256 = "5d84b0ae7e72909b5aae7ed87df878bf06b28d9ac3005765c3529d0a66dbae6f"
PLACE = f"https://repo1.maven.org/maven2/io/openlineage/openlineage-spark_2.13/{VERSION}/openlineage-spark_2.13-{VERSION}.jar"
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "floe"
JOB = """
import sys
from pyspark.sql import SparkSession
root, jars = sys.argv[1:]
settings = {
    "spark.jars": jars,
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
    "spark.openlineage.transport.type": "file",
    "spark.openlineage.transport.location": f"{root}/events.jsonl",
    "spark.openlineage.namespace": "jobs",
    "spark.ui.enabled": "false",
    "spark.databricks.delta.snapshotPartitions": "1",
}
builder = SparkSession.builder.master("local[1]").appName("shop")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
rows = spark.createDataFrame([(1, 10, "x"), (2, 20, "y")], "id long, amount long, note string")
rows.write.format("delta").save(f"{root}/orders")
read = spark.read.format("delta").load(f"{root}/orders")
read.selectExpr("id as order_id", "amount * 2 as twice").write.format("delta").save(f"{root}/doubled")
spark.stop()
"""


def jar() -> Path:
    """The listener's jar, fetched once."""
    path = _CACHE / f"openlineage-spark-{VERSION}.jar"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        urllib.request.urlretrieve(PLACE, new)
        new.rename(path)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == SHA256
    return path


def test_the_columns_of_a_spark_job_are_known_after_import(tmp_path: Path, spark):
    del spark  # its jars are there
    delta = sorted((Path.home() / ".cache/floe/jars").glob("delta*.jar"))
    words = [sys.executable, "-c", JOB, str(tmp_path), ",".join(map(str, [jar(), *delta]))]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert {one["eventType"] for one in events} == {"START", "COMPLETE"}
    imported = run_floe("lineage", "import", "events.jsonl", cwd=tmp_path)
    assert imported.returncode == 0, imported.stderr
    with open_store("sqlite:///.floe/registry.db", tmp_path).begin() as connection:
        rows = connection.execute(sa.select(lineage)).mappings().all()
    found = {
        (Path(one["source_table"]).name, one["source_column"], Path(one["target_table"]).name, one["target_column"])
        for one in rows
    }
    assert {("orders", "id", "doubled", "order_id"), ("orders", "amount", "doubled", "twice")} <= found
    assert not [one for one in found if one[1] == "note"]
