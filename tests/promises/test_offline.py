"""Fault 21: a gate whose registry is down writes by the copies it has, to a table it is sure of, or not at all."""

from pathlib import Path

import pytest

import floe
from floe.registry import open_store
from floe.settings import Settings
from tests.conftest import Lake, spark_settings
from tests.helpers.orders import frame, order
from tests.helpers.registered import put

pytestmark = pytest.mark.spark


def down(lake: Lake, spark_root: Path) -> Settings:
    given = {"tables.format": lake.format, "registry.url": "postgresql://nobody@127.0.0.1:1/none"}
    return spark_settings(spark_root, lake.root, **given)


def test_a_registry_that_is_down(spark, spark_root: Path, lake: Lake):
    store = open_store(lake.settings.registry.url, lake.root)
    put(store, lake.contract().read_text(), str(lake.contract()))
    lake.contract().unlink()  # from now on only the registry knows it
    offline = down(lake, spark_root)
    with pytest.raises(floe.RegistryError, match="cannot be used"):
        floe.enforce(frame(spark, order(1)), lake.table_id, settings=offline)

    first = floe.enforce(frame(spark, order(1)), lake.table_id, batch_id="a", settings=lake.settings)
    assert first.written == 1
    result = floe.enforce(frame(spark, order(2)), lake.table_id, batch_id="b", settings=offline)
    assert (result.written, result.refused) == (1, False)
    assert sum("FLOE-E542 warning" in note for note in result.notes) == 2  # written without it; recorded later
    again = floe.enforce(frame(spark, order(2)), lake.table_id, batch_id="b", settings=offline)
    assert (again.repeated, again.written) == (True, 1)
    with pytest.raises(floe.ViolationError) as caught:  # nothing is let in that would be refused otherwise
        floe.enforce(frame(spark, order(2)), lake.table_id, settings=offline)
    assert caught.value.code == "E551"
    assert sorted(row.order_id for row in floe.read(lake.table_id, settings=lake.settings).collect()) == [1, 2]

    floe.enforce(frame(spark, order(3)), lake.table_id, settings=lake.settings)
    kept = {run["batch_id"] for run in store.runs(10, lake.table_id) if not run["refused"]}
    assert kept == {"a", "b", None}
    assert list((lake.root / ".floe/unrecorded").iterdir()) == []


@pytest.mark.parametrize("lake", ["delta"], indirect=True)
def test_no_table_is_made_and_none_taken_that_may_be_another(spark, spark_root: Path, lake: Lake):
    offline = down(lake, spark_root)
    with pytest.raises(floe.RegistryError) as caught:
        floe.enforce(frame(spark, order(1)), lake.table_id, settings=offline)
    assert caught.value.code == "E542"
    assert not Path(str(lake.target.path)).exists()
    frame(spark, order(1)).write.format("delta").save(str(lake.target.path))  # by someone else
    with pytest.raises(floe.RegistryError):
        floe.enforce(frame(spark, order(2)), lake.table_id, settings=offline)
    bronze = f"bronze.{lake.table_id.split('.')[1]}.orders"
    captured = floe.enforce(frame(spark, order(1)), bronze, settings=offline)
    assert (captured.written, captured.notes[0].split(":")[0]) == (1, "FLOE-E542 warning")
