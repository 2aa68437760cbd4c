"""What goes wrong around a gate: other writers, changed tables, odd tables, sessions that would let things through."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

import floe
from floe.registry import open_store
from tests.conftest import Lake
from tests.helpers.gates import read, rows_of
from tests.helpers.orders import COLUMNS, frame, order

pytestmark = pytest.mark.spark


def test_of_two_racing_writers_of_one_key_one_is_refused(spark, lake: Lake):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)

    def write(number: int) -> str:
        try:
            floe.enforce(frame(spark, order(7), order(number)), lake.table_id, settings=lake.settings)
        except floe.ViolationError as error:
            return error.code
        return "written"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(write, [10, 20])) == ["E551", "written"]
    keys = [row[0] for row in rows_of(spark, lake)]
    assert keys in ([1, 7, 10], [1, 7, 20])


def while_waiting(lake: Lake, write: Callable[[], object], change: Callable[[], object]) -> object:
    """Let a batch be judged, change the table before it may publish, then let it go on."""
    store = open_store(lake.settings.registry.url, lake.root)
    judged = threading.Event()
    said: list[object] = []

    def run() -> None:
        try:
            said.append(write())
        except floe.FloeError as error:
            said.append(error)

    with store.lock(lake.table_id):
        thread = threading.Thread(target=run)
        thread.start()
        until = 600
        while until and not any(place.endswith("/_SUCCESS") for place in lake.staged):
            judged.wait(0.2)
            until -= 1
        judged.wait(3)
        change()
    thread.join(300)
    return said[0]


def test_a_key_that_comes_between_check_and_commit_is_found(spark, lake: Lake):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    frame(spark, order(2)).createOrReplaceTempView("other_writer")
    said = while_waiting(
        lake,
        lambda: floe.enforce(frame(spark, order(2), order(3)), lake.table_id, settings=lake.settings),
        lambda: spark.sql(f"INSERT INTO {lake.target.sql} SELECT * FROM other_writer"),
    )
    assert isinstance(said, floe.ViolationError)
    assert [one.code for one in said.result.result.failed] == ["E551"]
    assert [row[0] for row in rows_of(spark, lake)] == [1, 2]


def test_a_schema_changed_between_check_and_commit_is_found(spark, lake: Lake):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    said = while_waiting(
        lake,
        lambda: floe.enforce(frame(spark, order(2)), lake.table_id, settings=lake.settings),
        lambda: spark.sql(f"ALTER TABLE {lake.target.sql} ADD COLUMNS (sneaked string)"),
    )
    assert isinstance(said, floe.ViolationError)
    assert [one.code for one in said.result.result.failed] == ["E532"]
    assert read(spark, lake).count() == 1


def test_a_session_that_merges_schemas_does_not_let_a_column_in(spark, lake: Lake):
    key = "spark.databricks.delta.schema.autoMerge.enabled"
    spark.conf.set(key, "true")
    try:
        floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
        batch = frame(spark, order(2, sneaked="x"), columns=COLUMNS + ", sneaked string")
        for mode in ("append", "merge"):
            with pytest.raises(floe.ViolationError) as caught:
                floe.enforce(batch, lake.table_id, mode=mode, settings=lake.settings)
            assert caught.value.code == "E532"
        floe.enforce(frame(spark, order(1, status="shipped")), lake.table_id, mode="merge", settings=lake.settings)
        assert spark.conf.get(key) == "true"
    finally:
        spark.conf.unset(key)
    assert rows_of(spark, lake) == [(1, "shipped", "9.90")]


ODD = {
    "column mapping": "SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')",
    "a constraint": "ADD CONSTRAINT cheap CHECK (amount < 100)",
    "row tracking": "SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
    "change feed": "SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("lake", ["delta"], indirect=True)
def test_a_table_with_features_of_its_own_gets_the_same_rows(spark, lake: Lake, odd: str):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    spark.sql(f"ALTER TABLE {lake.target.sql} {ODD[odd]}")
    result = floe.enforce(frame(spark, order(2), order(3)), lake.table_id, settings=lake.settings)
    assert result.way is not None
    assert result.way.startswith("Spark wrote") == (odd != "change feed")
    assert rows_of(spark, lake) == [(1, "placed", "9.90"), (2, "placed", "9.90"), (3, "placed", "9.90")]
    if odd == "a constraint":
        before = lake.state()[:2]
        with pytest.raises(floe.TableError, match=r"(?i)cheap"):
            floe.enforce(frame(spark, order(4, amount=Decimal("500.00"))), lake.table_id, settings=lake.settings)
        assert lake.state()[:2] == before
    if odd == "change feed":
        feed = spark.sql(f"SELECT * FROM table_changes_by_path('{lake.target.path}', {result.snapshot_after})")
        assert sorted(row.order_id for row in feed.collect()) == [2, 3]
