"""A storm of random histories: what floe remembers and proves is compared, after every step, with plain SQL.

A history is a table, some rules, and steps that anybody may take on it: rows come and go, columns change, files are rewritten,
restored or added again, by Spark, by another writer, or through floe's own gate. After each step three answers must agree: what
`floe.verify` says with its memory of the steps before, what it says without, and what a query says that counts the rows by hand.
A rule that was not evaluated agrees with nothing: it is allowed only where its column is not there.
"""

import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from deltalake import DeltaTable, write_deltalake
from pyspark.errors import PySparkException

import floe
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Result
from tests.conftest import spark_settings

pytestmark = pytest.mark.spark

SOAKED = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
HISTORIES = int(os.environ.get("STORM_HISTORIES", "5000" if SOAKED else "60"))
SEED = int(os.environ.get("STORM_SEED", random.randrange(10**9) if SOAKED else 1))
BATCHES = 6  # tests that the histories are shared out to, so that they can run beside other files
STEPS = (2, 4)

HEAD = """apiVersion: v3.1.0
kind: DataContract
id: {name}
name: {name}
version: 1.0.0
status: active
domain: d
dataProduct: p
schema:
- name: {name}
  properties:
"""
COLUMNS = {"id": "bigint", "code": "string", "raw": "string", "amount": "decimal(38,18)", "v": "double", "n": "int"}
# each rule: its column, what the contract says, and the rows that break it, counted by hand
RULES: dict[str, tuple[str, str, str]] = {
    "null": ("code", "required: true", "count_if(code IS NULL)"),
    "pattern": (
        "code",
        "logicalType: string, logicalTypeOptions: {pattern: '^[A-Z]+$'}",
        "count_if(NOT coalesce(code RLIKE '^[A-Z]+$', true))",
    ),
    "maximum": (
        "amount",
        "logicalType: number, logicalTypeOptions: {maximum: 0.1}",
        "count_if(coalesce(amount > 0.1, false))",
    ),
    "minimum": (
        "n",
        "logicalType: integer, logicalTypeOptions: {minimum: 0}",
        "count_if(coalesce(n < 0, false))",
    ),
    "key": ("id", "unique: true", "count(id) - count(DISTINCT id)"),
    "filled": ("v", "required: true", "count_if(v IS NULL)"),
}


@dataclass
class History:
    """One table, its rules, and what happened to it."""

    spark: Any
    draw: random.Random
    root: Path
    format: str
    settings: Any
    name: str
    rules: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    next_id: int = 0

    @property
    def table(self) -> str:
        """As floe is told of it."""
        return f"ice.storm.{self.name}" if self.format == "iceberg" else str(self.root / self.name)

    @property
    def sql(self) -> str:
        return self.table if self.format == "iceberg" else f"delta.`{self.table}`"

    @property
    def columns(self) -> dict[str, str]:
        return {field.name: field.dataType.simpleString() for field in self.spark.table(self.sql).schema.fields}

    @property
    def contract(self) -> str:
        by_column: dict[str, list[str]] = {}
        for rule in self.rules:
            column, said, _ = RULES[rule]
            by_column.setdefault(column, []).append(said)
        lines = [
            f"  - {{name: {column}, physicalType: '{COLUMNS[column]}', {', '.join(said)}}}\n"
            for column, said in by_column.items()
        ]
        return HEAD.format(name=self.name) + "".join(lines)

    def run(self, statement: str) -> bool:
        """Take a step; False where the engine refuses it, which changes nothing."""
        try:
            self.spark.sql(statement)
        except PySparkException as error:
            self.told.append(f"refused: {statement}: {str(error).splitlines()[0][:100]}")
            return False
        self.told.append(statement)
        return True

    def values(self, rows: int, bad: bool) -> str:
        """Rows of the table's columns as they are now, as SQL; bad ones break one rule or another."""
        first, self.next_id = self.next_id, self.next_id + rows
        wrong = self.draw.choice(["code", "amount", "n", "id", "v", "none"]) if bad else ""
        at = f"id = {first}"
        made = {
            "id": f"if({at}, {max(first - 1, 0)}, id)" if wrong == "id" else "id",
            "code": f"if({at}, 'bad 1', 'A')" if wrong == "code" else ("NULL" if wrong == "none" else "'A'"),
            "raw": "'raw 9'",
            "amount": f"if({at}, 0.100000000000000001, 0.1)" if wrong == "amount" else "0.1",
            "v": f"if({at}, NULL, 1.5)" if wrong == "v" else "1.5",
            "n": f"if({at}, -1, 5)" if wrong == "n" else "5",
        }
        listed = ", ".join(
            f"cast({made.get(column, 'NULL')} AS {kind}) AS `{column}`" for column, kind in self.columns.items()
        )
        return f"SELECT {listed} FROM range({first}, {first + rows}, 1, 1)"


# --- what may happen to a table


def insert(table: History) -> None:
    table.run(f"INSERT INTO {table.sql} {table.values(table.draw.randint(1, 5), bad=False)}")


def insert_bad(table: History) -> None:
    table.run(f"INSERT INTO {table.sql} {table.values(table.draw.randint(1, 5), bad=True)}")


def delete(table: History) -> None:
    table.run(f"DELETE FROM {table.sql} WHERE id % 3 = {table.draw.randint(0, 2)}")


def delete_bad(table: History) -> None:
    if "code" in table.columns:
        table.run(f"DELETE FROM {table.sql} WHERE code IS NULL OR code = 'bad 1'")


def update(table: History) -> None:
    if "code" in table.columns:
        table.run(f"UPDATE {table.sql} SET code = 'bad 1' WHERE id % 4 = {table.draw.randint(0, 3)}")


def merge(table: History) -> None:
    if list(table.columns) == list(COLUMNS):
        source = table.values(3, bad=table.draw.random() < 0.5)
        table.run(
            f"MERGE INTO {table.sql} AS t USING ({source}) AS s ON t.id = s.id + 1 "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )


def drop_and_add(table: History) -> None:
    column = table.draw.choice(["code", "v", "n"])
    if column in table.columns and mapped(table) and table.run(f"ALTER TABLE {table.sql} DROP COLUMN {column}"):
        table.run(f"ALTER TABLE {table.sql} ADD COLUMN {column} {COLUMNS[column]}")


def swap(table: History) -> None:
    if {"code", "raw"} <= set(table.columns) and mapped(table):
        for old, new in (("code", "tmp"), ("raw", "code"), ("tmp", "raw")):
            table.run(f"ALTER TABLE {table.sql} RENAME COLUMN {old} TO {new}")


def drop(table: History) -> None:
    column = table.draw.choice(["code", "raw"])
    if column in table.columns and mapped(table):
        table.run(f"ALTER TABLE {table.sql} DROP COLUMN {column}")


def mapped(table: History) -> bool:
    """Whether columns can be renamed: always on Iceberg, on Delta with column mapping, which is then set."""
    if table.format == "delta":
        table.run(
            f"ALTER TABLE {table.sql} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name', "
            "'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')"
        )
    return True


def restore(table: History) -> None:
    if table.format == "delta":
        newest = DeltaTable(table.table).version()
        table.run(f"RESTORE TABLE {table.sql} TO VERSION AS OF {table.draw.randint(0, newest)}")
        return
    snapshots = [row[0] for row in table.spark.sql(f"SELECT snapshot_id FROM {table.sql}.snapshots").collect()]
    if snapshots:
        table.run(f"CALL ice.system.set_current_snapshot('storm.{table.name}', {table.draw.choice(snapshots)})")


def compact(table: History) -> None:
    if table.format == "delta":
        table.run(f"OPTIMIZE {table.sql}")
    else:
        table.run(
            f"CALL ice.system.rewrite_data_files(table => 'storm.{table.name}', options => map('rewrite-all', 'true'))"
        )


def truncate(table: History) -> None:
    table.run(f"DELETE FROM {table.sql}")


def unmap(table: History) -> None:
    """Delta: column mapping goes, and with it the columns' own identity."""
    if table.format == "delta" and "columnMapping" in str(table.spark.sql(f"DESCRIBE DETAIL {table.sql}").head()):
        table.run(f"ALTER TABLE {table.sql} DROP FEATURE columnMapping")


def deletion_vectors(table: History) -> None:
    if table.format == "delta":
        table.run(f"ALTER TABLE {table.sql} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    else:
        table.run(
            f"ALTER TABLE {table.sql} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read', "
            "'write.update.mode' = 'merge-on-read', 'write.merge.mode' = 'merge-on-read')"
        )


def lying_rewrite(table: History) -> None:
    """Delta: a writer that says it only rewrote the rows, and wrote others."""
    if table.format == "delta" and list(table.columns) == list(COLUMNS):
        count = table.spark.sql(f"SELECT count(*) FROM {table.sql}").head()[0]
        rows = table.spark.sql(table.values(max(count, 1), bad=True))
        table.told.append("overwrite with dataChange=false")
        rows.write.format("delta").mode("overwrite").option("dataChange", "false").save(table.table)


def other_writer(table: History) -> None:
    """Delta: a writer without Spark, whose statistics hold decimals as doubles."""
    if table.format != "delta" or list(table.columns) != list(COLUMNS):
        return
    frame = table.spark.sql(table.values(3, bad=True)).toArrow()
    table.told.append("append by delta-rs")
    try:
        write_deltalake(table.table, frame, mode="append")
    except Exception as error:  # noqa: BLE001  (a table with features that this writer does not know)
        table.told.append(f"refused: {type(error).__name__}")


def add_file_again(table: History) -> None:
    """Iceberg: a file that was added is deleted, written anew with other rows, and added again under its path."""
    if table.format != "iceberg" or list(table.columns) != list(COLUMNS):
        return
    path = table.root / f"landing-{table.name}.parquet"
    for bad in (False, True):
        shutil.rmtree(path, ignore_errors=True)
        table.spark.sql(table.values(3, bad)).coalesce(1).write.parquet(str(path))
        (part,) = path.glob("*.parquet")
        shutil.move(part, path.with_suffix(".moved"))
        shutil.rmtree(path)
        path.mkdir()
        shutil.move(path.with_suffix(".moved"), path / "day.parquet")
        table.run(
            f"CALL ice.system.add_files(table => 'storm.{table.name}', source_table => '`parquet`.`{path}/day.parquet`')"
        )
        check(table)
        table.run(f"DELETE FROM {table.sql}" if not bad else f"SELECT 1 FROM {table.sql}")


def equality_delete(table: History) -> None:
    """Iceberg: rows are deleted by value, as Flink does."""
    if table.format != "iceberg" or table.next_id == 0:
        return
    jvm = table.spark._jvm
    found = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(table.spark._jsparkSession, table.table)
    number = found.schema().findField("id").fieldId()
    path = Path(found.location().replace("file:", "")) / "data" / f"eq-{table.draw.randrange(10**9)}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    ids = [table.draw.randrange(table.next_id)]
    metadata = {b"PARQUET:field_id": str(number).encode()}
    schema = pyarrow.schema([pyarrow.field("id", pyarrow.int64(), metadata=metadata)])
    pyarrow.parquet.write_table(pyarrow.table({"id": ids}, schema=schema), path)
    numbers = table.spark.sparkContext._gateway.new_array(jvm.int, 1)
    numbers[0] = number
    builder = jvm.org.apache.iceberg.FileMetadata.deleteFileBuilder(found.spec()).ofEqualityDeletes(numbers)
    builder = builder.withPath(str(path)).withFormat(jvm.org.apache.iceberg.FileFormat.PARQUET)
    built = builder.withFileSizeInBytes(path.stat().st_size).withRecordCount(len(ids)).build()
    found.newRowDelta().addDeletes(built).commit()
    table.told.append(f"equality delete of {ids}")
    table.spark.sql(f"REFRESH TABLE {table.sql}")


def gate(table: History) -> None:
    """Rows come through floe's own gate."""
    if list(table.columns) != list(COLUMNS):
        return
    rows = table.spark.sql(table.values(3, bad=False))
    whole = HEAD.format(name=table.name) + "".join(
        f"  - {{name: {name}, physicalType: '{kind}'}}\n" for name, kind in COLUMNS.items()
    )
    table.told.append("floe.enforce")
    floe.enforce(rows, whole, table=table.table, layer="silver", settings=table.settings)


EVENTS: list[Callable[[History], None]] = [
    *(insert, insert_bad, insert_bad, delete, delete_bad, update, merge, drop_and_add, swap, drop, restore, compact),
    *(truncate, unmap, deletion_vectors, lying_rewrite, other_writer, add_file_again, equality_delete, gate),
]


# --- three answers


def check(table: History) -> int:
    """Compare the three answers; how many rules were evaluated."""
    there = table.columns
    by_hand = {rule: RULES[rule][2] for rule in table.rules if RULES[rule][0] in there}
    listed = ", ".join(f"{counted} AS `{rule}`" for rule, counted in by_hand.items())
    found = table.spark.sql(f"SELECT {listed or '1'} FROM {table.sql}").head().asDict()
    wanted = {rule: int(found[rule]) for rule in by_hand}
    story = f"seed of the history: {table.name}, rules {table.rules}:\n  " + "\n  ".join(table.told)
    for what in ("remembered", "full"):
        result = floe.verify(table.table, table.contract, table.settings, full=what == "full")
        for rule in table.rules:
            outcome, violations = answer(result, rule)
            if rule not in wanted:
                assert outcome != PASS, f"{what}: {rule} passed without its column\n{story}"
                continue
            expected = FAIL if wanted[rule] else PASS
            assert outcome == expected, f"{what}: {rule} is {outcome}, by hand {wanted[rule]} rows\n{story}"
            assert violations in (None, wanted[rule]), f"{what}: {rule} counts {violations}, {wanted}\n{story}"
    return len(wanted)


NAMES = {
    "null": "null-value",
    "filled": "null-value",
    "pattern": "pattern-mismatch",
    "maximum": "above-maximum",
    "minimum": "below-minimum",
    "key": "value-duplicated",
}


def answer(result: Result, rule: str) -> tuple[str, int | None]:
    """The outcome of a rule, and how many rows break it."""
    column, _, _ = RULES[rule]
    for one in result.expectations:
        if one.name == NAMES[rule] and one.field.endswith(f".{column}"):
            return one.outcome, one.violations
    return NOT_EVALUATED, None


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("format_", ["delta", "iceberg"])
def test_memory_metadata_and_a_plain_query_agree(
    spark, spark_root: Path, tmp_path: Path, format_: str, batch: int
) -> None:
    settings = spark_settings(spark_root, tmp_path, **{"tables.format": format_})
    spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.storm")
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    evaluated = 0
    for number in range(batch, HISTORIES // 2, BATCHES):
        seed = SEED * 1_000_003 + number
        draw = random.Random(f"{format_} {seed}")
        name = f"s{seed}_{format_}"
        table = History(spark, draw, tmp_path, format_, settings, name)
        table.rules = sorted(draw.sample(list(RULES), draw.randint(2, len(RULES))))
        begin(table)
        insert(table)
        evaluated += check(table)
        for event in draw.choices(EVENTS, k=draw.randint(*STEPS)):
            event(table)
            evaluated += check(table)
        spark.sql(f"DROP TABLE IF EXISTS {table.table} PURGE") if format_ == "iceberg" else shutil.rmtree(table.table)
    assert evaluated > 0


def begin(table: History) -> None:
    """An empty table: by Spark, partitioned or not, in one of the ways its format has."""
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    divided = table.draw.choice(["", "", " PARTITIONED BY (n)"])
    properties = ""
    if table.format == "iceberg":
        mode = table.draw.choice(["copy-on-write", "merge-on-read"])
        properties = f" TBLPROPERTIES ('write.delete.mode' = '{mode}', 'write.update.mode' = '{mode}')"
    table.run(f"CREATE TABLE {table.sql} ({columns}) USING {table.format}{divided}{properties}")
