"""What measuring costs: queries do not grow with rules, jobs carry names, nothing of the session is left changed."""

from pathlib import Path

import pytest

from floe.engine.spark.measure import Cost, MeasureRequest, measure, metered
from floe.model.plan import Reference
from floe.model.result import Outcome
from tests.helpers.expectations import asked, plan

pytestmark = pytest.mark.spark


def scanned(rows, plan_, **others) -> tuple[int, list[Outcome], Cost]:
    with metered(rows.sparkSession, plan_.contract) as cost:
        total, outcomes = measure(MeasureRequest(rows=rows, plan=plan_, salt="", gate=False, references=others))
    return total, outcomes, cost


@pytest.fixture(scope="module")
def table(spark, tmp_path_factory: pytest.TempPathFactory):
    path = str(tmp_path_factory.mktemp("rows") / "t")
    spark.range(1000).selectExpr("id", "id % 10 AS kind").repartition(3).write.parquet(path)
    return spark.read.parquet(path)


def latest(store) -> int:
    """The number of the latest query; Spark forgets older ones."""
    return int(store.executionsList().apply(int(store.executionsCount()) - 1).executionId())


@pytest.mark.parametrize("count", [1, 20, 200])
def test_row_rules_are_one_query_however_many(table, count: int):
    rules = [asked(f"r{n}", sql=f"id = {n}") for n in range(count)]
    store = table.sparkSession._jsparkSession.sharedState().statusStore()
    before = latest(store)
    rows, outcomes, cost = scanned(table, plan(*rules))
    assert (rows, [one.violations for one in outcomes], len(outcomes[-1].samples)) == (1000, [1] * count, 1)
    assert latest(store) - before == 1
    assert (cost["queries"], cost["scans"], cost["files_read"]) == (1, 1, 3)
    assert 1 <= (cost["jobs"] or 0) <= 5
    assert (cost["bytes_read"] or 0) > 0


def test_one_query_per_key_set_and_per_reference_that_no_key_set_shares(table, spark):
    kinds = spark.range(9).withColumnRenamed("id", "kind")
    rules = (
        *(asked(f"r{n}", sql=f"id = {n}") for n in range(20)),
        asked("id", keys=("id",)),
        asked("both", keys=("id", "kind")),
        asked("other way", keys=("kind", "id")),
        asked("to kind", keys=("kind",), target=Reference("kinds", ("kind",))),
        asked("to id", keys=("id",), target=Reference("kinds", ("kind",))),
    )
    _, outcomes, cost = scanned(table, plan(*rules), kinds=kinds)
    assert cost["queries"] == 1 + 2 + 1
    assert {one.id: one.violations for one in outcomes if not one.id.startswith("r")} == {
        "id": 0,
        "both": 0,
        "other way": 0,
        "to kind": 100,
        "to id": 991,
    }


def test_jobs_name_the_contract_and_what_is_asked_and_the_session_stays_as_it_was(table, spark):
    spark.sparkContext.setJobDescription("mine")
    before = dict(spark.conf.getAll)
    views = spark.catalog.listTables()
    scanned(table, plan(asked("low", sql="id < 0"), asked("id", keys=("id",))))
    store = spark._jsparkSession.sharedState().statusStore().executionsList()
    names = [store.apply(n).description() for n in range(store.size())][-2:]
    assert names == ["floe shop.orders: 1 row rules", "floe shop.orders: key (id)"]
    assert spark.sparkContext.getLocalProperty("spark.job.description") == "mine"
    assert (dict(spark.conf.getAll), spark.catalog.listTables()) == (before, views)
    spark.sparkContext.setJobDescription(None)


def test_a_small_table_that_keys_refer_to_is_broadcast(table, spark, tmp_path: Path):
    spark.range(10).selectExpr("id AS kind").write.parquet(str(tmp_path / "kinds"))
    kinds = spark.read.parquet(str(tmp_path / "kinds"))
    scanned(table, plan(asked("to kind", keys=("kind",), target=Reference("kinds", ("kind",)))), kinds=kinds)
    store = spark._jsparkSession.sharedState().statusStore()
    last = store.executionsList().apply(int(store.executionsCount()) - 1)
    assert "BroadcastHashJoin" in last.physicalPlanDescription()
