"""Tables that only Spark writes: deletion vectors, mapped and widened columns, checkpoints, INT96; statistics against scans."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from floe.actions.verify import verify_tables
from floe.engine.gate.gate import parquet
from floe.engine.metadata.proof import row_count, violations
from floe.model.contract import Target
from floe.model.plan import Claim
from floe.settings import Settings
from floe.tables import TableFacts, probe
from floe.tables.locate import TableSelector
from tests.conftest import spark_settings

pytestmark = pytest.mark.spark
BOUNDS = {"n": (0, 1, 3, 9), "id": (0, 1, 2**53 + 1, 2**53 + 2)}


def said(facts: TableFacts | None, rows: list[Any]) -> tuple[int | None, dict[Claim, int | None]]:
    """What statistics say of a table, after each word of it was compared with its rows."""
    assert facts is not None
    if facts.files is None:
        return None, {}
    names = [name for name in BOUNDS if name in facts.columns]
    claims = [Claim("not_null", name) for name in names]
    claims += [Claim(kind, name, bound) for name in names for kind in ("at_least", "at_most") for bound in BOUNDS[name]]
    found = {}
    for claim in claims:
        values = [row[claim.column] for row in rows]
        truth = {
            "not_null": sum(value is None for value in values),
            "at_least": sum(value is not None and value < (claim.bound or 0) for value in values),
            "at_most": sum(value is not None and value > (claim.bound or 0) for value in values),
        }[claim.kind]
        found[claim] = violations(claim, facts.files)
        assert found[claim] in (None, truth), claim
    assert row_count(facts.files) in (None, len(rows))
    return row_count(facts.files), found


@pytest.fixture
def delta(spark, tmp_path: Path):
    """Run statements on a Delta table of (id, n), and say what its statistics then say."""
    path = str(tmp_path / "t")
    target = Target("delta", path=path)

    def run(*statements: str) -> tuple[int | None, dict[Claim, int | None]]:
        for statement in statements:
            spark.sql(statement.replace("TARGET", f"delta.`{path}`"))
        rows = spark.read.format("delta").load(path).collect()
        return said(probe(target, Settings(tmp_path)), rows)

    return run


ROWS = "INSERT INTO TARGET SELECT /*+ COALESCE(1) */ * FROM VALUES (1L, 1), (9007199254740993L, NULL), (3L, 3), (NULL, 9) AS t(id, n)"


def test_deletion_vectors_keep_what_stays_sure(delta, tmp_path: Path):
    path = tmp_path / "t"
    delta("CREATE TABLE TARGET (id BIGINT, n INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    count, found = delta(ROWS, ROWS.replace("NULL, 9", "4L, 9"))
    assert (count, found[Claim("not_null", "id")], found[Claim("not_null", "n")]) == (8, 1, 2)
    count, found = delta("DELETE FROM TARGET WHERE id = 1")
    assert any(path.glob("deletion_vector*.bin")), "Spark wrote no deletion vector"
    assert (count, found[Claim("not_null", "id")]) == (6, None)
    assert found[Claim("at_least", "n", 1)] == 0
    count, found = delta("OPTIMIZE TARGET")
    assert (count, found[Claim("not_null", "id")], found[Claim("not_null", "n")]) == (6, 1, 2)


def test_widened_mapped_and_checkpointed_tables_are_never_wrong(delta, tmp_path: Path):
    delta(
        "CREATE TABLE TARGET (id BIGINT, n INT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2')"
    )
    assert delta(ROWS)[0] == 4
    delta("ALTER TABLE TARGET ALTER COLUMN n TYPE BIGINT")
    count, found = delta(ROWS.replace("NULL, 9", "7L, 9"))
    assert (count, found[Claim("not_null", "n")], found[Claim("at_least", "n", 0)]) == (8, 2, None)
    assert found[Claim("at_least", "id", 1)] == 0
    count, _ = delta(ROWS, ROWS, ROWS)
    assert count == 20
    assert list((tmp_path / "t/_delta_log").glob("*checkpoint*"))
    delta("ALTER TABLE TARGET SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    delta("ALTER TABLE TARGET RENAME COLUMN n TO m")
    delta("ALTER TABLE TARGET RENAME COLUMN id TO n")
    delta(ROWS)


CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: urn:x
name: prices
version: 1.0.0
status: active
schema:
  - name: prices
    properties:
      - {name: id, physicalType: bigint, required: true, unique: true}
      - {name: n, physicalType: int, logicalType: integer, logicalTypeOptions: {minimum: 1, maximum: 5}}
      - {name: at, physicalType: timestamp, required: true}
      - {name: part, physicalType: int, required: true}
"""


def test_a_parquet_folder_of_spark_s_is_read_where_its_footers_do_not_say(spark, spark_root: Path, tmp_path: Path):
    path = tmp_path / "p"
    rows = spark.sql("SELECT * FROM VALUES (1L, 1, 1), (1L, 9, 2), (3L, NULL, 2) AS t(id, n, part)").selectExpr(
        "id", "n", "timestamp'2026-01-01' AS at", "part"
    )
    rows.write.partitionBy("part").parquet(str(path))
    (path / "part=1" / "empty.txt").write_text("no data")
    (result,) = verify_tables([CONTRACT], TableSelector(table=str(path)), spark_settings(spark_root, tmp_path)).results
    found = {one.id: (one.how, one.outcome, one.violations) for one in result.expectations}
    assert found == {
        "prices:schema": ("metadata", "pass", 0),
        "prices.id:value-duplicated": ("scan", "fail", 1),
        "prices.id:null-value": ("metadata", "pass", 0),
        "prices.n:below-minimum": ("metadata", "pass", 0),
        "prices.n:above-maximum": ("scan", "fail", 1),
        "prices.at:null-value": ("metadata", "pass", 0),
        "prices.part:null-value": ("metadata", "pass", 0),
    }
    assert result.rows == 3


LAYOUTS = {
    "x.parquet": ("x.parquet",),
    "one": ("one/x.parquet",),
    "flat": ("flat/a.parquet", "flat/b.pq", "flat/c.parq"),
    "signs [ab]{c} *?": ("signs [ab]{c} *?/a[1].parquet", "signs [ab]{c} *?/b{x}.parquet"),
    "folders": ("folders/a.parquet", "folders/more/b.parquet"),
    "partitions": ("partitions/part=1/a.parquet", "partitions/part=2/b.parquet"),
    "others": ("others/a.parquet", "others/part=1/notes.csv"),
    "besides": ("besides/part=1/a.parquet", "besides/part=old/notes.csv", "besides/part=2/b.parquet"),
    "both": ("both/part=1/more/a.parquet", "both/part=2/more/b.parquet"),
}


@pytest.mark.parametrize("table", LAYOUTS)
def test_every_parquet_file_is_read_whatever_its_name(spark, spark_root: Path, tmp_path: Path, table: str):
    for file in LAYOUTS[table]:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    files = [file for file in LAYOUTS[table] if not file.endswith(".csv")]
    for file in files:
        columns = {"id": [7], "n": pa.array([9], pa.int32()), "at": pa.array([1], pa.timestamp("us", "UTC"))}
        part = {} if "part=" in file else {"part": pa.array([1], pa.int32())}
        pq.write_table(pa.table({**columns, **part}), tmp_path / file)
    settings = spark_settings(spark_root, tmp_path)
    (result,) = verify_tables([CONTRACT], TableSelector(table=str(tmp_path / table)), settings).results
    (repeated,) = [one for one in result.expectations if one.id == "prices.id:value-duplicated"]
    assert (result.rows, repeated.how, repeated.violations) == (len(files), "scan", len(files) - 1)
    assert parquet(str(tmp_path / table), settings).count() == len(files)  # as a batch


def test_files_of_two_partitionings_are_not_judged_for_spark_leaves_some_out(spark, spark_root: Path, tmp_path: Path):
    for file in ("part=1/a.parquet", "b.parquet"):
        (tmp_path / "t" / file).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"id": [1]}), tmp_path / "t" / file)
    settings = spark_settings(spark_root, tmp_path)
    (result,) = verify_tables([CONTRACT], TableSelector(table=str(tmp_path / "t")), settings).results
    assert result.outcome == "not_evaluated"
    assert {one.cause for one in result.not_evaluated} == {
        f"{tmp_path}/t contains files with different partition columns: b.parquet and part=1/a.parquet"
    }


def test_an_iceberg_folder_without_a_catalog_is_proved_and_read(spark, spark_root: Path, tmp_path: Path):
    spark.conf.set("spark.sql.catalog.folders", "org.apache.iceberg.spark.SparkCatalog")
    spark.conf.set("spark.sql.catalog.folders.type", "hadoop")
    spark.conf.set("spark.sql.catalog.folders.warehouse", str(tmp_path))
    spark.sql("CREATE TABLE folders.n.t (id BIGINT, n INT, at TIMESTAMP, part INT) USING iceberg")
    spark.sql("INSERT INTO folders.n.t VALUES (1, 1, timestamp'2026-01-01', 1), (1, 9, timestamp'2026-01-01', 1)")
    known = spark_settings(spark_root, tmp_path)
    (result,) = verify_tables([CONTRACT], TableSelector(table=str(tmp_path / "n/t")), known).results
    found = {one.id: (one.how, one.outcome, one.violations) for one in result.expectations}
    assert found["prices.id:null-value"] == ("metadata", "pass", 0)
    assert found["prices.id:value-duplicated"] == ("scan", "fail", 1)
    assert found["prices.n:above-maximum"] == ("scan", "fail", 1)
