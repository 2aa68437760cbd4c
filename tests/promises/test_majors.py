"""Two majors side by side on Delta and Iceberg: the gate keeps them apart, `floe.read` gives each consumer its own."""

import pytest

import floe
from floe.actions.migrate import migrate
from floe.registry import open_store
from floe.tables.locate import TableSelector
from tests.conftest import Lake
from tests.helpers.orders import frame, order
from tests.helpers.registered import put, retire

pytestmark = pytest.mark.spark
RENAMED = (
    "      - name: customer_id\n",
    "      - name: buyer\n        customProperties:\n          - property: renamedFrom\n            value: customer_id\n",
)


def test_a_new_major_waits_for_its_table_and_each_consumer_reads_its_own(spark, lake: Lake):
    store = open_store(lake.settings.registry.url, lake.root)
    put(store, lake.contract().read_text(), str(lake.contract()))
    first = floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    floe.enforce(frame(spark, order(2)), lake.table_id, settings=lake.settings)
    old = lake.root / "old.yaml"
    old.write_text(lake.contract().read_text())
    name = f"{lake.table_id.split('.')[1]}.orders/orders_clean"

    lake.contract("version: 1.0.0", "version: 2.0.0")
    lake.contract(*RENAMED)
    put(store, lake.contract().read_text(), str(lake.contract()))
    rows = frame(spark, order(3)).withColumnRenamed("customer_id", "buyer")
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(rows, lake.table_id, settings=lake.settings)
    broken = caught.value.result.result.failed[0]
    assert (caught.value.code, broken.code, broken.name) == ("E534", "E534", "table-of-another-major")
    assert f"The table belongs to {name}:1.0.0, and 2.0.0 has breaking changes: " in broken.message
    assert "floe migrate" in broken.message
    with pytest.raises(floe.TableError, match=r"There is no table of .*orders_clean 2\.x: .* belongs to .*:1\.0\.0"):
        floe.read(lake.table_id, settings=lake.settings)

    migrate(lake.table_id, str(old), lake.settings, way=TableSelector(), run=True)
    floe.enforce(rows, lake.table_id, settings=lake.settings)
    new = floe.read(lake.table_id, settings=lake.settings)
    assert (new.columns[1], sorted(row.order_id for row in new.collect())) == ("buyer", [1, 2, 3])
    for pin in (1, "1", "1.x", "1.0.0"):
        before = floe.read(lake.table_id, version=pin, settings=lake.settings)
        assert (before.columns[1], sorted(row.order_id for row in before.collect())) == ("customer_id", [1, 2])
    at = floe.read(name, "1", snapshot=first.snapshot_after, settings=lake.settings)
    assert [row.order_id for row in at.collect()] == [1]
    assert floe.read(f"registry:{name}:1.0.0", settings=lake.settings).columns[1] == "customer_id"

    with pytest.raises(floe.TableError, match=r"orders_clean 3\.x"):
        floe.read(lake.table_id, version=3, settings=lake.settings)
    with pytest.raises(floe.TableError, match="cannot be read"):
        floe.read(lake.table_id, version=1, snapshot=987654321, settings=lake.settings)
    with pytest.raises(ValueError, match="names no MAJOR"):
        floe.read(lake.table_id, version="newest", settings=lake.settings)
    retire(store, name, 1)
    with pytest.raises(floe.ContractError, match="is retired") as refused:
        floe.read(lake.table_id, version=1, settings=lake.settings)
    assert refused.value.code == "E572"


@pytest.mark.parametrize("lake", ["delta"], indirect=True)
def test_what_needs_a_major_decides_not_the_number_alone(spark, lake: Lake):
    store = open_store(lake.settings.registry.url, lake.root)
    put(store, lake.contract().read_text(), str(lake.contract()))
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    lake.contract("version: 1.0.0", "version: 2.0.0")
    put(store, lake.contract().read_text(), str(lake.contract()))
    assert floe.enforce(frame(spark, order(2)), lake.table_id, settings=lake.settings).written == 1
    # the same columns, and a value that is no longer allowed: the schema alone would let it in
    lake.contract("version: 2.0.0", "version: 3.0.0")
    lake.contract("validValues: [placed, shipped, returned]", "validValues: [placed, shipped]")
    with pytest.raises(floe.ViolationError, match="enum-value-removed") as caught:
        floe.enforce(frame(spark, order(3)), lake.table_id, settings=lake.settings)
    assert [one.code for one in caught.value.result.result.failed] == ["E534"]


def test_a_key_and_partition_columns_change_by_a_migration(spark, lake: Lake):
    floe.enforce(frame(spark, order(1), order(2, customer_id="C2")), lake.table_id, settings=lake.settings)
    old = lake.root / "old.yaml"
    old.write_text(lake.contract().read_text())
    lake.contract("        description: Where the order stands.", "        partitioned: true\n        description: It.")
    with pytest.raises(floe.ContractError, match="raise the MAJOR"):
        migrate(lake.table_id, str(old), lake.settings, way=TableSelector(), run=True)
    lake.contract("version: 1.0.0", "version: 2.0.0")
    with pytest.raises(floe.ViolationError) as caught:
        floe.enforce(frame(spark, order(3)), lake.table_id, settings=lake.settings)
    assert [one.code for one in caught.value.result.result.failed] == ["E534"]
    migrate(lake.table_id, str(old), lake.settings, way=TableSelector(), run=True)
    floe.enforce(frame(spark, order(3)), lake.table_id, settings=lake.settings)
    assert sorted(row.order_id for row in floe.read(lake.table_id, settings=lake.settings).collect()) == [1, 2, 3]
