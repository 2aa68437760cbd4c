"""An unusual batch at a gate (E559), and times without a zone in the hour that clocks show twice."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
import sqlalchemy as sa
from deltalake import write_deltalake

import floe
from floe.actions.monitor import monitor_check
from floe.registry import open_store
from floe.registry.schema import day_facts
from floe.registry.store import put_fact
from tests.conftest import make_lake, spark_settings
from tests.helpers.monitored import Clock, promise
from tests.helpers.orders import frame, order

pytestmark = pytest.mark.spark


def test_a_batch_of_half_the_usual_rows_is_written_and_told_as_a_warning(spark, spark_root, tmp_path):
    settings = spark_settings(spark_root, tmp_path, **{"tables.format": "delta"})
    lake = make_lake(tmp_path, settings, f"d{uuid.uuid4().hex[:12]}")
    first = floe.enforce(frame(spark, order(1), order(2)), lake.table_id, settings=settings)
    assert "E559" not in {one.code for one in first.result.expectations}
    store = open_store(settings.registry.url, tmp_path)
    with store.begin(writes=True) as connection:
        (today,) = connection.execute(sa.select(day_facts)).mappings().all()
        assert (today["source"], today["rows"], today["times"], today["nulls"]["customer_id"]) == ("batch", 2, 1, 0)
        for number in range(1, 22):
            day = (settings.clock() - timedelta(days=number)).isoformat()[:10]
            put_fact(connection, {**today, "day": day, "rows": 8, "nulls": dict.fromkeys(today["nulls"], 0)})
    rows = [order(number, customer_id=None if number % 2 else "C1") for number in range(10, 14)]
    lake.contract("required: true\n        description: Who ordered.", "description: Who ordered.")
    result = floe.enforce(frame(spark, *rows), lake.table_id, settings=settings)
    found = {one.name: one for one in result.result.failed if one.code == "E559"}
    assert (result.written, result.verdict) == (4, "write, alert")
    assert found["volume-anomaly"].message.startswith("The batch has 4 rows, usual on a ")
    assert "customer_id' is null in 50.0% of rows" in found["null-rate-anomaly"].message
    with store.begin() as connection:
        rows_of_day = connection.execute(sa.select(day_facts.c.rows).where(day_facts.c.day == today["day"])).scalar()
    assert rows_of_day == 6


@pytest.mark.parametrize(
    ("zone", "local", "first"),
    [
        # shown twice: the first time is meant, at +02:00, -04:00 and +11:00
        ("Europe/Berlin", datetime(2026, 10, 25, 2, 30), datetime(2026, 10, 25, 0, 30)),
        ("America/New_York", datetime(2026, 11, 1, 1, 30), datetime(2026, 11, 1, 5, 30)),
        ("Australia/Lord_Howe", datetime(2026, 4, 5, 1, 45), datetime(2026, 4, 4, 14, 45)),
    ],
)
def test_a_time_that_clocks_show_twice_is_meant_the_first_time(spark, spark_root, tmp_path, zone, local, first):
    clock = Clock()
    clock.now = first.replace(tzinfo=UTC) + timedelta(hours=3)
    path = promise(tmp_path, "orders", "  - {property: freshness, value: 2, unit: h, element: orders.at}")
    meant = f"physicalType: timestamp_ntz, logicalType: timestamp, logicalTypeOptions: {{defaultTimezone: {zone}}}"
    path.write_text(path.read_text().replace("physicalType: timestamp}", f"{meant}}}"))
    rows = pa.table({"id": pa.array([1], pa.int64()), "at": pa.array([local], pa.timestamp("us"))})
    write_deltalake(str(tmp_path / ".floe" / "warehouse" / "silver_shop" / "orders"), rows)
    settings = replace(spark_settings(spark_root, tmp_path), clock=clock)
    (watch,) = monitor_check([], settings, kinds=("freshness",)).watches
    check = next(one for one in watch.checks if one.kind == "freshness")
    assert (check.value, check.outcome.code, check.outcome.how) == (3.0, "E560", "scan")
