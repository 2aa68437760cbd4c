"""Only what changed is read: the verdict is that of a full run after any history of a table."""

import datetime
import json
import random
import shutil
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from floe.actions.load.find import find_contract
from floe.actions.verify import verify_some
from floe.model.result import Result
from floe.settings import Settings
from floe.tables.locate import TableSelector
from tests.conftest import run_floe, run_floe_here, spark_settings

CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: urn:inc
name: sales
version: 1.0.0
status: active
domain: shop
dataProduct: p
slaProperties: [{property: freshness, value: 3650d, element: sales.at}]
schema:
  - name: sales
    quality:
      - {metric: rowCount, mustBeGreaterThan: 0}
    properties:
      - {name: id, physicalType: bigint, required: true, primaryKey: true}
      - {name: code, physicalType: string, required: true, logicalType: string, logicalTypeOptions: {pattern: "^[A-Z]+$"}, quality: [{metric: duplicateValues, mustBeLessThan: 3}]}
      - {name: amount, physicalType: int, logicalType: integer, logicalTypeOptions: {minimum: 0, maximum: 100}, quality: [{metric: nullValues, unit: percent, mustBeLessThan: 10}]}
      - {name: shop, physicalType: int, relationships: [{to: shops.id}]}
      - {name: at, physicalType: timestamp}
"""
# text has no bounds that would spare reading the files that are known
PRUNED = CONTRACT.replace(", quality: [{metric: duplicateValues, mustBeLessThan: 3}]", "")
SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("code", pa.string()),
        ("amount", pa.int32()),
        ("shop", pa.int32()),
        ("at", pa.timestamp("us", "UTC")),
    ]
)
SHOPS = pa.schema([("id", pa.int32())])
NOW = datetime.datetime(2026, 5, 1, tzinfo=datetime.UTC)
Rows = list[dict[str, Any]]


def good(first: int, count: int) -> Rows:
    """Rows that break nothing."""
    return [
        {"id": n, "code": _letters(n), "amount": n % 100, "shop": n % 3, "at": NOW - datetime.timedelta(hours=n % 500)}
        for n in range(first, first + count)
    ]


def _letters(number: int) -> str:
    return "".join(chr(ord("A") + int(digit)) for digit in str(number))


def batch(rows: Rows) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


class Delta:
    """A Delta table of random life."""

    format = "delta"

    def __init__(self, spark: Any, root: Path) -> None:
        self.spark, self.path = spark, str(root / "sales")
        self.name = self.path
        write_deltalake(self.path, batch(good(0, 40)), configuration={"delta.enableDeletionVectors": "false"})

    def append(self, rows: Rows) -> None:
        write_deltalake(self.path, batch(rows), mode="append", schema_mode="merge")

    def delete(self, where: str) -> None:
        DeltaTable(self.path).delete(where)

    def update(self, where: str) -> None:
        DeltaTable(self.path).update(updates={"amount": "amount + 1"}, predicate=where)

    def compact(self) -> None:
        DeltaTable(self.path).optimize.compact()

    def mark_deleted(self, where: str) -> None:
        here = f"delta.`{self.path}`"
        self.spark.sql(f"ALTER TABLE {here} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
        self.spark.sql(f"DELETE FROM {here} WHERE {where}")

    def widen(self) -> None:
        extra = batch(good(900_000 + DeltaTable(self.path).version(), 1))
        extra = extra.append_column(f"extra{uuid.uuid4().hex[:6]}", pa.array([1]))
        write_deltalake(self.path, extra, mode="append", schema_mode="merge")

    def restore(self) -> None:
        table = DeltaTable(self.path)
        table.restore(max(0, table.version() - 2))


class Partitioned(Delta):
    """The same in folders."""

    def __init__(self, spark: Any, root: Path) -> None:
        self.spark, self.path = spark, str(root / "sales")
        self.name = self.path
        write_deltalake(self.path, batch(good(0, 40)), partition_by=["shop"])


class Iceberg:
    """An Iceberg table of random life."""

    format = "iceberg"

    def __init__(self, spark: Any, root: Path, name: str = "") -> None:
        self.spark = spark
        self.name = name or f"ice.inc{uuid.uuid4().hex[:10]}.sales"
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {self.name.rsplit('.', 1)[0]}")
        columns = "id bigint, code string, amount int, shop int, at timestamp"
        spark.sql(f"CREATE TABLE {self.name} ({columns}) USING iceberg TBLPROPERTIES ('format-version' = '2')")
        self.columns: list[str] = []
        self.append(good(0, 40))

    def append(self, rows: Rows) -> None:
        frame = self.spark.createDataFrame(
            [tuple(row.values()) for row in rows], "id bigint, code string, amount int, shop int, at timestamp"
        )
        for name in self.columns:
            frame = frame.selectExpr("*", f"1 AS {name}")
        frame.coalesce(1).writeTo(self.name).append()

    def _mode(self, mode: str) -> None:
        pairs = ", ".join(f"'write.{verb}.mode' = '{mode}'" for verb in ("delete", "update"))
        self.spark.sql(f"ALTER TABLE {self.name} SET TBLPROPERTIES ({pairs})")

    def delete(self, where: str) -> None:
        self._mode("copy-on-write")
        self.spark.sql(f"DELETE FROM {self.name} WHERE {where}")

    def update(self, where: str) -> None:
        self._mode("copy-on-write")
        self.spark.sql(f"UPDATE {self.name} SET amount = amount + 1 WHERE {where}")

    def compact(self) -> None:
        options = "options => map('rewrite-all', 'true')"
        self.spark.sql(f"CALL ice.system.rewrite_data_files(table => '{self.name}', {options})")

    def mark_deleted(self, where: str) -> None:
        self._mode("merge-on-read")
        self.spark.sql(f"DELETE FROM {self.name} WHERE {where}")

    def widen(self) -> None:
        name = f"extra{uuid.uuid4().hex[:6]}"
        self.spark.sql(f"ALTER TABLE {self.name} ADD COLUMN {name} int")
        self.columns.append(name)
        self.append(good(900_000 + len(self.columns), 1))

    def restore(self) -> None:
        history = self.spark.sql(f"SELECT snapshot_id FROM {self.name}.history WHERE is_current_ancestor").collect()
        wanted = history[max(0, len(history) - 3)][0]
        self.spark.sql(f"CALL ice.system.rollback_to_snapshot('{self.name}', {wanted})")


KINDS: dict[str, Callable[[Any, Path], Any]] = {
    "delta": Delta,
    "partitioned": Partitioned,
    "iceberg": Iceberg,
}


class Home:
    """A contract, its two tables, and two registries: one that remembers, one that is asked in full."""

    def __init__(self, kind: str, spark: Any, spark_root: Path, root: Path, contract: str = PRUNED) -> None:
        (root / "sales.yaml").write_text(contract)
        self.root = root
        self.shops = str(root / "shops")
        write_deltalake(self.shops, pa.table({"id": pa.array([0, 1, 2], pa.int32())}))
        self.table = KINDS[kind](spark, root)
        self.settings = self._settings(spark_root, "a")
        self.fresh = self._settings(spark_root, "b")
        self.now = NOW

    def _settings(self, spark_root: Path, name: str) -> Settings:
        settings = spark_settings(spark_root, self.root, **{"registry.url": f"sqlite:///.floe/{name}.db"})
        return replace(settings, clock=lambda: self.now)

    def verify(self, full: bool = False) -> Result:
        settings = self.fresh if full else self.settings
        contract, dataset = find_contract(self.root / "sales.yaml", settings)
        way = TableSelector(self.table.name, None, {"shops": self.shops}, full=full)
        return verify_some(contract, dataset, way, settings)

    def agree(self) -> Result:
        """The verdict, which is that of a full run."""
        seen, whole = self.verify(), self.verify(full=True)
        assert facts(seen) == facts(whole)
        assert seen.rows == whole.rows
        return seen


def facts(result: Result) -> dict[str, Any]:
    kept = ("outcome", "message", "violations", "actual", "expected", "cause")
    return {one.id: tuple(getattr(one, name) for name in kept) for one in result.expectations}


def numbers(result: Result) -> tuple[int, int, int]:
    assert result.read is not None
    return result.read["files"], result.read["of"], result.read["remembered"]


pytestmark = pytest.mark.spark


@pytest.fixture(params=["delta", "iceberg"])
def home(request: pytest.FixtureRequest, spark, spark_root: Path, tmp_path: Path) -> Home:
    return Home(request.param, spark, spark_root, tmp_path)


def test_the_life_of_a_table(home: Home):
    table = home.table
    assert numbers(home.verify()) == (1, 1, 0)
    table.append(good(100, 10))
    first = home.verify()
    assert (numbers(first), first.outcome, first.rows) == ((1, 2, 1), "pass", 50)
    assert {one.how for one in first.expectations} == {"metadata", "incremental"}
    assert numbers(home.verify()) == (0, 2, 2)
    # rows that break each rule, one key of them in the first file
    bad = [
        {"id": 3, "code": "a1", "amount": 101, "shop": 9, "at": NOW},
        {"id": None, "code": "AAA", "amount": None, "shop": None, "at": None},
    ]
    table.append([*bad, *good(200, 5)])
    broken = home.agree()
    counts = {
        "sales.id:null-value": 1,
        "sales.id:key-duplicated": 1,
        "sales.code:pattern-mismatch": 1,
        "sales.amount:above-maximum": 1,
        "sales.shop:reference": 1,
    }
    assert {one.id: one.violations for one in broken.failed} == counts
    table.compact()
    moved = home.verify()
    assert numbers(moved) == (0, 1, 1)
    assert {one.id: one.violations for one in moved.failed} == counts
    # a changed rule reads for itself alone
    (home.root / "sales.yaml").write_text(PRUNED.replace("^[A-Z]+$", "^[A-Z0-9]+$"))
    changed = home.verify()
    assert [one.id for one in changed.expectations if one.how == "scan"] == ["sales.code:pattern-mismatch"]
    # a shop more: the reference is judged again
    write_deltalake(home.shops, pa.table({"id": pa.array([9], pa.int32())}), mode="append")
    table.delete("id = 3")
    last = home.agree()
    assert {one.id: one.violations for one in last.failed} == {"sales.id:null-value": 1}


def test_a_moment_that_lay_in_the_future_counts_when_it_has_come(home: Home):
    home.table.append([{**good(100, 1)[0], "at": NOW + datetime.timedelta(days=2)}])
    home.verify()
    home.now = NOW + datetime.timedelta(days=5000)
    assert "sales:sla.freshness" in {one.id for one in home.agree().failed}


def test_another_table_at_the_same_place_is_read_anew(home: Home, spark):
    home.verify()
    if home.table.format == "iceberg":
        spark.sql(f"DROP TABLE {home.table.name}")
        home.table = Iceberg(spark, home.root, home.table.name)
    else:
        shutil.rmtree(home.table.path)
        home.table = Delta(spark, home.root)
    assert numbers(home.verify())[2] == 0


def test_a_column_of_the_same_name_is_another_one(home: Home, spark):
    if home.table.format != "iceberg":
        pytest.skip("Delta drops columns only by names that files do not have")
    home.verify()
    for words in ("DROP COLUMN code", "ADD COLUMN code string AFTER id"):
        spark.sql(f"ALTER TABLE {home.table.name} {words}")
    assert home.agree().failed[0].id == "sales.code:null-value"


@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=pytest.mark.soak)])
@pytest.mark.parametrize("kind", list(KINDS))
def test_after_any_history_the_verdict_is_that_of_a_full_run(
    kind: str, rounds: int, spark, spark_root: Path, tmp_path: Path
):
    home = Home(kind, spark, spark_root, tmp_path, CONTRACT)
    chance = random.Random(f"{kind} {rounds}")
    remembered, last = 0, 1000
    for _ in range(3 * rounds):
        for _ in range(chance.randint(1, 3)):
            last = step(home, chance, last)
        remembered += sum(one.how == "incremental" for one in home.agree().expectations)
    assert remembered or rounds == 1


def step(home: Home, chance: random.Random, last: int) -> int:
    """Something that happens to a table."""
    table, some = home.table, f"id % 7 = {chance.randrange(7)}"
    match chance.randrange(10):
        case 0 | 1 | 2 as which:
            (table.delete, table.update, table.mark_deleted)[which](some)
        case 3 | 4 | 5 as which:
            (table.compact, table.widen, table.restore)[which - 3]()
        case 6:
            write_deltalake(home.shops, pa.table({"id": pa.array([chance.randrange(9)], pa.int32())}), mode="append")
        case _:
            rows = good(last, chance.randint(1, 30))
            if chance.random() < 0.4:
                rows[0] |= chance.choice(
                    [{"id": 5}, {"id": None}, {"code": "x"}, {"amount": -1}, {"shop": 7}, {"at": None}]
                )
            table.append(rows)
    return last + 50


@pytest.mark.spark
def test_the_command_says_what_it_read(spark, tmp_path: Path):
    (tmp_path / "sales.yaml").write_text(PRUNED.replace(", relationships: [{to: shops.id}]", ""))
    for number in range(3):
        write_deltalake(str(tmp_path / "sales"), batch(good(number * 10, 10)), mode="append")
    words = ("test", "sales.yaml", "--table", "./sales")
    first = run_floe_here(*words, cwd=tmp_path)
    assert first.returncode == 0
    assert "keys: sales.id by groupBy\n" in first.stdout
    # nothing changed: nothing is read, and no Java is needed
    done = run_floe(*words, cwd=tmp_path, PATH="/nowhere", JAVA_HOME="")
    assert done.returncode == 0, done.stdout
    assert "read 0 of 3 files, reused the results of 3 from snapshot 2" in done.stdout
    assert "keys:" not in done.stdout
    write_deltalake(str(tmp_path / "sales"), batch(good(30, 10)), mode="append")
    done = run_floe_here(*words, "--format", "json", cwd=tmp_path)
    (result,) = json.loads(done.stdout)["results"]
    assert result["read"] == {"files": 1, "of": 4, "remembered": 3, "snapshot": "2"}
    assert {one["method"] for one in result["expectations"] if one["id"] == "sales.id:key-duplicated"} == {"groupBy"}
