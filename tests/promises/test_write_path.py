"""No row is lost, doubled or written unchecked: other writers, full disks, restored tables, changed keys."""

import os
import shutil
import time
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyarrow import parquet as pq

import floe
from floe.actions.enforce import enforce_file
from floe.actions.enforce.context import WriteOptions
from floe.registry import open_store
from tests.conftest import Lake, on_disks, spark_settings
from tests.helpers.disk import SmallDisk, small_disk
from tests.helpers.orders import COLUMNS, frame, order
from tests.helpers.places import at
from tests.helpers.postgres import make_postgres

pytestmark = pytest.mark.spark

KEYLESS = """apiVersion: v3.1.0
kind: DataContract
id: keyless
name: keyless
version: 1.0.0
status: active
domain: d
dataProduct: p
schema:
- name: keyless
  properties:
  - {name: id, physicalType: bigint}
  - {name: v, physicalType: int}
"""
PARTITIONED = KEYLESS.replace("keyless", "parted").replace(
    "{name: id, physicalType: bigint}", "{name: id, physicalType: bigint, required: true, primaryKey: true}"
).replace("{name: v, physicalType: int}", "{name: v, physicalType: int, partitioned: true}")  # fmt: skip


def orders(spark, lake: Lake):
    from floe.tables.formats import readable

    return readable(lake.target).read(spark, lake.target)


def numbers(spark, lake: Lake) -> list[int]:
    return sorted(row.order_id for row in orders(spark, lake).select("order_id").collect())


def foreign_append(spark, lake: Lake, *rows: dict[str, object]) -> None:
    """A plain INSERT by somebody who does not ask floe."""
    frame(spark, *rows).createOrReplaceTempView("foreign_rows")
    spark.sql(f"INSERT INTO {lake.target.sql} SELECT * FROM foreign_rows")


def numbered(spark, *ids: int):
    return spark.createDataFrame([(i, i % 2) for i in ids], "id bigint, v int")


# --- D4: the judgement that is committed is the one made against the version it is committed onto


@pytest.mark.parametrize("place", ["judged", "before-commit", "prepared"])
def test_a_key_written_by_others_before_the_commit_refuses_the_batch(spark, lake: Lake, place: str):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    with at(place, lambda: foreign_append(spark, lake, order(7))), pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(7), order(8)), lake.table_id, settings=lake.settings)
    assert [one.code for one in caught.value.result.result.failed] == ["E551"]
    assert numbers(spark, lake) == [1, 7]


@pytest.mark.parametrize("place", ["before-commit", "prepared"])
def test_rows_of_others_that_break_nothing_are_kept_beside_the_batch(spark, lake: Lake, place: str):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    with at(place, lambda: foreign_append(spark, lake, order(7))):
        result = floe.enforce(frame(spark, order(8), order(9)), lake.table_id, batch_id="b", settings=lake.settings)
    assert (result.written, result.repeated) == (2, False)
    assert numbers(spark, lake) == [1, 7, 8, 9]


@pytest.mark.parametrize("place", ["before-commit", "prepared"])
def test_a_column_added_by_others_before_the_commit_refuses_the_batch(spark, lake: Lake, place: str):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    alter = f"ALTER TABLE {lake.target.sql} ADD COLUMNS (sneaked string)"
    with at(place, lambda: spark.sql(alter)), pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(2)), lake.table_id, settings=lake.settings)
    assert [one.code for one in caught.value.result.result.failed] == ["E532"]
    assert numbers(spark, lake) == [1]


@pytest.mark.parametrize("mode", ["append", "overwrite_partition"])
@pytest.mark.parametrize("place", ["before-commit", "prepared"])
def test_a_race_on_a_partitioned_table_is_not_let_through(spark, lake: Lake, tmp_path: Path, place: str, mode: str):
    table = str(tmp_path / "parted") if lake.format == "delta" else f"ice.{lake.table_id.split('.')[1]}.parted"
    name = f"delta.`{table}`" if lake.format == "delta" else table
    write: dict[str, Any] = {"table": table, "layer": "silver", "settings": lake.settings}
    floe.enforce(numbered(spark, 1, 2), PARTITIONED, **write)
    with (
        at(place, lambda: spark.sql(f"INSERT INTO {name} VALUES (5, 2)")),
        pytest.raises((floe.ViolationError, floe.TableError)) as caught,
    ):
        floe.enforce(numbered(spark, 5, 7), PARTITIONED, mode, **write)
    found = sorted((row.id, row.v) for row in spark.sql(f"SELECT * FROM {name}").collect())
    if isinstance(caught.value, floe.ViolationError):
        assert caught.value.code == "E551"
        assert found == [(1, 1), (2, 0), (5, 2)]
    else:  # Delta lets rows of other partitions in beside an overwrite: that is found after the commit, and said
        assert (lake.format, mode, place) == ("delta", "overwrite_partition", "prepared")
        assert "E551" in str(caught.value)


# --- D1, D5: a commit that exists is never undone, and nobody's rows go with a failed batch


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "small", "2m") as made:
        yield made


def test_a_full_disk_at_the_checkpoint_leaves_the_commit_and_its_files(spark, lake: Lake, disk: SmallDisk):
    if lake.format == "iceberg":
        pytest.skip("Iceberg writes no checkpoint after a commit")
    table = str(disk.folder / "t")
    write: dict[str, Any] = {"table": table, "layer": "silver", "settings": lake.settings}
    floe.enforce(numbered(spark, *range(5)), KEYLESS, batch_id="s0", **write)
    spark.sql(f"ALTER TABLE delta.`{table}` SET TBLPROPERTIES ('delta.checkpointInterval' = '1')")
    with at("prepared", lambda: disk.fill(leave=8192)):
        result = floe.enforce(numbered(spark, *range(5, 10)), KEYLESS, batch_id="s1", **write)
    disk.make_room()
    assert (result.written, result.refused) == (5, False)
    assert sorted(row.id for row in spark.read.format("delta").load(table).collect()) == [*range(10)]
    again = floe.enforce(numbered(spark, *range(5, 10)), KEYLESS, batch_id="s1", **write)
    assert again.repeated
    assert spark.read.format("delta").load(table).agg({"v": "sum"}).collect()[0][0] == 5


def test_a_full_disk_before_the_commit_leaves_the_old_table_and_a_retry_works(spark, lake: Lake, disk: SmallDisk):
    if lake.format == "iceberg":
        pytest.skip("the catalog of the tests lies on another disk")
    table = str(disk.folder / "t")
    write: dict[str, Any] = {"table": table, "layer": "silver", "settings": lake.settings}
    floe.enforce(numbered(spark, *range(5)), KEYLESS, batch_id="s0", **write)
    with at("before-stage", disk.fill), pytest.raises(floe.TableError, match=r"a disk is full .*: make room on it"):
        floe.enforce(numbered(spark, *range(5, 10)), KEYLESS, batch_id="s1", **write)
    disk.make_room()
    assert spark.read.format("delta").load(table).agg({"id": "sum"}).collect()[0][0] == 10
    again = floe.enforce(numbered(spark, *range(5, 10)), KEYLESS, batch_id="s1", **write)
    assert (again.written, again.repeated) == (5, False)
    assert spark.read.format("delta").load(table).agg({"id": "sum"}).collect()[0][0] == 45


@on_disks
def test_a_first_batch_that_fails_leaves_what_others_wrote(spark, lake: Lake, tmp_path: Path):
    table = str(tmp_path / "first") if lake.format == "delta" else f"ice.{lake.table_id.split('.')[1]}.first"
    name = f"delta.`{table}`" if lake.format == "delta" else table
    batch = numbered(spark, *range(5))

    def others() -> None:
        spark.sql(f"INSERT INTO {name} SELECT id, 1 FROM range(100, 200)")
        for staged in tmp_path.rglob("*.parquet"):  # and our own staged files are gone
            if ".floe-staging" in str(staged):
                staged.unlink()
        for staged in Path(str(lake.settings.catalogs["ice"]["warehouse"])).rglob(".floe-staging/*/*.parquet"):
            staged.unlink()

    with at("prepared", others), pytest.raises(floe.TableError):
        floe.enforce(batch, KEYLESS, table=table, layer="silver", settings=lake.settings)
    assert spark.sql(f"SELECT * FROM {name}").count() == 100


# --- D2, D3, D6: a batch is known where the table's own history still holds it


def test_a_batch_that_the_table_lost_is_written_again(spark, lake: Lake):
    for batch in (1, 2):
        floe.enforce(frame(spark, order(batch)), lake.table_id, batch_id=f"b{batch}", settings=lake.settings)
    if lake.format == "delta":
        before = next(
            e["version"] for e in DeltaTable(lake.target.path).history() if '"b1"' in str(e.get("userMetadata"))
        )
        spark.sql(f"RESTORE TABLE {lake.target.sql} TO VERSION AS OF {before}")
    else:
        first = spark.sql(
            f"SELECT snapshot_id FROM {lake.target.sql}.snapshots WHERE summary['floe.batch_id'] = 'b1'"
        ).head()[0]
        namespace = lake.target.name.removeprefix("ice.")
        spark.sql(f"CALL ice.system.rollback_to_snapshot('{namespace}', {first})")
    assert numbers(spark, lake) == [1]
    for round_, repeated in ((1, False), (2, True)):
        again = floe.enforce(frame(spark, order(2)), lake.table_id, batch_id="b2", settings=lake.settings)
        assert (again.written, again.repeated) == (1, repeated), round_
        assert numbers(spark, lake) == [1, 2]
    kept = floe.enforce(frame(spark, order(1)), lake.table_id, batch_id="b1", settings=lake.settings)
    assert kept.repeated


def test_a_table_restored_to_a_moment_is_understood_whatever_the_zone(spark, lake: Lake):
    if lake.format == "iceberg":
        pytest.skip("RESTORE is Delta's")
    for batch in (1, 2):
        floe.enforce(frame(spark, order(batch)), lake.table_id, batch_id=f"b{batch}", settings=lake.settings)
    before = next(e for e in DeltaTable(lake.target.path).history() if '"b1"' in str(e.get("userMetadata")))["version"]
    log = Path(lake.target.path) / "_delta_log"
    started = int(time.time()) - 5 * 86_400
    # a day between the commits: Delta itself shifts the moment by the session's zone once more
    for entry in log.glob("*.json"):
        os.utime(entry, (started + int(entry.stem) * 86_400,) * 2)
    spark.conf.set("spark.sql.session.timeZone", "Pacific/Kiritimati")
    try:
        moment = datetime.fromtimestamp(started + before * 86_400 + 20 * 3600, ZoneInfo("Pacific/Kiritimati"))
        text = moment.strftime("%Y-%m-%d %H:%M:%S")
        spark.sql(f"RESTORE TABLE {lake.target.sql} TO TIMESTAMP AS OF '{text}'")
    finally:
        spark.conf.unset("spark.sql.session.timeZone")
    assert numbers(spark, lake) == [1]
    again = floe.enforce(frame(spark, order(2)), lake.table_id, batch_id="b2", settings=lake.settings)
    assert (again.written, again.repeated) == (1, False)
    assert numbers(spark, lake) == [1, 2]
    assert floe.enforce(frame(spark, order(1)), lake.table_id, batch_id="b1", settings=lake.settings).repeated


@on_disks
def test_a_table_that_was_dropped_and_made_again_gets_the_batches_again(spark, lake: Lake):
    for batch in (1, 2):
        floe.enforce(frame(spark, order(batch)), lake.table_id, batch_id=f"b{batch}", settings=lake.settings)
    if lake.format == "delta":
        shutil.rmtree(lake.target.path)
    else:
        spark.sql(f"DROP TABLE {lake.target.sql} PURGE")
    for batch in (1, 2):
        again = floe.enforce(frame(spark, order(batch)), lake.table_id, batch_id=f"b{batch}", settings=lake.settings)
        assert (again.written, again.repeated) == (1, False)
    assert numbers(spark, lake) == [1, 2]


def test_the_same_batch_goes_into_two_tables_of_one_contract(spark, lake: Lake, tmp_path: Path):
    domain = lake.table_id.split(".")[1]
    tables = [str(tmp_path / name) if lake.format == "delta" else f"ice.{domain}.{name}" for name in ("one", "two")]
    for table in tables:
        for batch in (1, 2):
            done = floe.enforce(
                numbered(spark, batch),
                KEYLESS,
                batch_id=f"b{batch}",
                table=table,
                layer="silver",
                settings=lake.settings,
            )
            assert (done.written, done.repeated) == (1, False)
    for table in tables:
        name = f"delta.`{table}`" if lake.format == "delta" else table
        assert sorted(row.id for row in spark.sql(f"SELECT * FROM {name}").collect()) == [1, 2]


def test_a_batch_whose_commit_left_the_log_is_still_known(spark, spark_root: Path, lake: Lake, tmp_path: Path):
    if lake.format == "iceberg":
        pytest.skip("Iceberg has no log to clean up: see the test of expired snapshots")
    table = str(tmp_path / "cleaned")
    write: dict[str, Any] = {"table": table, "layer": "silver"}
    for batch in (1, 2):
        floe.enforce(numbered(spark, batch), KEYLESS, batch_id=f"t{batch}", settings=lake.settings, **write)
    spark.sql(f"ALTER TABLE delta.`{table}` SET TBLPROPERTIES ('x' = 'y')")
    log = DeltaTable(table)
    log.create_checkpoint()
    for version in range(log.version()):
        (Path(table) / "_delta_log" / f"{version:020}.json").unlink()
    for checksum in (Path(table) / "_delta_log").glob("*.crc"):
        checksum.unlink()
    (tmp_path / "other").mkdir()
    other = spark_settings(spark_root, tmp_path / "other")
    for settings in (other, lake.settings):  # without the registry, and with it
        again = floe.enforce(numbered(spark, 2), KEYLESS, batch_id="t2", settings=settings, **write)
        assert again.repeated
    assert spark.read.format("delta").load(table).count() == 2


def test_a_batch_whose_snapshot_expired_is_still_known(spark, lake: Lake):
    if lake.format == "delta":
        pytest.skip("Delta keeps transactions: see the test of the cleaned log")
    for batch in (1, 2, 3):
        floe.enforce(frame(spark, order(batch)), lake.table_id, batch_id=f"b{batch}", settings=lake.settings)
    namespace = lake.target.name.removeprefix("ice.")
    now = spark.sql("SELECT cast(current_timestamp() AS string)").head()[0]
    spark.sql(
        f"CALL ice.system.expire_snapshots(table => '{namespace}', older_than => TIMESTAMP '{now}', retain_last => 1)"
    )
    assert spark.sql(f"SELECT * FROM {lake.target.sql}.snapshots").count() == 1
    again = floe.enforce(frame(spark, order(1)), lake.table_id, batch_id="b1", settings=lake.settings)
    assert again.repeated
    assert numbers(spark, lake) == [1, 2, 3]


# --- D7: a registry that dies under the lock


@pytest.mark.parametrize("place", ["prepared", "after-commit"])
def test_a_registry_that_dies_under_the_lock_is_a_warning_after_the_commit(
    spark, spark_root: Path, lake: Lake, tmp_path: Path, place: str
):
    if lake.format == "iceberg":
        pytest.skip("the registry is the same for both")
    server = make_postgres(durable=True)
    try:
        settings = spark_settings(spark_root, tmp_path, **{"registry.url": server.url, "tables.format": lake.format})
        table = str(tmp_path / "t")
        write: dict[str, Any] = {"table": table, "layer": "silver", "settings": settings}
        floe.enforce(numbered(spark, 1), KEYLESS, batch_id="g0", **write)
        with at(place, lambda: server.stop("immediate")):
            result = floe.enforce(numbered(spark, 2), KEYLESS, batch_id="g1", **write)
        assert (result.written, result.refused) == (1, False)
        assert any("E542" in note for note in result.notes), result.notes
        server.start()
        assert floe.enforce(numbered(spark, 2), KEYLESS, batch_id="g1", **write).repeated
        assert spark.read.format("delta").load(table).count() == 2
    finally:
        server.stop("immediate")


# --- K2: a table written by one key is not written by another


@pytest.mark.parametrize("mode", ["append", "merge"])
def test_a_changed_primary_key_is_refused(spark, lake: Lake, mode: str):
    floe.enforce(frame(spark, order(1), order(2, customer_id="C2")), lake.table_id, settings=lake.settings)
    lake.contract("        primaryKey: true\n        primaryKeyPosition: 1\n", "")
    lake.contract("        description: Who ordered.", "        primaryKey: true\n        description: Who ordered.")
    (lake.root / ".floe" / "registry.db").unlink()  # the table itself knows
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(6, customer_id="C1")), lake.table_id, mode=mode, settings=lake.settings)
    (broken,) = caught.value.result.result.failed
    assert (broken.code, broken.expected, broken.actual) == ("E520", "order_id", "customer_id")
    assert "floe migrate" in broken.message
    assert numbers(spark, lake) == [1, 2]


def test_a_changed_key_is_refused_by_the_registry_where_the_table_does_not_say(spark, lake: Lake):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    spark.sql(f"ALTER TABLE {lake.target.sql} UNSET TBLPROPERTIES ('floe.identity')")  # as older tables are
    lake.contract("        primaryKey: true\n        primaryKeyPosition: 1\n", "")
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(6)), lake.table_id, settings=lake.settings)
    assert [one.code for one in caught.value.result.result.failed] == ["E520"]


def test_other_partition_columns_and_another_grain_are_refused(spark, lake: Lake):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    lake.contract("One row per order_id", "One row per order line")
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(6)), lake.table_id, settings=lake.settings)
    assert [one.code for one in caught.value.result.result.failed] == ["E520"]
    lake.contract("One row per order line", "ONE ROW  per order_id")
    floe.enforce(frame(spark, order(6)), lake.table_id, settings=lake.settings)
    lake.contract("        description: Where the order stands.", "        partitioned: true\n        description: It.")
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(7)), lake.table_id, settings=lake.settings)
    assert [one.code for one in caught.value.result.result.failed] == ["E534"]
    assert numbers(spark, lake) == [1, 6]


def test_another_time_zone_is_refused_and_a_new_column_with_one_is_not(spark, lake: Lake, tmp_path: Path):
    table = str(tmp_path / "zoned") if lake.format == "delta" else f"ice.{lake.table_id.split('.')[1]}.zoned"
    at_ = "{name: %s, physicalType: timestamp_ntz, logicalTypeOptions: {defaultTimezone: %s}}"
    text = KEYLESS.replace("keyless", "zoned").replace("{name: v, physicalType: int}", at_ % ("v", "Europe/Berlin"))
    rows = spark.sql("SELECT 1L AS id, timestamp_ntz'2026-11-01 12:00:00' AS v")
    write: dict[str, Any] = {"table": table, "layer": "silver", "settings": lake.settings}
    floe.enforce(rows, text, **write)
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(rows, text.replace("Europe/Berlin", "Asia/Tokyo"), **write)
    assert [(one.code, one.expected) for one in caught.value.result.result.failed] == [("E520", "v Europe/Berlin")]
    wider = text + "  - " + at_ % ("w", "Asia/Tokyo") + "\n"
    assert floe.enforce(rows.withColumn("w", rows.v), wider, **write).written == 1


def test_partitions_are_not_overwritten_by_other_columns_than_the_contract_names(spark, lake: Lake):
    """Spark overwrites by the partitions of the table: by other columns, rows that the batch does not mean would go."""
    lake.contract("        description: Where the order stands.", "        partitioned: true\n        description: It.")
    path, domain = lake.target.path, lake.table_id.split(".")[1]
    if lake.format == "iceberg":
        spark.sql(f"CREATE NAMESPACE ice.silver_{domain}")
    name = f"delta.`{path}`" if lake.format == "delta" else f"ice.silver_{domain}.orders_clean"
    spark.sql(f"CREATE TABLE {name} ({COLUMNS}) USING {lake.format} PARTITIONED BY (customer_id)")
    frame(spark, order(1), order(2, status="shipped")).createOrReplaceTempView("older")
    spark.sql(f"INSERT INTO {name} SELECT * FROM older")
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(3)), lake.table_id, mode="overwrite_partition", settings=lake.settings)
    assert "E534" in [one.code for one in caught.value.result.result.failed]
    assert numbers(spark, lake) == [1, 2]


def test_a_table_of_another_contract_or_of_a_newer_major_is_not_written(spark, lake: Lake, tmp_path: Path):
    table = str(tmp_path / "t") if lake.format == "delta" else f"ice.{lake.table_id.split('.')[1]}.t"
    write: dict[str, Any] = {"table": table, "layer": "silver", "settings": lake.settings}
    floe.enforce(numbered(spark, 1), KEYLESS.replace("version: 1.0.0", "version: 2.0.0"), **write)
    for text, code in ((KEYLESS, "E534"), (KEYLESS.replace("keyless", "other"), "E524")):
        with pytest.raises(floe.ViolationError) as caught:
            floe.enforce(numbered(spark, 2), text, **write)
        assert [one.code for one in caught.value.result.result.failed] == [code]


# --- K3: a run that breaks one expectation twice is recorded, and holds up no other


def test_batch_and_table_that_break_the_same_column_are_both_recorded(spark, lake: Lake):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    lake.contract("physicalType: decimal(14,2)", "physicalType: decimal(16,4)")
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(2)), lake.table_id, settings=lake.settings)
    found = [one for one in caught.value.result.result.failed if one.code == "E530"]
    assert len(found) == 2
    assert len({one.id for one in found}) == 2
    store = open_store(lake.settings.registry.url, lake.root)
    assert [one["refused"] for one in store.runs(5)] == [True, False]
    assert not list((lake.root / ".floe").glob("unrecorded/*"))


def test_an_entry_that_cannot_be_recorded_holds_up_no_other(spark, lake: Lake):
    waiting = lake.root / ".floe" / "unrecorded"
    waiting.mkdir(parents=True)
    (waiting / "aaa.json").write_text('{"run": {"nonsense": 1}, "violations": []}')
    (waiting / "bbb.json").write_text("cut sho")
    result = floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    assert any("2 earlier runs could not be recorded" in note for note in result.notes), result.notes
    store = open_store(lake.settings.registry.url, lake.root)
    assert [one["run_id"] for one in store.runs(5)] == [result.run_id]


# --- K4: with onViolation: quarantine, bad rows go there at every level but off


@pytest.mark.parametrize("level", ["off", "warn", "alert_only", "block"])
def test_rows_that_break_a_rule_are_quarantined_at_every_level_but_off(spark, spark_root: Path, lake: Lake, level: str):
    lake.contract(
        "    customProperties:\n", "    customProperties:\n      - property: onViolation\n        value: quarantine\n"
    )
    lake.contract(
        "        description: Who ordered.",
        "        description: Who ordered.\n        quality:\n"
        "          - {metric: invalidValues, arguments: {validValues: [C1]}, mustBe: 0, severity: warning}",
    )
    settings = spark_settings(
        spark_root, lake.root, **{"tables.format": lake.format, "data_contracts.enforcement": level}
    )
    bad = [order(2, amount=Decimal("-1.00")), order(3, status="lost"), order(4, customer_id="C9"), order(5), order(5)]
    result = floe.enforce(frame(spark, order(1), *bad), lake.table_id, settings=settings)
    assert result.written + result.quarantined == 6
    wanted = [1, 2, 3, 4] if level == "off" else [1]
    assert numbers(spark, lake) == wanted
    assert result.quarantined == 6 - len(wanted)
    assert any("__quarantine" in note and str(result.quarantined) in note for note in result.notes), result.notes


def test_rows_of_an_attempt_that_another_writer_overtook_are_quarantined_once(spark, lake: Lake):
    lake.contract(
        "    customProperties:\n", "    customProperties:\n      - property: onViolation\n        value: quarantine\n"
    )
    from floe.engine.gate.quarantine import quarantine_target
    from floe.tables.formats import readable

    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    with at("prepared", lambda: foreign_append(spark, lake, order(7))):
        result = floe.enforce(
            frame(spark, order(7), order(8), order(9, status="lost")),
            lake.table_id,
            batch_id="b",
            settings=lake.settings,
        )
    assert (result.written, result.quarantined) == (1, 2)  # 7 was good until the other writer came
    assert numbers(spark, lake) == [1, 7, 8]
    apart = readable(quarantine_target(lake.target)).read(spark, quarantine_target(lake.target)).collect()
    assert sorted((row.order_id, *row._floe_codes) for row in apart) == [(7, "FLOE-E551"), (9, "FLOE-E552")]


def test_a_batch_that_is_all_bad_is_known_when_it_comes_again(spark, lake: Lake):
    lake.contract(
        "    customProperties:\n", "    customProperties:\n      - property: onViolation\n        value: quarantine\n"
    )
    from floe.engine.gate.quarantine import quarantine_target
    from floe.tables.formats import readable

    for repeated in (False, True):
        rows = frame(spark, order(8, status="lost"), order(9, status="lost"))
        result = floe.enforce(rows, lake.table_id, batch_id="b", settings=lake.settings)
        assert (result.written, result.quarantined, result.repeated) == (0, 2, repeated)
    assert readable(quarantine_target(lake.target)).read(spark, quarantine_target(lake.target)).count() == 2


# --- G7: the schema of a batch is that of all its files


def batch_folder(spark, lake: Lake, **sneaked: object) -> str:
    """A batch of files by their names, each with a row, and with a column of its own where that has a value."""
    folder = lake.root / "batch"
    folder.mkdir()
    for number, (name, value) in enumerate(sneaked.items()):
        rows = frame(spark, order(number)).toArrow()
        rows = rows if value is None else rows.append_column("sneaked", pa.array([value]))
        pq.write_table(rows, folder / f"{name}.parquet")
    return str(folder)


@pytest.mark.parametrize("sneaked", [{"a": "x", "b": None, "c": None}, {"a": None, "b": None, "c": "x"}])
def test_a_column_that_only_some_files_of_a_batch_have_is_not_dropped(
    spark, lake: Lake, monkeypatch, sneaked: dict[str, object]
):
    folder = batch_folder(spark, lake, **sneaked)
    monkeypatch.chdir(lake.root)
    with pytest.raises(floe.ViolationError) as caught:
        enforce_file(folder, lake.table_id, WriteOptions(), lake.settings)
    assert [one.code for one in caught.value.result.result.failed] == ["E532"]


def test_a_batch_whose_files_hold_a_column_in_two_types_is_refused(spark, lake: Lake, monkeypatch):
    folder = batch_folder(spark, lake, a="x", b=5)
    monkeypatch.chdir(lake.root)
    with pytest.raises(floe.TableError) as caught:
        enforce_file(folder, lake.table_id, WriteOptions(), lake.settings)
    assert caught.value.suggestion == "Write its files again, so that each column has one type in all of them"


# --- G2: files that floe commits carry field ids


def test_columns_renamed_and_dropped_after_a_write_read_as_they_should(spark, lake: Lake):
    if lake.format == "delta":
        pytest.skip("field ids are Iceberg's")
    result = floe.enforce(frame(spark, order(1), order(2)), lake.table_id, settings=lake.settings)
    second = floe.enforce(frame(spark, order(3)), lake.table_id, settings=lake.settings)
    name = lake.target.sql
    spark.sql(f"ALTER TABLE {name} DROP COLUMN customer_id")
    spark.sql(f"ALTER TABLE {name} ADD COLUMN customer_id string")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN status TO old_status")
    spark.sql(f"ALTER TABLE {name} ADD COLUMN status string")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN ship_to.city TO town")
    found = spark.sql(f"SELECT order_id, customer_id, old_status, status, ship_to.town FROM {name}").collect()
    assert sorted(map(tuple, found)) == [(n, None, "placed", None, "Berlin") for n in (1, 2, 3)]
    assert [one.way for one in (result, second)] == ["the staged files were committed as they are"] * 2


def test_lists_and_maps_survive_a_rename_too(spark, lake: Lake):
    if lake.format == "delta":
        pytest.skip("field ids are Iceberg's")
    text = KEYLESS.replace("keyless", "listed").replace(
        "{name: v, physicalType: int}", "{name: v, physicalType: 'array<struct<a:int,b:string>>'}"
    )
    table = f"ice.{lake.table_id.split('.')[1]}.listed"
    rows = spark.sql("SELECT 1L AS id, array(named_struct('a', 5, 'b', 'x')) AS v")
    floe.enforce(rows, text, table=table, layer="silver", settings=lake.settings)
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN v TO w")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN v string")
    assert [(row.id, row.w[0].a, row.v) for row in spark.sql(f"SELECT * FROM {table}").collect()] == [(1, 5, None)]


# --- fault 24: Spark casts nothing on the way into a table


@pytest.mark.parametrize(("ansi", "store"), [("true", "ANSI"), ("false", "LEGACY")])
@pytest.mark.parametrize("wrong", ["decimal(16,4)", "string", "double"])
def test_another_type_is_refused_before_spark_casts_it(spark, lake: Lake, ansi: str, store: str, wrong: str):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    rows = frame(spark, order(2, amount=Decimal("9.9999")), columns=COLUMNS.replace("decimal(14,2)", "decimal(16,4)"))
    rows = rows.withColumn("amount", rows.amount.cast(wrong))
    before = {key: spark.conf.get(key) for key in ("spark.sql.ansi.enabled", "spark.sql.storeAssignmentPolicy")}
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    spark.conf.set("spark.sql.storeAssignmentPolicy", store)
    try:
        for mode in ("append", "merge"):
            with pytest.raises(floe.ViolationError) as caught:
                floe.enforce(rows, lake.table_id, mode, settings=lake.settings)
            assert "E530" in [one.code for one in caught.value.result.result.failed]
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)
    assert numbers(spark, lake) == [1]
