"""What only tables in an object store can show: a race for one version, Delta's log store, what killed runs left there."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

import floe
from floe.settings import Settings
from floe.tables import storage

DAYS = 24 * 3600


def race(spark: Any, settings: Settings, text: str, store: str) -> dict[str, Any]:
    """Another program takes the version that floe is about to commit: between the log that was read and the request."""
    table = f"{store}/race"
    write = DeltaTable.create_write_transaction

    def overtaken(log: DeltaTable, *given: Any, **named: Any) -> None:
        setattr(DeltaTable, "create_write_transaction", write)  # noqa: B010  (mypy knows it as a method)
        other = pa.table(
            {"id": pa.array([7], pa.int64()), "day": pa.array([0], pa.int32()), "v": pa.array([1], pa.int32())}
        )
        write_deltalake(table, other, mode="append", storage_options=storage.delta_options(table))
        write(log, *given, **named)

    floe.enforce(_rows(spark, 100, 200), text, table=table, layer="silver", settings=settings)
    setattr(DeltaTable, "create_write_transaction", overtaken)  # noqa: B010  (as above)
    done = floe.enforce(_rows(spark, 200, 300), text, table=table, layer="silver", settings=settings)
    repeated = floe.enforce(_rows(spark, 7, 8), text, table=table, layer="silver", settings=settings)
    return {
        "written": done.written,
        "way": done.way,
        "rows": list(spark.sql(f"SELECT count(*), sum(id) FROM delta.`{table}`").head()),
        "key of the other": [repeated.written, repeated.quarantined],
        "versions": DeltaTable(table, storage_options=storage.delta_options(table)).version(),
    }


def log_store(spark: Any, store: str) -> list[str]:
    """Two commits of one version by the log store that Spark uses: of other content, and of the same."""
    jvm, configuration = spark._jvm, spark._jsparkSession.sessionState().newHadoopConf()
    path = jvm.org.apache.hadoop.fs.Path(f"{store}/log/_delta_log/00000000000000000000.json")
    commits = jvm.floe.ConditionalLogStore(configuration)
    said = []
    for text in ("first", "second", "first"):
        try:
            actions = jvm.java.util.ArrayList()
            actions.add(text)
            commits.write(path, actions.iterator(), False, configuration)
            said.append("written")
        except Exception as error:  # noqa: BLE001  (py4j's class for all that Java throws)
            said.append(error.java_exception.getClass().getSimpleName())  # type: ignore[attr-defined]
    return [*said, str(storage.read_text(f"{store}/log/_delta_log/00000000000000000000.json"))]


def swept(spark: Any, settings: Settings, text: str, store: str, folder: Path) -> dict[str, Any]:
    """What runs of other machines left: an old one, a young one, one that had committed, and one whose commit was undone."""
    table = f"{store}/swept"
    floe.enforce(_rows(spark, 0, 10), text, table=table, layer="silver", settings=settings)
    done = floe.enforce(_rows(spark, 10, 20), text, table=table, layer="silver", settings=settings)
    undone = floe.enforce(_rows(spark, 40, 50), text, table=table, layer="silver", settings=settings)
    spark.sql(f"RESTORE TABLE delta.`{table}` TO VERSION AS OF 2").collect()
    runs = {"old": "0" * 32, "young": "1" * 32, "committed": done.run_id, "undone": undone.run_id}
    for name, run in runs.items():
        staged = f"{table}/floe-{run}"
        if name in ("old", "young"):
            storage.write_text(f"{staged}/part-0.parquet", "rows")
        entry = {"run_id": run, "batch_id": None, "location": table, "staging": staged}
        storage.write_text(f"{store}/.floe-staging/{run}.json", json.dumps(entry))
    for run in (runs["old"], runs["committed"], runs["undone"]):
        for path in (
            folder / "lake" / ".floe-staging" / f"{run}.json",
            *(folder / "lake/swept" / f"floe-{run}").rglob("*"),
        ):
            os.utime(path, (time.time() - 8 * DAYS,) * 2)
    floe.enforce(_rows(spark, 20, 30), text, table=table, layer="silver", settings=settings)
    places = {file.place for file in storage.files_below(store)}
    return {
        "records": sorted(name for name, run in runs.items() if f"{store}/.floe-staging/{run}.json" in places),
        "staged": sorted(name for name, run in runs.items() if any(f"/floe-{run}/" in place for place in places)),
        "rows": list(spark.sql(f"SELECT count(*), sum(id) FROM delta.`{table}`").head()),
        "before RESTORE": spark.read.format("delta").option("versionAsOf", 3).load(table).agg({"id": "sum"}).head()[0],
    }


def _rows(spark: Any, first: int, end: int) -> Any:
    return spark.sql(f"SELECT id, cast(0 AS int) AS day, cast(1 AS int) AS v FROM range({first}, {end}, 1, 2)")
