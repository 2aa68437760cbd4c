"""Drivers killed at every place of a gate, on both formats and in every mode: a few elsewhere, a hundred each here."""

import random
import signal
import uuid
from pathlib import Path

import pytest

import floe
from tests.conftest import Lake
from tests.engine.spark.conftest import connect_server
from tests.helpers.gates import partitioned, rows_of
from tests.helpers.killing import FAILPOINTS, after, batch, die
from tests.helpers.orders import frame, order

pytestmark = [pytest.mark.spark, pytest.mark.soak]
KILLS, OWN = 100, 20  # every twentieth has a Spark of its own that dies with it; the others are a Connect server's


@pytest.fixture(scope="module")
def server(spark_root: Path):
    with connect_server(spark_root) as address:
        yield f"{address}/;session_id={uuid.uuid4()}"  # one for all: a session of its own takes as long as the write


@pytest.mark.parametrize("mode", ["append", "merge", "overwrite_partition"])
def test_a_hundred_kills_never_leave_a_half_state(spark, lake: Lake, server: str, mode: str):
    if mode == "overwrite_partition":
        partitioned(lake)
    values = {
        name: lake.settings.values()[name] for name in ("catalogs", "spark.conf", "tables.format", "tables.warehouse")
    }
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    chance, wanted, kills, number = random.Random(7), rows_of(spark, lake), 0, 0
    while kills < KILLS:
        number += 2
        assert number < 4 * KILLS, f"only {kills} of {number // 2} died"
        place = chance.choice(FAILPOINTS)
        master = "local[2]" if kills % OWN == 0 else server
        code = die({**values, "spark.master": master}, str(lake.root), lake.table_id, mode, number, place)
        assert code in (0, -signal.SIGKILL), (place, code)
        kills += code != 0
        before, wanted = wanted, after(wanted, mode, number)
        assert rows_of(spark, lake) in ([wanted] if code == 0 else [before, wanted]), place
        rows = batch(spark, mode, number)
        again = floe.enforce(rows, lake.table_id, mode=mode, batch_id=f"b{number}", settings=lake.settings)
        assert (again.written, rows_of(spark, lake)) == (2, wanted), place
        assert not list((lake.root / ".floe" / "pending").iterdir())
        assert not lake.staged
