"""Nothing is green that is not: by memory, in full and by metadata a table is judged as a plain scan of it judges."""

import datetime
import json
import os
import shutil
import uuid
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from pyarrow import parquet as pq

import floe
from floe.cli import main
from floe.model.contract import Target
from floe.model.result import Result
from floe.settings import Settings
from floe.tables.batches import read_first
from tests.conftest import spark_settings

pytestmark = pytest.mark.spark

HEAD = """apiVersion: v3.1.0
kind: DataContract
id: desk
name: desk
version: 1.0.0
status: active
domain: d
dataProduct: p
"""
ID = "{name: id, physicalType: bigint}"
CODE = (
    '{name: code, physicalType: string, required: true, logicalType: string, logicalTypeOptions: {pattern: "^[A-Z]+$"}}'
)
AMOUNT = "{name: amount, physicalType: int, logicalType: integer, logicalTypeOptions: {minimum: 0, maximum: 100}}"
RAW = "{name: raw, physicalType: string}"


def contract(*columns: str, before: str = "", quality: str = "") -> str:
    rules = f"  quality: [{quality}]\n" if quality else ""
    return f"{HEAD}{before}schema:\n- name: desk\n{rules}  properties:\n" + "".join(f"  - {one}\n" for one in columns)


@dataclass
class Desk:
    """A root of its own, and what may be asked of a table there."""

    spark: Any
    root: Path
    settings: Settings

    def verify(self, table: str, text: str, full: bool = False) -> Result:
        return floe.verify(table, self._file(text), self.settings, full=full)

    def frame(self, rows: Any, text: str) -> Result:
        return floe.verify(rows, self._file(text), self.settings)

    def _file(self, text: str) -> Path:
        file = self.root / "desk.yaml"
        file.write_text(text)
        return file

    def sql(self, text: str) -> Any:
        return self.spark.sql(text)

    def iceberg(self, columns: str, properties: str = "'format-version' = '2'", more: str = "") -> str:
        name = f"ice.green{uuid.uuid4().hex[:10]}.desk"
        self.sql(f"CREATE NAMESPACE {name.rsplit('.', 1)[0]}")
        self.sql(f"CREATE TABLE {name} ({columns}) USING iceberg {more} TBLPROPERTIES ({properties})")
        return name

    def agree(self, table: str, text: str, **bad: int) -> Result:
        """What memory says, which is what a full run and a plain scan say: these columns' bad rows, and no others."""
        seen, whole = self.verify(table, text), self.verify(table, text, full=True)
        assert facts(seen) == facts(whole)
        assert facts(whole) == facts(self.frame(self.rows(table), text))
        found = {one.field.partition(".")[2]: one.violations for one in seen.failed}
        assert found == bad
        return seen

    def rows(self, table: str) -> Any:
        if table.startswith("ice."):
            self.sql(f"REFRESH TABLE {table}")
            return self.spark.table(table)
        return self.spark.read.format("delta").load(table)


def facts(result: Result) -> dict[str, Any]:
    return {one.id: (one.outcome, one.violations) for one in result.expectations if not one.structural}


@pytest.fixture
def desk(spark, spark_root: Path, tmp_path: Path) -> Desk:
    return Desk(spark, tmp_path, spark_settings(spark_root, tmp_path))


# --- G1: columns that were renamed, dropped and added, with no commit of rows after that


def test_columns_of_iceberg_are_those_of_the_table_not_of_its_snapshot(desk: Desk):
    table = desk.iceberg("id bigint, code string, raw string")
    desk.sql(f"INSERT INTO {table} SELECT id, 'A', 'bad 1' FROM range(10)")
    text = contract(ID, CODE)
    desk.agree(table, contract(ID, CODE, RAW))
    desk.sql(f"ALTER TABLE {table} DROP COLUMN code")
    desk.sql(f"ALTER TABLE {table} RENAME COLUMN raw TO code")
    desk.agree(table, text, code=10)
    # and nothing wrong was remembered
    desk.sql(f"INSERT INTO {table} SELECT id, 'A' FROM range(10, 12)")
    desk.agree(table, text, code=10)


def test_a_column_added_under_an_old_name_is_empty(desk: Desk):
    table = desk.iceberg("id bigint, code string")
    desk.sql(f"INSERT INTO {table} SELECT id, 'A' FROM range(10)")
    text = contract(ID, CODE)
    desk.agree(table, text)
    desk.sql(f"ALTER TABLE {table} DROP COLUMN code")
    desk.sql(f"ALTER TABLE {table} ADD COLUMN code string")
    found = {one.id: one.violations for one in desk.verify(table, text).failed}
    assert found == {"desk.code:null-value": 10}
    desk.agree(table, text, code=10)


def test_two_columns_that_change_places_are_read_in_their_new_ones(desk: Desk):
    table = desk.iceberg("id bigint, code string, raw string")
    desk.sql(f"INSERT INTO {table} SELECT id, 'A', 'bad 1' FROM range(10)")
    text = contract(ID, CODE, RAW)
    desk.agree(table, text)
    for change in ("code TO other", "raw TO code", "other TO raw"):
        desk.sql(f"ALTER TABLE {table} RENAME COLUMN {change}")
    desk.agree(table, text, code=10)
    # by its metadata file alone, which is how Spark reaches tables of catalogs that it does not know
    (newest,) = desk.sql(f"SELECT file FROM {table}.metadata_log_entries ORDER BY timestamp DESC LIMIT 1").head()
    by_path = desk.settings
    found = floe.verify(newest.removeprefix("file:"), desk.root / "desk.yaml", by_path)
    assert {one.field: one.violations for one in found.failed} == {"desk.code": 10}


def test_an_older_snapshot_that_was_rolled_back_to_has_the_columns_of_now(desk: Desk):
    table = desk.iceberg("id bigint, code string, raw string")
    desk.sql(f"INSERT INTO {table} SELECT id, 'A', 'bad 1' FROM range(10)")
    first = desk.sql(f"SELECT snapshot_id FROM {table}.snapshots").head()[0]
    for change in ("code TO other", "raw TO code", "other TO raw"):
        desk.sql(f"ALTER TABLE {table} RENAME COLUMN {change}")
    desk.sql(f"INSERT INTO {table} VALUES (11, 'B', 'bad 2')")
    text = contract(ID, CODE, RAW)
    desk.agree(table, text, code=11)
    desk.sql(f"CALL ice.system.rollback_to_snapshot('{table}', {first})")
    desk.agree(table, text, code=10)


def test_a_gate_looks_for_keys_in_the_columns_of_now(desk: Desk):
    table = desk.iceberg("id bigint, other bigint")
    desk.sql(f"INSERT INTO {table} VALUES (1, 7)")
    for change in ("id TO old", "other TO id", "old TO other"):
        desk.sql(f"ALTER TABLE {table} RENAME COLUMN {change}")
    text = contract(
        "{name: other, physicalType: bigint}", "{name: id, physicalType: bigint, required: true, primaryKey: true}"
    )
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(desk.sql("SELECT 2L other, 7L id"), text, table=table, layer="silver", settings=desk.settings)
    assert [one.code for one in caught.value.result.result.failed] == ["E551"]
    floe.enforce(desk.sql("SELECT 2L other, 1L id"), text, table=table, layer="silver", settings=desk.settings)
    assert sorted(row.id for row in desk.rows(table).collect()) == [1, 7]


# --- G2, G4, G9: files that others wrote, which become part of an Iceberg table by add_files


def landed(desk: Desk, name: str = "day1.parquet", **columns: pa.Array) -> str:
    folder = desk.root / "land"
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), folder / name)
    return str(folder / name)


def add(desk: Desk, table: str, source: str) -> None:
    desk.sql(f"CALL ice.system.add_files(table => '{table[4:]}', source_table => '`parquet`.`{source}`')")


def ids(*values: int) -> pa.Array:
    return pa.array(values, pa.int64())


def numbers(*values: int | None) -> pa.Array:
    return pa.array(values, pa.int32())


def test_files_without_field_ids_are_judged_by_the_columns_that_readers_find_in_them(desk: Desk):
    table = desk.iceberg("id bigint, amount int")
    add(desk, table, landed(desk, id=ids(1, 2), amount=numbers(10, 20)))
    text = contract(ID, "{name: amount, physicalType: int, required: true}")
    assert {one.how for one in desk.agree(table, text).expectations} == {"metadata"}  # which is still believed here
    desk.sql(f"ALTER TABLE {table} RENAME COLUMN amount TO old_amount")
    desk.sql(f"ALTER TABLE {table} ADD COLUMN amount int")
    old = (
        "{name: old_amount, physicalType: int, required: true, logicalType: integer, logicalTypeOptions: {minimum: 1}}"
    )
    text = contract(ID, old, "{name: amount, physicalType: int}")
    desk.agree(table, text, old_amount=2)
    desk.sql(f"INSERT INTO {table} VALUES (3, 30, 30)")
    desk.agree(table, text, old_amount=2)


def test_what_was_measured_of_a_file_without_field_ids_ends_with_its_columns_names(desk: Desk):
    table = desk.iceberg("id bigint, code string, raw string")
    texts = {"code": pa.array(["A", "B"]), "raw": pa.array(["bad 1", "bad 2"])}
    add(desk, table, landed(desk, id=ids(1, 2), **texts))
    text = contract(ID, CODE, RAW)
    desk.agree(table, text)
    desk.sql(f"ALTER TABLE {table} RENAME COLUMN code TO other")
    desk.sql(f"ALTER TABLE {table} ADD COLUMN code string")
    desk.sql(f"ALTER TABLE {table} DROP COLUMN code")
    desk.sql(f"ALTER TABLE {table} RENAME COLUMN other TO code")
    desk.sql(f"INSERT INTO {table} VALUES (3, 'x', 'C')")
    plain = desk.sql(f"SELECT count_if(code IS NULL), count_if(NOT code RLIKE '^[A-Z]+$') FROM {table}").head()
    seen = desk.verify(table, text)
    found = {one.id: one.violations for one in seen.expectations if one.id.startswith("desk.code")}
    assert found == {"desk.code:null-value": plain[0], "desk.code:pattern-mismatch": plain[1]}
    assert facts(seen) == facts(desk.verify(table, text, full=True))


def test_another_file_under_a_known_path_is_read(desk: Desk):
    table = desk.iceberg("id bigint, code string, amount int")
    source = landed(desk, id=ids(1, 2), code=pa.array(["A", "B"]), amount=numbers(1, 2))
    add(desk, table, source)
    text = contract("{name: id, physicalType: bigint, required: true, primaryKey: true}", CODE, AMOUNT)
    desk.agree(table, text)
    desk.sql(f"DELETE FROM {table}")
    # as many rows, and as many bytes
    landed(desk, id=ids(1, 1), code=pa.array(["x", "y"]), amount=numbers(-1, 3))
    add(desk, table, source)
    found = {one.field: one.violations for one in desk.verify(table, text).failed}
    assert found == {"desk.id": 1, "desk.code": 2, "desk.amount": 1}
    desk.agree(table, text, id=1, code=2, amount=1)


def test_the_value_of_a_partition_column_is_the_folders(desk: Desk):
    table = desk.iceberg("id bigint, amount int", more="PARTITIONED BY (amount)")
    folder = desk.root / "land" / "amount=500"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"id": ids(1, 2), "amount": numbers(1, 2)}), folder / "a.parquet")
    add(desk, table, str(folder.parent))
    assert [row.amount for row in desk.rows(table).collect()] == [500, 500]
    desk.agree(table, contract(ID, AMOUNT), amount=2)
    # nor are the edges of a key taken from the files' statistics, which say 1 and 2
    desk.agree(table, contract(ID, "{name: amount, physicalType: int, unique: true}"), amount=1)


def test_doctor_names_files_without_field_ids_and_migrate_repairs_them(desk: Desk, capsys, monkeypatch):
    table = desk.iceberg("id bigint, amount int")
    add(desk, table, landed(desk, id=ids(1, 2), amount=numbers(10, 20)))
    desk.sql(f"INSERT INTO {table} VALUES (3, 30)")
    namespace, uri = table.split(".")[1], desk.settings.catalogs["ice"]["uri"]
    warehouse = desk.settings.catalogs["ice"]["warehouse"]
    settings = f"catalogs: {{ice: {{type: sql, uri: '{uri}', warehouse: '{warehouse}'}}}}\n"
    (desk.root / "manifest.yaml").write_text(settings)
    (desk.root / "desk.yaml").write_text(contract(ID, "{name: amount, physicalType: int}"))
    monkeypatch.chdir(desk.root)

    def run(*words: str) -> str:
        assert main([*words, "desk.yaml", "--table", table]) == 0
        return str(capsys.readouterr().out)

    assert "1 of 2 files have none" in run("doctor")
    assert json.loads(run("doctor", "--format", "json"))["field_ids"] == {"lacking": 1, "seen": 2, "files": 2}
    assert f"{namespace}.desk: 1 of 2 files had no field ids" in run("migrate", "--repair")
    assert "have none" not in run("doctor")
    assert "all files have field ids, nothing was written" in run("migrate", "--repair")
    # from now on a column keeps its values under its new name
    desk.sql(f"ALTER TABLE {table} RENAME COLUMN amount TO old_amount")
    desk.sql(f"ALTER TABLE {table} ADD COLUMN amount int")
    assert sorted(tuple(row) for row in desk.rows(table).collect()) == [(1, 10, None), (2, 20, None), (3, 30, None)]
    text = contract(ID, "{name: amount, physicalType: int, required: true}", "{name: old_amount, physicalType: int}")
    desk.agree(table, text, amount=3)


# --- item 12: rows that an equality delete takes away, as Flink writes them for upserts


def delete_by_id(desk: Desk, table: str, *gone: int) -> None:
    jvm, gateway = desk.spark._jvm, desk.spark.sparkContext._gateway
    opened = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(desk.spark._jsparkSession, table)
    path = f"{opened.location().removeprefix('file:')}/data/eq-{uuid.uuid4().hex}.parquet"
    field = pa.field("id", pa.int64(), metadata={b"PARQUET:field_id": b"1"})
    pq.write_table(pa.table({"id": ids(*gone)}, schema=pa.schema([field])), path)
    fields = gateway.new_array(jvm.int, 1)
    fields[0] = 1
    file = jvm.org.apache.iceberg.FileMetadata.deleteFileBuilder(opened.spec()).ofEqualityDeletes(fields)
    file = file.withPath(path).withFormat(jvm.org.apache.iceberg.FileFormat.PARQUET)
    file = file.withFileSizeInBytes(os.path.getsize(path)).withRecordCount(len(gone))
    opened.newRowDelta().addDeletes(file.build()).commit()


@pytest.mark.parametrize("partition", ["", "PARTITIONED BY (amount)"])
def test_a_table_with_equality_deletes_is_judged(desk: Desk, partition: str):
    text = contract(
        "{name: id, physicalType: bigint, required: true, primaryKey: true}",
        CODE,
        AMOUNT,
        quality="{metric: rowCount, mustBe: 11}",
    )
    table = desk.iceberg("id bigint, code string, amount int", more=partition)
    desk.sql(f"INSERT INTO {table} SELECT id, 'A', 1 FROM range(10) UNION ALL SELECT 10, 'bad', 1")
    desk.agree(table, text, code=1)
    if not partition:  # with a partition a delete file names its partition, which this helper does not
        delete_by_id(desk, table, 10)
        desk.sql(f"INSERT INTO {table} VALUES (10, 'B', 1)")
        desk.agree(table, text)
        delete_by_id(desk, table, 3)
        seen = desk.verify(table, text)
        assert [one.actual for one in seen.failed] == [10]
        assert {one.outcome for one in seen.expectations} == {"pass", "fail"}
        read_first(Target("iceberg", table), desk.settings)
    else:
        desk.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
        desk.sql(f"DELETE FROM {table} WHERE id = 10")
        desk.sql(f"INSERT INTO {table} VALUES (10, 'B', 1)")
        desk.agree(table, text)


# --- G3, G10: what Delta says of its own rewrites


def delta(desk: Desk, columns: str, *rows: str, properties: str = "'delta.enableDeletionVectors' = 'false'") -> str:
    path = str(desk.root / f"delta{uuid.uuid4().hex[:6]}")
    desk.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta TBLPROPERTIES ({properties})")
    for query in rows:
        desk.sql(f"INSERT INTO delta.`{path}` {query}")
    return path


def test_columns_that_change_names_by_column_mapping_are_read_anew(desk: Desk):
    queries = [f"SELECT id, 'A', 'bad 9' FROM range({n}, {n + 10})" for n in (0, 10, 20)]
    table = delta(desk, "id bigint, code string, raw string", *queries)
    text = contract(ID, CODE, RAW)
    desk.agree(table, text)
    by_name = "'delta.columnMapping.mode' = 'name', 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5'"
    desk.sql(f"ALTER TABLE delta.`{table}` SET TBLPROPERTIES ({by_name})")
    for change in ("code TO other", "raw TO code", "other TO raw"):
        desk.sql(f"ALTER TABLE delta.`{table}` RENAME COLUMN {change}")
    desk.sql(f"ALTER TABLE delta.`{table}` DROP FEATURE columnMapping")
    desk.agree(table, text, code=30)


def test_compaction_keeps_what_is_known_also_where_a_column_came(desk: Desk):
    queries = [f"SELECT id, 'A', 'x' FROM range({n}, {n + 10})" for n in (0, 10, 20)]
    table = delta(desk, "id bigint, code string, raw string", *queries)
    text = contract(ID, CODE, RAW)
    desk.agree(table, text)
    desk.sql(f"ALTER TABLE delta.`{table}` ADD COLUMN more int")
    desk.sql(f"OPTIMIZE delta.`{table}`")
    seen = desk.verify(table, text)
    assert seen.outcome == "pass"
    assert seen.read == {"files": 0, "of": 1, "remembered": 1, "snapshot": "3"}


@pytest.mark.parametrize("rows", [30, 20])
def test_rows_that_a_writer_says_are_the_same_are_read(desk: Desk, rows: int):
    table = delta(desk, "id bigint, code string", "SELECT id, 'A' FROM range(30)")
    text = contract(ID, CODE)
    desk.agree(table, text)
    lie = desk.sql(f"SELECT id, 'bad' code FROM range({rows})").write.format("delta").mode("overwrite")
    lie.option("dataChange", "false").save(table)
    desk.agree(table, text, code=rows)


def test_another_file_at_the_same_path_of_delta_is_read(desk: Desk):
    table = str(desk.root / "again")
    write_deltalake(table, pa.table({"id": ids(1, 2), "code": pa.array(["A", "B"])}))
    text = contract(ID, CODE)
    desk.agree(table, text)
    (file,) = Path(table).glob("*.parquet")
    log = Path(table) / "_delta_log"
    first = (log / f"{0:020}.json").read_text().splitlines()
    pq.write_table(pa.table({"id": ids(1, 2), "code": pa.array(["x", "y"])}), file)
    changed = int(file.stat().st_mtime * 1000) + 5000
    (added,) = (json.loads(line)["add"] for line in first if '"add"' in line)
    gone = {"path": added["path"], "deletionTimestamp": changed, "dataChange": True, "size": added["size"]}
    again = {**added, "size": file.stat().st_size, "modificationTime": changed, "stats": '{"numRecords": 2}'}
    lines = [{"remove": gone}], [{"add": again}]
    for version, actions in enumerate(lines, 1):
        (log / f"{version:020}.json").write_text("\n".join(map(json.dumps, actions)))
    desk.agree(table, text, code=2)


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_a_delta_table_with_a_widened_column_is_judged(desk: Desk, vectors: str):
    properties = f"'delta.enableDeletionVectors' = '{vectors}', 'delta.enableTypeWidening' = 'true'"
    rows = "SELECT id, if(id = 0, -1, 5) FROM range(10)"
    table = delta(desk, "id bigint, amount int", rows, properties=properties)
    minimum = "logicalType: integer, logicalTypeOptions: {minimum: 0}"
    desk.agree(table, contract(ID, f"{{name: amount, physicalType: int, {minimum}}}"), amount=1)
    desk.sql(f"ALTER TABLE delta.`{table}` ALTER COLUMN amount TYPE bigint")
    text = contract(ID, f"{{name: amount, physicalType: bigint, {minimum}}}")
    desk.agree(table, text, amount=1)
    desk.sql(f"DELETE FROM delta.`{table}` WHERE amount < 0")
    desk.agree(table, text)


# --- G12: statistics that hold decimals as doubles


@pytest.mark.parametrize(
    ("bound", "value"), [("maximum: 0.1", "0.100000000000000001"), ("minimum: 0.1", "0.099999999999999999")]
)
def test_decimals_within_the_rounding_of_a_statistic_are_read(desk: Desk, bound: str, value: str):
    table = str(desk.root / "money")
    rows = pa.array([Decimal("0.1"), Decimal(value)], pa.decimal128(38, 18))
    write_deltalake(table, pa.table({"amount": rows}))
    amount = f'{{name: amount, physicalType: "decimal(38,18)", logicalType: number, logicalTypeOptions: {{{bound}}}}}'
    text = contract(amount)
    found = {one.field: one.violations for one in desk.verify(table, text).failed}
    assert found == {"desk.amount": 1}
    desk.agree(table, text, amount=1)


def test_decimals_inside_a_struct_are_read_too(desk: Desk):
    table = str(desk.root / "money")
    type_ = pa.struct([("amount", pa.decimal128(38, 18))])
    values = [{"amount": Decimal("0.1")}, {"amount": Decimal("0.100000000000000001")}]
    write_deltalake(table, pa.table({"price": pa.array(values, type_)}))
    amount = '{name: amount, physicalType: "decimal(38,18)", logicalType: number, logicalTypeOptions: {maximum: 0.1}}'
    price = f'{{name: price, physicalType: "struct<amount:decimal(38,18)>", properties: [{amount}]}}'
    desk.agree(table, contract(price), **{"price.amount": 1})


# --- statistics that are not those of the values: Spark skips files by them, and takes count, min and max from them

NAN = pa.array([1.0, float("nan")])  # which no statistic counts


def sql_rules(**rules: str) -> str:
    """Rules by their queries and thresholds, each on a name of its own."""
    said = (rule.rpartition(";") for rule in rules.values())
    listed = [
        f'{{name: {name}, type: sql, query: "{query}", {threshold}}}'
        for name, (query, _, threshold) in zip(rules, said, strict=True)
    ]
    return ", ".join(listed)


def told(result: Result) -> dict[str, tuple[str, Any]]:
    """What SQL rules found, by their names."""
    return {one.name: (one.outcome, one.actual) for one in result.expectations if one.id.startswith("desk:quality")}


NAN_RULES = {
    "above": "SELECT count(*) FROM desk WHERE v > 10;mustBe: 0",
    "other": "SELECT count(*) FROM desk WHERE v <> 1.0;mustBe: 0",
    "most": "SELECT max(v) FROM desk;mustBeLessOrEqualTo: 10",
}
NAN_FOUND = {"above": ("fail", 1), "other": ("fail", 1), "most": ("not_evaluated", None)}


def test_sql_reads_the_rows_of_tables_that_other_writers_describe(desk: Desk):
    table = str(desk.root / "money")
    amounts = [Decimal("0.1"), Decimal("0.100000000000000001")]
    nested = pa.array([{"amount": amount} for amount in amounts], pa.struct([("amount", pa.decimal128(38, 18))]))
    write_deltalake(table, pa.table({"amount": pa.array(amounts, pa.decimal128(38, 18)), "price": nested, "v": NAN}))
    columns = (
        '{name: amount, physicalType: "decimal(38,18)"}',
        '{name: price, physicalType: "struct<amount:decimal(38,18)>"}',
        "{name: v, physicalType: double}",
    )
    rules = {
        "amount": "SELECT count(*) FROM desk WHERE amount > 0.1;mustBe: 0",
        "nested": "SELECT count(*) FROM desk WHERE price.amount > 0.1;mustBe: 0",
        **NAN_RULES,
    }
    found = {"amount": ("fail", 1), "nested": ("fail", 1), **NAN_FOUND}
    text = contract(*columns, quality=sql_rules(**rules))
    assert told(desk.verify(table, text)) == found
    assert told(desk.frame(desk.rows(table), text)) == found


@pytest.mark.parametrize("form", ["delta", "iceberg", "parquet"])
def test_nan_is_found_whatever_bounds_leave_it_out(desk: Desk, form: str):
    path = landed(desk, id=ids(1, 2), v=NAN)
    listed = (
        "{name: v, physicalType: double, quality: [{metric: invalidValues, arguments: {validValues: [1]}, mustBe: 0}]}"
    )
    if form == "delta":
        table = str(desk.root / "t")
        write_deltalake(table, pq.read_table(path))
    elif form == "iceberg":
        table = desk.iceberg("id bigint, v double")
        add(desk, table, path)
    else:
        table = str(Path(path).parent)
    text = contract(ID, listed, quality=sql_rules(**NAN_RULES))
    for full in (False, True):
        result = desk.verify(table, text, full=full)
        assert told(result) == NAN_FOUND
        assert facts(result)["desk.v:value-not-listed"] == ("fail", 1)


def test_sql_reads_the_columns_that_readers_find_in_files_without_field_ids(desk: Desk):
    table = desk.iceberg("id bigint, amount int")
    add(desk, table, landed(desk, id=ids(1, 2), amount=numbers(10, 20)))
    desk.sql(f"ALTER TABLE {table} RENAME COLUMN amount TO old_amount")
    desk.sql(f"ALTER TABLE {table} ADD COLUMN amount int")
    rules = sql_rules(
        empty="SELECT count(*) FROM desk WHERE old_amount IS NULL;mustBe: 0",
        filled="SELECT count(old_amount) FROM desk;mustBeGreaterThan: 0",
        most="SELECT max(old_amount) FROM desk;mustBe: 20",
    )
    columns = ID, "{name: amount, physicalType: int}", "{name: old_amount, physicalType: int}"
    found = {"empty": ("fail", 2), "filled": ("fail", 0), "most": ("not_evaluated", None)}
    assert told(desk.verify(table, contract(*columns, quality=rules))) == found


def test_sql_and_keys_take_a_partitions_value_from_its_folder(desk: Desk):
    table = desk.iceberg("id bigint, amount int", more="PARTITIONED BY (amount)")
    folder = desk.root / "land" / "amount=500"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"id": ids(1, 2), "amount": numbers(1, 2)}), folder / "a.parquet")
    add(desk, table, str(folder.parent))
    rules = sql_rules(
        above="SELECT count(*) FROM desk WHERE amount > 100;mustBe: 0",
        most="SELECT max(amount) FROM desk;mustBeLessOrEqualTo: 100",
    )
    text = contract(ID, "{name: amount, physicalType: int}", quality=rules)
    assert told(desk.verify(table, text)) == {"above": ("fail", 2), "most": ("fail", 500)}


def swapped(desk: Desk, table: str, *columns: str) -> None:
    """Two columns change names; files without ids are read by the names of now."""
    first, second = columns
    parent, _, name = first.rpartition(".")
    other = second.rpartition(".")[2]
    before = f"{parent}." if parent else ""
    for old, new in ((name, "between"), (other, name), ("between", other)):
        desk.sql(f"ALTER TABLE {table} RENAME COLUMN {before}{old} TO {new}")


def test_members_of_a_struct_that_change_names_are_read_in_files_without_field_ids(desk: Desk):
    table = desk.iceberg("id bigint, s struct<a:int,b:int>")
    values = pa.array([{"a": 1, "b": -5}, {"a": 2, "b": -6}], pa.struct([("a", pa.int32()), ("b", pa.int32())]))
    add(desk, table, landed(desk, id=ids(1, 2), s=values))
    members = "{name: a, physicalType: int}, {name: b, physicalType: int, logicalType: integer, logicalTypeOptions: {minimum: 0}}"
    text = contract(ID, f'{{name: s, physicalType: "struct<a:int,b:int>", properties: [{members}]}}')
    desk.agree(table, text, **{"s.b": 2})
    swapped(desk, table, "s.a", "s.b")
    desk.agree(table, text, **{"s.b": 2})


def test_a_gate_finds_keys_in_files_whose_statistics_say_that_there_are_none(desk: Desk):
    table = desk.iceberg("id bigint, number int, other int")
    add(desk, table, landed(desk, id=ids(1, 2), number=numbers(7, 8), other=numbers(None, None)))
    swapped(desk, table, "number", "other")
    number = "{name: number, physicalType: int, required: true, primaryKey: true}"
    text = contract(ID, "{name: other, physicalType: int}", number)
    assert [row.number for row in desk.rows(table).orderBy("id").collect()] == [7, 8]
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(
            desk.sql("SELECT 3L id, CAST(NULL AS int) other, 7 number"), text, table=table, layer="silver",
            settings=desk.settings,
        )  # fmt: skip
    assert [one.code for one in caught.value.result.result.failed] == ["E551"]


# --- G5: a moment, a day and a time without a zone are compared in the same zone by every session

POINTS = """
(1, TIMESTAMP'2026-03-01 23:30:00Z', TIMESTAMP_NTZ'2026-03-01 23:00:00', DATE'2026-03-01'),
(2, TIMESTAMP'2026-03-01 23:30:00Z', TIMESTAMP_NTZ'2026-03-02 00:00:00', DATE'2026-03-02'),
(3, TIMESTAMP'2026-03-08 10:15:00Z', TIMESTAMP_NTZ'2026-03-08 02:30:00', DATE'2026-03-08'),
(4, TIMESTAMP'1969-12-31 23:59:59.999999Z', TIMESTAMP_NTZ'1970-01-01 00:00:00', DATE'1970-01-01'),
(5, NULL, TIMESTAMP_NTZ'2026-03-01 00:00:00', NULL)
"""
BERLIN = "logicalType: timestamp, logicalTypeOptions: {timezone: false, defaultTimezone: Europe/Berlin}"


@pytest.fixture
def zone(spark):
    before = spark.conf.get("spark.sql.session.timeZone")

    def change(name: str) -> None:
        spark.conf.set("spark.sql.session.timeZone", name)

    yield change
    spark.conf.set("spark.sql.session.timeZone", before)


@pytest.mark.parametrize("session", ["UTC", "America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe"])
def test_a_point_in_time_is_the_same_in_every_zone_of_a_session(desk: Desk, zone, session: str):
    table = delta(desk, "id bigint, at timestamp, wall timestamp_ntz, day date", f"VALUES {POINTS}")
    rules = ("at >= wall", "at >= day", "day <= wall", "wall < at")
    listed = [f"{{type: custom, engine: floe, implementation: {{pointInTime: {{rule: {rule}}}}}}}" for rule in rules]
    columns = (ID, "{name: at, physicalType: timestamp}", "{name: day, physicalType: date}")
    walls = "{name: wall, physicalType: timestamp_ntz}", f"{{name: wall, physicalType: timestamp_ntz, {BERLIN}}}"
    zone(session)
    # by hand: in UTC the moments of rows 2 and 4 are before wall and before day; with walls of Berlin, which are an hour
    # earlier, they are after wall, and wall of these two is before day
    assert bad_rows(desk, table, contract(*columns, walls[0], quality=", ".join(listed))) == [2, 2, 0, 2]
    in_berlin = contract(*columns, walls[1], quality=", ".join(listed))
    assert bad_rows(desk, table, in_berlin) == [0, 2, 2, 0]


@pytest.mark.parametrize("session", ["UTC", "America/Los_Angeles"])
def test_a_time_without_a_zone_is_as_old_in_every_zone_of_a_session(desk: Desk, zone, session: str):
    zone(session)
    # an hour that clocks in Los Angeles never showed
    rows = desk.sql("SELECT 1L id, TIMESTAMP_NTZ'2026-03-08 02:30:00' wall")
    fresh = "slaProperties: [{property: freshness, value: 1h, element: desk.wall}]\n"
    text = contract(ID, "{name: wall, physicalType: timestamp_ntz}", before=fresh)
    now = datetime.datetime(2026, 3, 8, 3, 45, tzinfo=datetime.UTC)
    late = replace(desk, settings=replace(desk.settings, clock=lambda: now))
    assert {one.id: one.actual for one in late.frame(rows, text).failed} == {"desk:sla.freshness": "1h 15min"}


def bad_rows(desk: Desk, table: str, text: str) -> list[int | None]:
    """By memory, in full, and of a frame."""
    found = [
        [one.violations for one in result.expectations if one.code == "E558"]
        for result in (
            desk.verify(table, text),
            desk.verify(table, text, full=True),
            desk.frame(desk.rows(table), text),
        )
    ]
    assert found[0] == found[1] == found[2]
    return found[0]


def test_a_gate_refuses_what_is_known_too_early_in_every_zone(desk: Desk, zone):
    rule = "{type: custom, engine: floe, implementation: {pointInTime: {rule: at <= day}}}"
    text = contract(ID, "{name: at, physicalType: timestamp}", "{name: day, physicalType: date}", quality=rule)
    rows = "SELECT 1L id, TIMESTAMP'2026-03-02 00:30:00Z' at, DATE'2026-03-02' day"
    for session in ("America/Los_Angeles", "UTC", "Asia/Kolkata"):
        zone(session)
        with pytest.raises(floe.ViolationError) as caught:
            floe.enforce(desk.sql(rows), text, table=str(desk.root / "gold"), layer="gold", settings=desk.settings)
        assert [one.code for one in caught.value.result.result.failed] == ["E558"]


def test_a_moment_beside_a_text_is_not_judged(desk: Desk):
    table = delta(
        desk, "id bigint, at timestamp, said string", "VALUES (1, TIMESTAMP'2026-03-01 00:00:00Z', '2026-03-02')"
    )
    rule = "{type: custom, engine: floe, implementation: {pointInTime: {rule: said <= at}}}"
    columns = ID, "{name: at, physicalType: timestamp}", "{name: said, physicalType: string}"
    (one,) = [one for one in desk.verify(table, contract(*columns, quality=rule)).expectations if one.cause]
    assert (one.outcome, one.cause) == (
        "not_evaluated",
        "a timestamp is compared with a string, which depends on the time zone of the session",
    )


@pytest.mark.parametrize("second", ["date", "timestamp", "timestamp_ntz"])
def test_columns_of_an_open_kind_of_time_are_compared_where_both_are_of_one_kind(desk: Desk, second: str):
    table = delta(desk, f"id bigint, a timestamp, b {second}", f"SELECT 1, now(), CAST(now() AS {second})")
    rule = "{type: custom, engine: floe, implementation: {pointInTime: {rule: a <= b}}}"
    text = contract(ID, "{name: a, logicalType: date}", "{name: b, logicalType: date}", quality=rule)
    text = text.replace("v3.1.0", "v3.0.2")  # whose dates may be moments
    (one,) = [one for one in desk.verify(table, text).expectations if one.expected == "a <= b"]
    if second == "timestamp":
        assert one.outcome == "pass"
    else:
        assert one.outcome == "not_evaluated"
        assert "add their physicalType" in str(one.cause)


# --- G6 and row 57: letters of names


@pytest.fixture(params=["true", "false"])
def case_sensitive(request: pytest.FixtureRequest, spark):
    spark.conf.set("spark.sql.caseSensitive", request.param)
    yield request.param == "true"
    spark.conf.set("spark.sql.caseSensitive", "false")


def test_a_folder_that_spells_a_column_in_two_ways_is_not_judged(desk: Desk, case_sensitive: bool):
    folder = desk.root / "p"
    folder.mkdir()
    pq.write_table(pa.table({"id": ids(1, 2), "amount": numbers(1, 2)}), folder / "a.parquet")
    pq.write_table(pa.table({"id": ids(3, 4), "AMOUNT": numbers(-5, -6)}), folder / "b.parquet")
    result = desk.verify(str(folder), contract(ID, AMOUNT))
    assert {one.outcome for one in result.expectations} == {"not_evaluated"}
    assert "has two spellings of a column: amount and AMOUNT" in str(result.expectations[0].cause)


def test_a_folder_named_by_a_column_in_other_letters_is_not_judged(desk: Desk, case_sensitive: bool):
    folder = desk.root / "p" / "AMOUNT=-5"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"id": ids(1, 2), "amount": numbers(1, 2)}), folder / "a.parquet")
    result = desk.verify(str(folder.parent), contract(ID, AMOUNT))
    assert {one.outcome for one in result.expectations} == {"not_evaluated"}


@pytest.mark.parametrize("first", ["a", "b"])
def test_a_column_that_only_some_files_of_a_folder_have_is_told_and_judged(desk: Desk, first: str):
    folder = desk.root / "p"
    folder.mkdir()
    second = "b" if first == "a" else "a"
    pq.write_table(pa.table({"id": ids(1, 2)}), folder / f"{first}.parquet")
    more = {"id": ids(3, 4), "amount": numbers(-5, 6), "sneaked": pa.array(["x", "y"])}
    pq.write_table(pa.table(more), folder / f"{second}.parquet")
    filled = AMOUNT.replace("int,", "int, required: true,", 1)
    for full in (False, True):
        result = desk.verify(str(folder), contract(ID, filled), full=full)
        (extra,) = [one for one in result.expectations if one.code == "E532"]
        assert extra.field == "desk.sneaked"
        broken = {one.id: one.violations for one in result.failed if one.code != "E532"}
        assert broken == {"desk.amount:null-value": 2, "desk.amount:below-minimum": 1}


def test_a_column_in_other_letters_than_the_contracts_is_not_judged(desk: Desk, case_sensitive: bool):
    folder = desk.root / "p"
    folder.mkdir()
    pq.write_table(pa.table({"id": ids(1), "AMOUNT": numbers(-5)}), folder / "a.parquet")
    tables = [
        str(folder),
        delta(desk, "id bigint, AMOUNT int", "VALUES (1, -5)"),
        desk.iceberg("id bigint, AMOUNT int"),
    ]
    desk.sql(f"INSERT INTO {tables[2]} VALUES (1, -5)")
    for table in tables:
        result = desk.verify(table, contract(ID, AMOUNT))
        assert result.outcome != "pass"
        (one,) = [one for one in result.expectations if one.id == "desk.amount:below-minimum"]
        assert (one.outcome, one.violations) == ("not_evaluated", None)


def test_the_setting_for_letters_changes_no_verdict(desk: Desk, case_sensitive: bool):
    folder = desk.root / "p"
    folder.mkdir()
    rows = {"id": ids(1, 2), "code": pa.array(["A", "b"]), "amount": numbers(1, -2)}
    pq.write_table(pa.table(rows), folder / "a.parquet")
    tables = [
        str(folder),
        delta(desk, "id bigint, code string, amount int"),
        desk.iceberg("id bigint, code string, amount int"),
    ]
    for table, name in zip(tables[1:], (f"delta.`{tables[1]}`", tables[2]), strict=True):
        desk.sql(f"INSERT INTO {name} VALUES (1, 'A', 1), (2, 'b', -2)")
        assert {one.field: one.violations for one in desk.verify(table, contract(ID, CODE, AMOUNT)).failed} == {
            "desk.code": 1,
            "desk.amount": 1,
        }
    found = {one.field: one.violations for one in desk.verify(tables[0], contract(ID, CODE, AMOUNT)).failed}
    assert found == {"desk.code": 1, "desk.amount": 1}


# --- G8: a commit that is dated in the future


@pytest.mark.parametrize("form", ["delta", "iceberg"])
@pytest.mark.parametrize(("ahead", "outcome"), [(60, "pass"), (5 * 365 * 86_400, "not_evaluated")])
def test_a_commit_of_the_future_is_not_fresh(desk: Desk, form: str, ahead: int, outcome: str):
    fresh = "slaProperties: [{property: freshness, value: 1d}]\n"
    if form == "delta":
        table = delta(desk, "id bigint", "VALUES (1)")
    else:
        table = desk.iceberg("id bigint")
        desk.sql(f"INSERT INTO {table} VALUES (1)")
    behind = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=ahead)
    skewed = replace(desk, settings=replace(desk.settings, clock=lambda: behind))
    result = skewed.verify(table, contract(ID, before=fresh))
    (one,) = [one for one in result.expectations if one.id == "desk:sla.freshness"]
    assert (one.outcome, result.outcome) == (outcome, outcome)
    assert ("clock skew" in str(one.cause)) == (outcome == "not_evaluated")


# --- G11: multiples, as the numbers are written


@pytest.mark.parametrize(
    ("step", "bad", "good"),
    [
        ("7", "1e-19 4e-19 1e39 1e300 1e20 1234567890123457.25 -1e-300", "0 14 7e39 -7e300 7e20 49e37"),
        ("0.01", "1e-19 0.015 0.010000000000000002 1e-3 4.9e-324", "0.01 0.1 1e39 1e300 123456789.25 -0.07"),
        ("0.0001", "0.00010000000000000002", "0.0001 12.3456"),
        ("1000000000000", "1e11 1.5e12 123", "1e12 3e38 1e300"),
        ("1152921504606846976", "1e38 1e59", "1e60 3e100"),  # two to the 60th divides ten to the 60th
        ("1e-30", "1e-31 15e-31", "1e-30 0.1 1e20 1e300"),
    ],
)
def test_multiples_of_doubles_are_exact(desk: Desk, step: str, bad: str, good: str):
    values = [*bad.split(), *good.split()]
    rows = desk.spark.createDataFrame([("none", None), *((one, float(one)) for one in values)], "id string, x double")
    text = contract(
        "{name: id, physicalType: string, primaryKey: true}",
        f"{{name: x, physicalType: double, logicalType: number, logicalTypeOptions: {{multipleOf: {step}}}}}",
    )
    for ansi in ("true", "false"):
        desk.spark.conf.set("spark.sql.ansi.enabled", ansi)
        try:
            (one,) = [one for one in desk.frame(rows, text).expectations if one.id == "desk.x:not-multiple"]
        finally:
            desk.spark.conf.set("spark.sql.ansi.enabled", "true")
        assert one.violations == len(bad.split())


@pytest.mark.parametrize(
    ("type_", "kind", "step", "values", "bad"),
    [
        (
            "float",
            "physicalType: float",
            "0.1",
            [0.1, 0.3, 3e38, 0.05, None],
            1,
        ),  # a float is taken as it is written too
        ("double", "logicalType: number", "7", [14.0, 7e37, 1e19, None], 1),
        ("decimal(38,18)", "logicalType: number", "7", ["99999999999999999999.999999999999999999", "98", None], 1),
        ("decimal(38,30)", "logicalType: number", "1e-18", ["1.000000000000000000000000000001", "1.5", None], 1),
        ("int", "logicalType: integer", "7", [7, 8, None], 1),
    ],
)
def test_a_value_that_a_check_cannot_answer_for_is_no_multiple(
    desk: Desk, type_: str, kind: str, step: str, values: list[Any], bad: int
):
    exact = [Decimal(value) if isinstance(value, str) else value for value in values]
    rows = desk.spark.createDataFrame([(value,) for value in exact], f"x {type_}")
    word = "" if "logicalType" in kind else "logicalType: number, "
    text = contract(f"{{name: x, {kind}, {word}logicalTypeOptions: {{multipleOf: {step}}}}}")
    for ansi in ("true", "false"):
        desk.spark.conf.set("spark.sql.ansi.enabled", ansi)
        try:
            (found,) = [one for one in desk.frame(rows, text).expectations if one.id == "desk.x:not-multiple"]
        finally:
            desk.spark.conf.set("spark.sql.ansi.enabled", "true")
        assert (found.violations, found.cause) == (bad, None)


# --- row 26: another table under the name of one that was judged


@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_a_table_that_was_dropped_and_made_again_is_read_and_told(desk: Desk, form: str):
    def make(code: str) -> str:
        if form == "delta":
            path = str(desk.root / "made")
            shutil.rmtree(path, ignore_errors=True)
            write_deltalake(path, pa.table({"id": ids(1, 2), "code": pa.array([code, code])}))
            return path
        desk.sql(f"CREATE NAMESPACE IF NOT EXISTS ice.{desk.root.name.replace('-', '_')}")
        name = f"ice.{desk.root.name.replace('-', '_')}.made"
        desk.sql(f"DROP TABLE IF EXISTS {name}")
        desk.sql(f"CREATE TABLE {name} (id bigint, code string) USING iceberg")
        desk.sql(f"INSERT INTO {name} VALUES (1, '{code}'), (2, '{code}')")
        return name

    text = contract(ID, CODE)
    assert desk.verify(make("A"), text).outcome == "pass"
    found = {one.id: (one.code, one.violations) for one in desk.verify(make("x"), text).failed}
    assert found == {
        "desk:table-replaced": ("E535", 1),
        "desk.code:pattern-mismatch": ("E553", 2),
    }
