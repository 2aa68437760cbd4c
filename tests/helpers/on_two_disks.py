"""What a driver does on a cluster whose worker has another disk; it writes what came of it to found.json, for `test_cluster`."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # run as a script, from another folder

import floe
from floe.actions.load.settings import load_settings
from floe.engine.spark.session import own_session
from floe.settings import Settings
from floe.tables import storage
from tests.helpers import on_s3

CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: {name}
name: {name}
version: 1.0.0
status: active
domain: d
dataProduct: p
schema:
- name: {name}
  customProperties:
  - {{property: onViolation, value: quarantine}}
  properties:
  - {{name: id, physicalType: bigint, required: true, primaryKey: true}}
  - {{name: day, physicalType: int, partitioned: {partitioned}}}
  - {{name: v, physicalType: int, logicalType: integer, logicalTypeOptions: {{minimum: 0}}}}
"""


def main() -> None:
    """Write through gates on both formats, and tell what is in the tables; the store is a shared folder or a bucket."""
    master, driver, store = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    settings = load_settings(
        {
            "spark.master": master,
            "spark.conf": {
                "spark.sql.runSQLOnFiles": "true",  # as other sessions have it: what was written is read by its path
                "spark.driver.host": "127.0.0.1",
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.sql.shuffle.partitions": "2",
                "spark.databricks.delta.snapshotPartitions": "2",
                "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m",
                "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m",
                "spark.executor.memory": "1g",
                "spark.executor.cores": "2",
            },
            "catalogs": {"ice": {"type": "sql", "uri": "sqlite:///catalog.db", "warehouse": f"{store}/ice"}},
            "tables.warehouse": f"{store}/warehouse",
        },
        start=driver,
    )
    spark = own_session(settings)
    found: dict[str, Any] = {}
    for format_ in ("delta", "iceberg"):
        for partitioned in ("false", "true"):
            found[f"{format_}-{partitioned}"] = history(spark, settings, store, format_, partitioned)
    if not storage.is_remote(store):
        found["lost"] = executor_lost(spark, settings, Path(store))
        found["refused"] = refused(spark, settings, driver, Path(store))
    else:
        text = CONTRACT.format(name="racing", partitioned="false")
        found["race"] = on_s3.race(spark, settings, text, store)
        found["log"] = on_s3.log_store(spark, store)
        found["swept"] = on_s3.swept(spark, settings, text, store, Path(os.environ["S3_FOLDER"]))
    (driver / "found.json").write_text(json.dumps(found), encoding="utf-8")
    spark.stop()


def history(spark: Any, settings: Settings, store: str, format_: str, partitioned: str) -> dict[str, Any]:
    """Append, MERGE, quarantine and overwrite partitions of one table."""
    name = f"t_{format_}_{partitioned}"
    table = f"ice.n.{name}" if format_ == "iceberg" else f"{store}/{name}"
    text = CONTRACT.format(name=name, partitioned=partitioned)

    def write(query: str, mode: str, batch: str) -> list[Any]:
        done = floe.enforce(
            spark.sql(query), text, mode, table=table, layer="silver", batch_id=batch, settings=settings
        )
        ways[batch] = done.way
        return [done.written, done.quarantined, done.refused, done.repeated]

    ways: dict[str, str | None] = {}
    day = "cast(id % 2 AS int) AS day"
    calls = {
        "append": write(f"SELECT id, {day}, cast(id AS int) AS v FROM range(0, 1000, 1, 4)", "append", "b1"),
        "again": write(f"SELECT id, {day}, cast(id AS int) AS v FROM range(0, 1000, 1, 4)", "append", "b1"),
        "merge": write(f"SELECT id, {day}, 7 AS v FROM range(900, 1100, 1, 4)", "merge", "b2"),
        "quarantine": write(
            f"SELECT id, {day}, if(id % 10 = 0, -1, 5) AS v FROM range(2000, 2100, 1, 4)", "append", "b3"
        ),
    }
    if partitioned == "true":
        calls["overwrite"] = write(
            "SELECT id, 1 AS day, 3 AS v FROM range(5000, 5050, 1, 4)", "overwrite_partition", "b4"
        )
    here = table if format_ == "iceberg" else f"delta.`{table}`"
    apart = f"{table}__quarantine" if format_ == "iceberg" else f"delta.`{table}__quarantine`"
    rows = f"SELECT count(*), count(DISTINCT id), sum(v) FROM {here}"
    return {
        **calls,
        "ways": ways,
        "rows": list(spark.sql(rows).head()),
        "apart": spark.sql(f"SELECT count(*) FROM {apart}").head()[0],
        "tested": floe.verify(table, text, settings).outcome,
        "staged": [file.place for file in storage.files_below(store) if _is_staged(file.place)],
    }


def _is_staged(place: str) -> bool:
    """Whether a file waits for a commit, or for its removal: of batches below a table, the bad rows."""
    return "/.floe-staging/" in place or "/floe_ok=false/" in place


def executor_lost(spark: Any, settings: Settings, shared: Path) -> dict[str, Any]:
    """Kill the executor while it writes the batch: its tasks run again on another one."""
    marker = str(shared / "killed")

    def kill_once(frames: Iterator[Any]) -> Iterator[Any]:
        for frame in frames:
            if frame.id.max() > 700 and not os.path.exists(marker):
                Path(marker).touch()
                os.kill(_executor(), signal.SIGKILL)
            yield frame

    rows = spark.sql("SELECT id, cast(id % 2 AS int) AS day, cast(id AS int) AS v FROM range(0, 1000, 1, 4)")
    rows = rows.mapInPandas(kill_once, "id bigint, day int, v int")
    table = str(shared / "lost")
    text = CONTRACT.format(name="lost", partitioned="false")
    done = floe.enforce(rows, text, table=table, layer="silver", batch_id="b1", settings=settings)
    counted = spark.sql(f"SELECT count(*), count(DISTINCT id), sum(v) FROM delta.`{table}`").head()
    return {"killed": Path(marker).exists(), "written": done.written, "rows": list(counted)}


def _executor() -> int:
    """The process of the executor that this Python worker belongs to."""
    process = os.getpid()
    while b"CoarseGrainedExecutorBackend" not in Path(f"/proc/{process}/cmdline").read_bytes():
        process = int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return process


def refused(spark: Any, settings: Settings, driver: Path, shared: Path) -> dict[str, str]:
    """Places that the executors do not share: a table there, and a staging folder there."""
    text = CONTRACT.format(name="lonely", partitioned="false")
    rows = spark.sql("SELECT id, 0 AS day, 1 AS v FROM range(0, 1000, 1, 4)")
    staging = settings.with_values({"tables.staging": str(driver / "staging")})
    return {
        "table": _error(lambda: floe.enforce(rows, text, table=str(driver / "t"), layer="silver", settings=settings)),
        "staging": _error(lambda: floe.enforce(rows, text, table=str(shared / "s"), layer="silver", settings=staging)),
        "made": ", ".join(str(path) for path in (driver / "t", shared / "s") if path.exists()),
    }


def _error(write: Callable[[], object]) -> str:
    try:
        return f"no error: {write()}"
    except floe.FloeError as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
