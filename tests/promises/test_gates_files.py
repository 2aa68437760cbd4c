"""Staged files that floe commits by itself are what Spark's own append would have made of the same rows."""

import datetime
import math
import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import floe
import floe.model.result
from floe.settings import Settings
from tests.conftest import spark_settings

pytestmark = pytest.mark.spark

EARLY, LATE = datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 999999)
TEXTS = ["", "a", "Ä" * 40, "x" * 70, "\U0010ffff" * 33, "it's `quoted`\n\ttwice", "null", "z" * 31 + "é"]
VALUES: dict[str, list[Any]] = {
    "int": [0, -1, 2**31 - 1, -(2**31)],
    "bigint": [0, 2**53 + 1, 2**63 - 1, -(2**63)],
    "double": [0.0, -0.0, math.nan, math.inf, -math.inf, 0.1, 5e-324],
    "float": [0.0, math.nan, 1.5, -math.inf],
    "decimal(9,2)": [Decimal("0.00"), Decimal("-9999999.99"), Decimal("0.01")],
    "decimal(38,10)": [Decimal("1E-10"), Decimal("9999999999999999999999999999.9999999999")],
    "boolean": [True, False],
    "string": TEXTS,
    "binary": [b"", b"\x00\xff", b"a" * 50],
    "date": [EARLY.date(), LATE.date(), datetime.date(1582, 10, 4), datetime.date(2026, 2, 28)],
    "timestamp": [datetime.datetime(2026, 3, 29, 1, 30, 0, 1), datetime.datetime(1970, 1, 1), LATE],
    "timestamp_ntz": [datetime.datetime(2026, 10, 25, 2, 30), EARLY, LATE],
    "array<int>": [[], [1, 2], [None]],
    "struct<a:int,b:string>": [(1, "x"), (None, None), (2, "y" * 40)],
    "map<string,int>": [{}, {"k": 1}, {"k": None}],
}
PLAIN = [name for name in VALUES if "<" not in name]


def rows_for(draw: random.Random, types: list[str], first: int) -> list[tuple]:
    empty = draw.random() < 0.3  # a column without any value has no bounds
    return [
        (first + number, *(None if empty or draw.random() < 0.3 else draw.choice(VALUES[kind]) for kind in types))
        for number in range(draw.choice([1, 3, 20]))
    ]


def contract(name: str, types: list[str]) -> str:
    fields = "".join(f"      - {{name: c{n}, physicalType: '{kind}'}}\n" for n, kind in enumerate(types))
    return (
        "apiVersion: v3.1.0\nkind: DataContract\nid: urn:e\nname: e\nversion: 1.0.0\nstatus: active\nschema:\n"
        f"  - name: {name}\n    properties:\n      - {{name: id, physicalType: bigint, required: true}}\n{fields}"
    )


@dataclass
class Twins:
    """A table that floe writes and one that Spark writes, of the same random types."""

    spark: Any
    settings: Settings
    root: Path
    draw: random.Random
    types: list[str]
    rows: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        name = f"e{uuid.uuid4().hex[:12]}"
        self.iceberg = self.settings.tables.format == "iceberg"
        self.names = [
            f"ice.equal.{name}{end}" if self.iceberg else str(self.root / f"{name}{end}") for end in ("", "o")
        ]
        self.sql = self.names if self.iceberg else [f"delta.`{one}`" for one in self.names]
        self.text = contract(name, self.types)
        self.columns = ", ".join(["id bigint", *(f"c{n} {kind}" for n, kind in enumerate(self.types))])
        self.spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.equal")
        for one, sql in zip(self.names, self.sql, strict=True):
            self.enforce(self.spark.createDataFrame([], self.columns), one)
            if not self.iceberg:
                self.spark.sql(f"ALTER TABLE {sql} SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")

    def enforce(self, batch: Any, table: str) -> floe.model.result.WriteResult:
        return floe.enforce(batch, self.text, table=table, layer="silver", settings=self.settings)

    def write(self, first: int) -> None:
        """The same batch into both."""
        batch = self.spark.createDataFrame(rows_for(self.draw, self.types, first), self.columns)
        self.rows.append(self.spark.table(self.sql[0]).count())
        way = "the staged files were committed as they are"
        if self.iceberg and any("array" in kind or "map" in kind for kind in self.types):
            way = "Spark wrote the staged rows (arrays and maps in files that Spark writes have no field ids)"
        assert self.enforce(batch, self.names[0]).way == way
        if self.iceberg:
            batch.writeTo(self.names[1]).append()
        else:
            batch.write.format("delta").mode("append").save(self.names[1])

    def filters(self) -> Iterator[Any]:
        """What readers skip files by: wrong bounds would hide rows."""
        from pyspark.sql import functions as f

        yield f.col("c0").isNull()
        for number, kind in enumerate(self.types):
            for value in self.draw.sample(VALUES[kind], 2) if kind in PLAIN else ():
                column, wanted = f.col(f"c{number}"), f.lit(value).cast(kind)
                yield from (column == wanted, column >= wanted, column <= wanted)

    def history(self, table: int) -> tuple:
        """How many versions there are, how many rows the one before had, and what the feed says of the last."""
        name, sql = self.names[table], self.sql[table]
        if self.iceberg:
            line = self.spark.table(f"{name}.history").orderBy("made_current_at").collect()
            return len(line), self.spark.sql(f"SELECT * FROM {name} VERSION AS OF {line[-2].snapshot_id}").count(), ()
        newest = self.spark.sql(f"DESCRIBE HISTORY {sql}").count() - 1
        feed = f"SELECT * EXCEPT (_commit_timestamp) FROM table_changes_by_path('{name}', {newest})"
        back = self.spark.read.format("delta").option("versionAsOf", newest - 1).load(name)
        return newest, back.count(), tuple(sorted(map(str, self.spark.sql(feed).collect())))


def check(spark, spark_root: Path, root: Path, format_: str, seed: int) -> None:
    draw = random.Random(seed)
    settings = spark_settings(spark_root, root, **{"tables.format": format_})
    twins = Twins(spark, settings, root, draw, draw.sample(list(VALUES), 4))
    twins.write(1)
    twins.write(1000)
    said = f"seed {seed}: {twins.types}"
    ours, sparks = (spark.table(one) for one in twins.sql)
    assert ours.schema == sparks.schema, said
    assert sorted(map(str, ours.collect())) == sorted(map(str, sparks.collect())), said
    for where in twins.filters():
        assert ours.where(where).count() == sparks.where(where).count(), f"{said} {where}"
    assert twins.history(0) == twins.history(1), said
    assert twins.history(0)[1] == twins.rows[-1], said


@pytest.mark.parametrize("format_", ["delta", "iceberg"])
@pytest.mark.parametrize("seed", [2, 4])
def test_a_table_of_random_types_reads_the_same(spark, spark_root: Path, tmp_path: Path, format_: str, seed: int):
    check(spark, spark_root, tmp_path, format_, seed)


@pytest.mark.soak
@pytest.mark.parametrize("format_", ["delta", "iceberg"])
def test_fifty_tables_of_random_types_read_the_same(spark, spark_root: Path, tmp_path: Path, format_: str):
    for _ in range(50):
        check(spark, spark_root, tmp_path, format_, random.randrange(10**9))
