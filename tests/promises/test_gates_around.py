"""What stands around the gates: streams, quarantine replayed, tables that protect themselves, the next MAJOR."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

import floe
from floe.settings import Settings
from tests.conftest import Lake
from tests.helpers.gates import quarantining, read, rows_of
from tests.helpers.orders import COLUMNS, frame, order

pytestmark = pytest.mark.spark


def run_stream(spark, lake: Lake, source: Path, checkpoint: Path) -> None:
    rows = spark.readStream.schema(COLUMNS).parquet(str(source))
    query = (
        rows.writeStream.foreachBatch(floe.stream(lake.table_id, settings=lake.settings))
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination(120)


def test_a_stream_writes_each_batch_once_over_restarts(spark, lake: Lake, tmp_path: Path):
    source, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    frame(spark, order(1), order(2)).write.mode("append").parquet(str(source))
    run_stream(spark, lake, source, checkpoint)
    # the driver died after the gate's commit and before Spark noted the batch: it comes again under the same number
    for note in (checkpoint / "commits").iterdir():
        note.unlink()
    run_stream(spark, lake, source, checkpoint)
    frame(spark, order(3)).write.mode("append").parquet(str(source))
    run_stream(spark, lake, source, checkpoint)
    assert [row[0] for row in rows_of(spark, lake)] == [1, 2, 3]


def test_a_batch_that_is_a_stream_is_said_with_the_way_to_do_it(spark, lake: Lake, tmp_path: Path):
    frame(spark, order(1)).write.parquet(str(tmp_path / "in"))
    rows = spark.readStream.schema(COLUMNS).parquet(str(tmp_path / "in"))
    with pytest.raises(floe.TableError, match="is a stream") as caught:
        floe.enforce(rows, lake.table_id, settings=lake.settings)
    assert "floe.stream" in caught.value.suggestion


def test_quarantined_rows_are_listed_and_replayed_once_the_cause_is_gone(spark, lake: Lake):
    from floe.actions.enforce.context import WriteOptions
    from floe.actions.quarantine import list_quarantine, replay
    from floe.tables.locate import TableSelector

    quarantining(lake)
    settings = blocking(lake.settings)
    batch = frame(spark, order(1), order(2, status="paid"), order(3, status="paid"))
    result = floe.enforce(batch, lake.table_id, settings=settings)
    assert (result.written, result.quarantined) == (1, 2)
    (apart,) = list_quarantine([lake.table_id], TableSelector(), settings)
    assert (apart.rows, apart.codes, apart.run_id) == (2, {"FLOE-E552": 2}, result.run_id)

    lake.contract("[placed, shipped, returned]", "[placed, shipped, returned, paid]")
    lake.contract("      - name: ship_to", "      - {name: coupon, physicalType: string}\n      - name: ship_to")
    again = replay(lake.table_id, [], WriteOptions(), settings)
    assert (again.written, again.quarantined) == (2, 0)
    assert list_quarantine([lake.table_id], TableSelector(), settings) == []
    assert [row[0] for row in rows_of(spark, lake)] == [1, 2, 3]
    assert {row.coupon for row in read(spark, lake).collect()} == {None}  # promised after the rows came


def blocking(settings: Settings) -> Settings:
    return settings.with_values({"data_contracts.enforcement": "block"})


def test_a_protected_table_refuses_a_plain_insert_and_stays_fast(spark, lake: Lake):
    from floe.actions.protect import protect, unprotect
    from floe.tables.locate import TableSelector

    settings = blocking(lake.settings)
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=settings)
    result = protect(lake.table_id, TableSelector(), settings)
    held = [one.id.split(":")[-1] for one in result.protections if one.held]
    assert "null-value" in held
    frame(spark, order(5, customer_id=None)).createOrReplaceTempView("plain")
    with pytest.raises(Exception, match=r"(?i)constraint|null"):
        spark.sql(f"INSERT INTO {lake.target.sql} SELECT * FROM plain")
    if lake.format == "delta":
        assert "below-minimum" in held
        frame(spark, order(5, amount=Decimal("-1.00"))).createOrReplaceTempView("plain")
        with pytest.raises(Exception, match=r"(?i)constraint"):
            spark.sql(f"INSERT INTO {lake.target.sql} SELECT * FROM plain")
    again = floe.enforce(frame(spark, order(2)), lake.table_id, settings=settings)
    assert again.way == "the staged files were committed as they are"
    if lake.format == "delta":
        assert unprotect(lake.table_id, TableSelector(), settings).removed
        spark.sql(f"INSERT INTO {lake.target.sql} SELECT * FROM plain")
    assert len(rows_of(spark, lake)) == (3 if lake.format == "delta" else 2)


@pytest.mark.parametrize("lake", ["iceberg"], indirect=True)
def test_a_foreign_iceberg_table_gets_required_fields_and_loses_them_again(spark, lake: Lake):
    from floe.actions.protect import protect, unprotect
    from floe.tables.locate import TableSelector

    name = f"ice.foreign.t{lake.table_id.split('.')[1]}"
    spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.foreign")
    frame(spark, order(1)).writeTo(name).create()
    empty = frame(spark, order(2, customer_id=None))
    result = protect(lake.table_id, TableSelector(table=name), lake.settings)
    assert "orders_clean.customer_id:null-value" in {one.id for one in result.protections if one.held}
    with pytest.raises(Exception, match=r"(?i)null"):
        empty.writeTo(name).append()
    assert "customer_id" in unprotect(lake.table_id, TableSelector(table=name), lake.settings).removed
    empty.writeTo(name).append()
    assert [one.id for one in protect(lake.table_id, TableSelector(table=name), lake.settings).broken] == [
        "orders_clean.customer_id:null-value"
    ]


@pytest.mark.parametrize("lake", ["delta"], indirect=True)
def test_a_rule_that_rows_break_already_is_not_held_and_is_said(spark, lake: Lake):
    from floe.actions.protect import protect
    from floe.tables.locate import TableSelector

    floe.enforce(frame(spark, order(1, amount=Decimal("-1.00"))), lake.table_id, settings=lake.settings)
    result = protect(lake.table_id, TableSelector(), blocking(lake.settings))
    assert [one.id for one in result.broken] == ["orders_clean.amount:below-minimum"]


def test_the_next_major_gets_its_table_its_rows_and_a_view_of_the_old_shape(spark, lake: Lake, tmp_path: Path):
    from floe.actions.migrate import migrate
    from floe.tables.locate import TableSelector

    floe.enforce(frame(spark, order(1), order(2)), lake.table_id, settings=lake.settings)
    old = tmp_path / "old.yaml"
    old.write_text(lake.contract().read_text())
    lake.contract("version: 1.0.0", "version: 2.0.0")
    lake.contract(
        "      - name: customer_id\n",
        "      - name: buyer\n        customProperties:\n          - property: renamedFrom\n            value: customer_id\n",
    )
    text = lake.contract().read_text()
    new = "      - name: currency\n        logicalType: string\n        physicalType: string\n        required: true\n        description: ISO 4217.\n"
    at = text.index("      - name: ship_to")
    lake.contract().write_text(text[:at] + new + text[at:])

    shown = migrate(lake.table_id, str(old), lake.settings, way=TableSelector())
    assert (shown.missing, shown.result, shown.target) == (("currency",), None, f"{shown.source}_v2")
    with pytest.raises(floe.ContractError, match="currency"):
        migrate(lake.table_id, str(old), lake.settings, way=TableSelector(), run=True)
    done = migrate(lake.table_id, str(old), lake.settings, way=TableSelector(), fill={"currency": "'EUR'"}, run=True)
    assert done.result is not None
    assert done.result.written == 2
    rows = read(spark, lake).orderBy("order_id").collect()  # the registry names the new table now
    assert [(row.order_id, row.buyer, row.currency) for row in rows] == [(1, "C1", "EUR"), (2, "C1", "EUR")]
    again = migrate(lake.table_id, str(old), lake.settings, way=TableSelector(), fill={"currency": "'EUR'"}, run=True)
    assert again.result is not None
    assert again.result.repeated
    if lake.format == "iceberg":
        assert spark.table(str(done.view_name)).columns == COLUMNS_ONLY
    assert json.dumps(done.to_dict())


COLUMNS_ONLY = ["order_id", "customer_id", "order_ts", "status", "amount", "ship_to"]


def test_rows_that_break_row_rules_alone_stand_in_files_of_their_own_and_the_good_files_are_committed(
    spark, lake: Lake
):
    from floe.engine.gate.quarantine import quarantine_target
    from floe.tables.formats import readable

    quarantining(lake)
    settings = blocking(lake.settings)
    batch = frame(spark, order(1), order(None), order(3, status="paid"), order(4, amount=Decimal("-1.00")), order(5))
    result = floe.enforce(batch, lake.table_id, settings=settings)
    assert (result.written, result.quarantined, result.result.rows) == (2, 3, 5)
    assert result.way == "the staged files were committed as they are"
    assert [row[0] for row in rows_of(spark, lake)] == [1, 5]
    kept = readable(quarantine_target(lake.target)).read(spark, quarantine_target(lake.target)).collect()
    assert sorted((str(row.order_id), tuple(row._floe_codes)) for row in kept) == [
        ("3", ("FLOE-E552",)),
        ("4", ("FLOE-E554",)),
        ("None", ("FLOE-E550",)),
    ]
    found = {one.id: (one.outcome, one.violations) for one in result.result.expectations if one.violations}
    assert sorted(found.values()) == [("fail", 1)] * 3
    clean = floe.enforce(frame(spark, order(6)), lake.table_id, settings=settings)
    assert (clean.written, clean.quarantined, clean.result.outcome) == (1, 0, "pass")
