"""Nothing is written on refusal, and what is accepted is written once: on whatever runs Spark."""

import uuid
from decimal import Decimal
from pathlib import Path

import pytest

import floe
from tests.conftest import Lake, make_lake, spark_settings
from tests.helpers.gates import partitioned, rows_of
from tests.helpers.orders import COLUMNS, frame, order

pytestmark = pytest.mark.spark


@pytest.fixture(params=["delta", "iceberg"])
def there(request: pytest.FixtureRequest, session, spark_root: Path, tmp_path: Path) -> Lake:
    settings = spark_settings(spark_root, tmp_path, **{"tables.format": request.param})
    return make_lake(tmp_path, settings, f"d{uuid.uuid4().hex[:12]}")


@pytest.mark.parametrize("mode", ["append", "merge", "overwrite_partition"])
def test_a_refused_batch_leaves_everything_as_it_was_and_a_good_one_is_written_once(session, there: Lake, mode: str):
    if mode == "overwrite_partition":
        partitioned(there)
    floe.enforce(frame(session, order(1), order(2)), there.table_id, settings=there.settings)
    before, seen = there.state(), rows_of(session, there)
    for rows in ([order(5), order(5)], [order(None)]):
        with pytest.raises(floe.ViolationError):
            floe.enforce(frame(session, *rows), there.table_id, mode=mode, settings=there.settings)
        assert (there.state(), rows_of(session, there)) == (before, seen)
    batch = frame(session, order(3, status="shipped", amount=Decimal("1.00")))
    for _ in range(2):
        result = floe.enforce(batch, there.table_id, mode=mode, batch_id="b", settings=there.settings)
        assert result.written == 1
    assert rows_of(session, there) == [*seen, (3, "shipped", "1.00")]


def test_a_stream_writes_each_batch_once_over_a_restart(session, there: Lake, tmp_path: Path):
    source, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    for first in (1, 3):  # batches 0 and 1
        frame(session, order(first), order(first + 1)).write.mode("append").parquet(str(source))
        for _ in range(2):  # the second time Spark has lost its note of the commit, and the same batch comes again
            query = (
                session.readStream.schema(COLUMNS)
                .parquet(str(source))
                .writeStream.foreachBatch(floe.stream(there.table_id, name="orders", settings=there.settings))
                .option("checkpointLocation", str(checkpoint))
                .trigger(availableNow=True)
                .start()
            )
            query.awaitTermination(200)
            assert query.exception() is None
            for note in (checkpoint / "commits").glob(f"*{first // 2}*"):
                note.unlink()
    assert [row[0] for row in rows_of(session, there)] == [1, 2, 3, 4]
