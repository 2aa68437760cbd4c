"""The write gates in every mode, on a real Delta and a real Iceberg table."""

import json
import os
import signal
import subprocess
import sys
from decimal import Decimal

import pytest

import floe
from floe.cli import main
from tests.conftest import ROOT, Lake
from tests.helpers.gates import partitioned, quarantining, read, rows_of
from tests.helpers.orders import COLUMNS, frame, order

pytestmark = pytest.mark.spark


def test_a_merge_updates_by_key_and_adds_the_rest(spark, lake: Lake):
    floe.enforce(frame(spark, order(1), order(2)), lake.table_id, settings=lake.settings)
    batch = frame(spark, order(2, status="shipped", amount=Decimal("1.00")), order(3))
    result = floe.enforce(batch, lake.table_id, mode="merge", settings=lake.settings)

    assert (result.written, result.mode, result.refused) == (2, "merge", False)
    assert rows_of(spark, lake) == [(1, "placed", "9.90"), (2, "shipped", "1.00"), (3, "placed", "9.90")]
    conf = spark.conf.getAll
    assert not [key for key in conf if "txnAppId" in key or "floe" in key or "userMetadata" in key]


@pytest.mark.parametrize(
    ("rows", "code"),
    [([order(2), order(2)], "E551"), ([order(None)], "E550"), ([order(2, amount=Decimal("-1.00"))], "E554")],
)
def test_a_merge_that_breaks_the_contract_changes_nothing(spark, lake: Lake, rows, code):
    lake.contract("required: true\n        description: Who ordered.", "required: true\n        description: Who.")
    settings = lake.settings
    floe.enforce(frame(spark, order(1), order(2)), lake.table_id, settings=settings)
    before = lake.state()
    blocking = settings.with_values({"data_contracts.enforcement": "block"})
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, *rows), lake.table_id, mode="merge", settings=blocking)
    assert code in [one.code for one in caught.value.result.result.failed]
    assert lake.state() == before


def test_a_repeated_batch_answers_the_first_result_and_writes_nothing(spark, lake: Lake):
    batch = frame(spark, order(1), order(2))
    first = floe.enforce(batch, lake.table_id, batch_id="2026-11-15", settings=lake.settings)
    state = lake.state()
    again = floe.enforce(batch, lake.table_id, batch_id="2026-11-15", settings=lake.settings)
    assert again.repeated
    assert (again.run_id, again.written, again.snapshot_after) == (first.run_id, 2, first.snapshot_after)
    assert lake.state() == state


def test_a_refused_batch_is_judged_again(spark, lake: Lake):
    with pytest.raises(floe.ViolationError):
        floe.enforce(frame(spark, order(None)), lake.table_id, batch_id="b", settings=lake.settings)
    result = floe.enforce(frame(spark, order(1)), lake.table_id, batch_id="b", settings=lake.settings)
    assert (result.written, result.repeated) == (1, False)


KILLED = """
import sys, json
import floe
from pathlib import Path
from floe.actions.load.settings import load_settings
from floe.engine.spark.session import own_session
from tests.helpers.orders import frame, order
given = json.loads(sys.argv[1])
settings = load_settings(given["settings"], start=Path(given["root"]))
spark = own_session(settings)
batch = frame(spark, order(2, status="shipped"), order(3))
result = floe.enforce(batch, given["table"], mode=given["mode"], batch_id="b2", settings=settings)
print(json.dumps({"written": result.written, "repeated": result.repeated}))
"""


def run_killed(lake: Lake, mode: str, failpoint: str) -> subprocess.CompletedProcess[str]:
    values = {
        name: lake.settings.values()[name] for name in ("catalogs", "spark.master", "spark.conf", "tables.format")
    }
    where = {"root": str(lake.root), "table": lake.table_id, "mode": mode}
    given = json.dumps({"settings": values, **where})
    environment = {**os.environ, "FLOE_FAILPOINT": failpoint, "PYTHONPATH": f"{ROOT}/src:{ROOT}"}
    return subprocess.run(
        [sys.executable, "-c", KILLED, given], env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("failpoint", ["judged", "after-commit"])
def test_a_merge_killed_and_retried_by_its_batch_converges(spark, lake: Lake, failpoint):
    floe.enforce(frame(spark, order(1), order(2)), lake.table_id, settings=lake.settings)
    killed = run_killed(lake, "merge", failpoint)
    assert killed.returncode == -signal.SIGKILL, killed.stderr[-2000:]
    done = failpoint == "after-commit"
    wanted = [(1, "placed", "9.90"), (2, "shipped", "9.90"), (3, "placed", "9.90")]
    assert rows_of(spark, lake) == (wanted if done else [(1, "placed", "9.90"), (2, "placed", "9.90")])

    batch = frame(spark, order(2, status="shipped"), order(3))
    again = floe.enforce(batch, lake.table_id, mode="merge", batch_id="b2", settings=lake.settings)
    assert (again.written, again.repeated) == (2, done)
    assert rows_of(spark, lake) == wanted
    assert not list((lake.root / ".floe" / "pending").iterdir())
    assert not lake.staged
    if done:
        assert again.result.expectations  # the first answer, with what was judged then


def test_overwriting_a_partition_leaves_the_others_alone(spark, lake: Lake):
    partitioned(lake)
    floe.enforce(
        frame(spark, order(1), order(2, status="shipped"), order(3, status="shipped")),
        lake.table_id,
        settings=lake.settings,
    )
    batch = frame(spark, order(3, status="shipped", amount=Decimal("5.00")), order(4, status="shipped"))
    result = floe.enforce(batch, lake.table_id, mode="overwrite_partition", settings=lake.settings)
    assert result.written == 2
    assert rows_of(spark, lake) == [(1, "placed", "9.90"), (3, "shipped", "5.00"), (4, "shipped", "9.90")]

    before = lake.state()
    with pytest.raises(floe.ViolationError) as caught:  # key 1 stands in a partition that stays
        floe.enforce(
            frame(spark, order(1, status="shipped")), lake.table_id, mode="overwrite_partition", settings=lake.settings
        )
    assert [one.code for one in caught.value.result.result.failed] == ["E551"]
    assert lake.state() == before


def test_bad_rows_go_to_quarantine_with_their_codes_and_the_rest_is_written(spark, lake: Lake):
    from floe.engine.gate.quarantine import quarantine_target
    from floe.tables.formats import readable

    quarantining(lake)
    batch = frame(spark, order(1), order(2), order(2), order(None), order(3))
    result = floe.enforce(batch, lake.table_id, batch_id="q", settings=lake.settings)
    assert (result.written, result.quarantined, result.refused) == (2, 3, False)
    assert [row[0] for row in rows_of(spark, lake)] == [1, 3]
    kept = readable(quarantine_target(lake.target)).read(spark, quarantine_target(lake.target)).collect()
    assert sorted((str(row.order_id), tuple(row._floe_codes)) for row in kept) == [
        ("2", ("FLOE-E551",)),
        ("2", ("FLOE-E551",)),
        ("None", ("FLOE-E550",)),
    ]
    assert {row._floe_run_id for row in kept} == {result.run_id}


def test_shadow_writes_and_says_what_it_would_have_refused(spark, lake: Lake):
    result = floe.enforce(frame(spark, order(1), order(1)), lake.table_id, shadow=True, settings=lake.settings)
    assert (result.written, result.refused, result.shadow, result.would_refuse) == (2, False, True, True)
    assert len(rows_of(spark, lake)) == 2


def test_an_added_column_needs_the_contract_first_and_then_comes_by_itself(spark, lake: Lake):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    wider = COLUMNS + ", coupon string"
    with pytest.raises(floe.ViolationError):
        floe.enforce(frame(spark, order(2, coupon="X"), columns=wider), lake.table_id, settings=lake.settings)
    text = lake.contract().read_text()
    at = text.index("      - name: ship_to")
    new = "      - name: coupon\n        logicalType: string\n        physicalType: string\n        description: A code.\n"
    lake.contract().write_text(text[:at] + new + text[at:])
    result = floe.enforce(frame(spark, order(2, coupon="X"), columns=wider), lake.table_id, settings=lake.settings)
    assert (result.schema_version, result.written) == (2, 1)
    assert read(spark, lake).columns == ["order_id", "customer_id", "order_ts", "status", "amount", "coupon", "ship_to"]
    assert sorted(str(row.coupon) for row in read(spark, lake).collect()) == ["None", "X"]


def test_a_frame_the_batch_was_made_of_is_held_to_its_contract(spark, lake: Lake):
    source = frame(spark, order(1)).drop("status")
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(1)), lake.table_id, inputs={lake.table_id: source}, settings=lake.settings)
    (broken,) = caught.value.result.result.failed
    assert (broken.code, broken.message.split(";")[0]) == (
        "E531",
        f"Column 'status' (string) is missing from the input {lake.table_id}",
    )


def test_a_file_the_batch_was_made_of_is_held_to_its_contract(spark, lake: Lake, monkeypatch, capsys):
    monkeypatch.chdir(lake.settings.root)
    batch, source = (str(lake.settings.root / name) for name in ("batch", "source"))
    frame(spark, order(1)).write.parquet(batch)
    frame(spark, order(1)).drop("status").write.parquet(source)
    words = ["enforce", batch, lake.table_id, "--input"]
    assert main([*words, f"{lake.table_id}={source}"]) == 1
    assert f"Column 'status' (string) is missing from the input {lake.table_id}" in capsys.readouterr().out
    assert main([*words, f"{lake.table_id}={batch}"]) == 0
    assert "inputs not checked" not in capsys.readouterr().out


def test_a_frame_of_bronze_without_a_contract_is_held_to_what_was_captured(spark, lake: Lake):
    bronze = lake.table_id.replace("silver", "bronze")
    floe.enforce(frame(spark, order(1)), bronze, settings=lake.settings)
    batch, source = frame(spark, order(1)), frame(spark, order(1))
    drifted = source.withColumn("amount", source.amount.cast("string"))
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(batch, lake.table_id, inputs={bronze: drifted}, settings=lake.settings)
    assert [one.code for one in caught.value.result.result.failed] == ["E530"]
    assert floe.enforce(batch, lake.table_id, inputs={bronze: source}, settings=lake.settings).written == 1


def test_bronze_captures_whatever_comes(spark, lake: Lake):
    table = lake.table_id.replace("silver", "bronze")
    first = floe.enforce(spark.sql("SELECT 1 AS a, 'x' AS b"), table, settings=lake.settings)
    second = floe.enforce(spark.sql("SELECT 'one' AS a, 2.5D AS c"), table, settings=lake.settings)
    assert (first.written, second.written, first.refused) == (1, 1, False)
    target = floe_target(lake, table)
    from floe.tables.formats import readable

    rows = readable(target).read(spark, target).orderBy("_ingest_ts").collect()
    assert [(row.a, row.b, row["a__string"], row.c) for row in rows] == [(1, "x", None, None), (None, None, "one", 2.5)]
    assert rows[0]._schema_hash != rows[1]._schema_hash
    assert len(rows[0]._row_hash) == 64
    assert rows[0]._source_file is None


def floe_target(lake: Lake, table: str):
    from floe.actions.load.find import find_for_write
    from floe.registry import open_store
    from floe.tables.locate import TableSelector, find_target

    known = open_store(lake.settings.registry.url, lake.root).table(table)
    return find_target(lake.settings, *find_for_write(table, lake.settings), TableSelector(), known)


def test_staged_files_are_committed_as_they_are_and_read_like_sparks_own(spark, lake: Lake):
    first = floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    batch = frame(spark, order(2, ship_to=None), order(3, customer_id="é" * 40, amount=Decimal("0.01")))
    second = floe.enforce(batch, lake.table_id, batch_id="two", settings=lake.settings)
    assert (first.way, second.way) == ("the staged files were committed as they are",) * 2
    assert {one.how for one in second.result.expectations if one.name == "null-value"} == {"metadata", "scan"}
    rows = read(spark, lake).orderBy("order_id").collect()
    assert [(row.order_id, row.customer_id, row.ship_to) for row in rows] == [
        (1, "C1", ("DE", "Berlin")),
        (2, "C1", None),
        (3, "é" * 40, ("DE", "Berlin")),
    ]
    assert read(spark, lake).where("order_id = 3 AND amount < 1").count() == 1  # skipping by statistics finds it
    assert read(spark, lake).where("customer_id > 'é'").count() == 1
    old = read(spark, lake).count()
    if lake.format == "delta":
        back = spark.read.format("delta").option("versionAsOf", second.snapshot_before).load(lake.target.path)
        history = spark.sql(f"DESCRIBE HISTORY {lake.target.sql}").orderBy("version", ascending=False).head()
        assert json.loads(history.userMetadata)["floe.batch_id"] == "two"
        spark.sql(f"DELETE FROM {lake.target.sql} WHERE order_id = 2")
    else:
        back = spark.sql(f"SELECT * FROM {lake.target.sql} VERSION AS OF {second.snapshot_before}")
        spark.sql(f"DELETE FROM {lake.target.sql} WHERE order_id = 2")
    assert (back.count(), old, read(spark, lake).count()) == (1, 3, 2)


def test_a_declared_schema_version_must_rise_by_one_with_the_schema(spark, lake: Lake):
    declared = "    customProperties:\n      - property: schemaVersion\n        value: 1\n"
    lake.contract("    customProperties:\n", declared)
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    text = lake.contract().read_text()
    at = text.index("      - name: ship_to")
    new = "      - name: coupon\n        logicalType: string\n        physicalType: string\n        description: A code.\n"
    wider = frame(spark, order(2, coupon="X"), columns=COLUMNS + ", coupon string")
    for version, code in ((1, "E523"), (3, "E523"), (2, None)):
        lake.contract().write_text((text[:at] + new + text[at:]).replace("value: 1\n", f"value: {version}\n"))
        before = lake.state()
        if code:
            with pytest.raises(floe.ViolationError) as caught:
                floe.enforce(wider, lake.table_id, settings=lake.settings)
            assert ([one.code for one in caught.value.result.result.failed], lake.state()) == ([code], before)
        else:
            assert floe.enforce(wider, lake.table_id, settings=lake.settings).schema_version == 2
