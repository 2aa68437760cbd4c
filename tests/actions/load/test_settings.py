"""Every setting that acts: flipped, and the change seen."""

import json
from pathlib import Path

import pytest

import floe
from floe.actions.doctor import settings_in_force
from tests.conftest import Lake, run_floe, spark_settings
from tests.helpers.orders import frame, order

pytestmark = pytest.mark.spark


def flipped(lake: Lake, spark_root: Path, **given: object) -> Lake:
    return Lake(
        lake.root,
        spark_settings(spark_root, lake.root, **{"tables.format": lake.format, **given}),
        lake.table_id,
        lake.format,
    )


def test_registry_url_and_warehouse_and_names(spark, spark_root: Path, lake: Lake):
    names = {"gold.*": "unused", "silver.*": f"{lake.root}/named/{{layer}}-{{table}}"}
    if lake.format == "iceberg":
        names = {"silver.*": "ice.{domain}.t_{table}"}
    other = flipped(
        lake,
        spark_root,
        **{
            "registry.url": "sqlite:///elsewhere.db",
            "tables.warehouse": "w",
            "tables.staging": "st",
            "tables.names": names,
        },
    )
    result = floe.enforce(frame(spark, order(1)), lake.table_id, settings=other.settings)
    assert (lake.root / "elsewhere.db").is_file()
    assert not (lake.root / ".floe" / "registry.db").exists()
    assert (lake.root / "w").is_dir()
    assert (lake.root / "st").is_dir()
    domain = lake.table_id.split(".")[1]
    wanted = f"ice.{domain}.t_orders_clean" if lake.format == "iceberg" else f"{lake.root}/named/silver-orders_clean"
    assert str(other.target) == wanted
    assert result.written == 1


def test_classifications_say_what_is_masked(spark, spark_root: Path, lake: Lake):
    lake.contract("        primaryKey: true\n", "        primaryKey: true\n        classification: partners\n")
    labels = ["public", "partners", "internal", "secret"]
    for given, shown in (({}, False), ({"classifications": labels}, True)):
        with pytest.raises(floe.ViolationError) as caught:
            floe.enforce(
                frame(spark, order(7), order(7)), lake.table_id, settings=flipped(lake, spark_root, **given).settings
            )
        (sample,) = caught.value.result.result.failed[0].samples
        assert (sample == {"order_id": 7}) is shown


def test_spark_master_and_conf(spark, spark_root: Path):
    assert spark.sparkContext.master == "local[2]"
    assert spark.conf.get("spark.sql.shuffle.partitions") == "4"
    assert "ice" in spark_settings(spark_root, spark_root).catalogs
    assert spark.sql("SHOW NAMESPACES IN ice") is not None


def test_doctor_says_where_each_setting_comes_from(tmp_path: Path):
    said = json.loads(run_floe("doctor", "--format", "json", cwd=tmp_path, FLOE_TABLES_FORMAT="iceberg").stdout)
    by_key = {one["key"]: one for one in said["settings"]}
    assert by_key["tables.format"] == {
        "key": "tables.format",
        "value": "iceberg",
        "origin": "environment FLOE_TABLES_FORMAT",
    }
    alerts = next(check for check in said["checks"] if check["name"] == "alerts")
    assert alerts["said"] == f"no alerts; notifications are written to {tmp_path}/.floe/notifications.jsonl"
    assert [check["name"] for check in said["checks"]] == [
        "python",
        "pyspark",
        "java",
        "jars",
        "floe.jar",
        "python worker",
        "registry",
        "warehouse",
        "lineage",
        "alerts",
    ]


def test_secrets_in_settings_are_not_shown(spark_root: Path):
    catalogs = {"r": {"type": "rest", "uri": "https://u:pw1@h/x", "token": "tok1", "s3.secret-access-key": "key1"}}
    alerts = [{"to": "slack://T0/B0/xyz1"}]
    shown = json.dumps(settings_in_force(spark_settings(spark_root, spark_root, catalogs=catalogs, alerts=alerts)))
    assert [word for word in ("pw1", "tok1", "key1", "xyz1") if word in shown] == []
