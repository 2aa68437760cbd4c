"""Random histories of tables: after every event floe must find what a plain evaluation of all rows finds.

A history is a table, some rules, and events: rows come and go, columns change, files are rewritten, restored or added again,
by Spark, by other writers, or through floe's own gate; sessions change their time zone, clocks go wrong. After each event
`floe.verify` runs incrementally (in `make soak` also in full, otherwise only after the last event), and must give the outcome
of the rules in plain Python. NOT_EVALUATED is right only where a column of the rule is missing, or SQL returns no number.

Two events lead each history, which has rules that they endanger; everything else is drawn at random. A failure prints the
history. STORM_SEED and STORM_HISTORIES draw other histories, STORM_LEAD=insert,delete only those that these events lead.
"""

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import spark_settings
from tests.helpers.storm.delta import DELTA_EVENTS, DeltaHistory
from tests.helpers.storm.history import FRESH, History
from tests.helpers.storm.iceberg import ICEBERG_EVENTS, IcebergHistory
from tests.helpers.storm.parquet import PARQUET_EVENTS, ParquetHistory
from tests.helpers.storm.rules import RULES
from tests.helpers.storm.statements import Event

pytestmark = [
    pytest.mark.spark,
    pytest.mark.hypothesis,
]  # `make soak` runs the tests that draw examples, with more of them

SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
HISTORIES = int(os.environ.get("STORM_HISTORIES", "5000" if SOAK else "40"))
SEED = int(os.environ.get("STORM_SEED", random.randrange(10**9) if SOAK else 1))
LEADS = os.environ.get("STORM_LEAD", "").split(",")
BATCHES = 4  # tests that the histories of a format are divided among
MORE_EVENTS = (0, 2) if SOAK else (0, 0)  # besides the two that lead a history


@dataclass(frozen=True)
class StormFormat:
    """A table format: its histories, its share of all of them, and its events with the rules that each endangers."""

    history: type[History]
    share: float
    events: dict[Event, tuple[str, ...]]


FORMATS = {
    "delta": StormFormat(DeltaHistory, 0.36, DELTA_EVENTS),
    "iceberg": StormFormat(IcebergHistory, 0.45, ICEBERG_EVENTS),
    "parquet": StormFormat(ParquetHistory, 0.19, PARQUET_EVENTS),
}
SMALL_TABLES = {
    # what speeds up large tables takes most of the time of tiny ones
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.maxPlanStringLength": "0",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
}


@pytest.fixture
def small_tables(spark) -> Iterator[None]:
    """Configure the session for tiny tables; afterwards also the time zone is reset, which events change."""
    before = {key: spark.conf.get(key, None) for key in (*SMALL_TABLES, "spark.sql.session.timeZone")}
    for key, value in SMALL_TABLES.items():
        spark.conf.set(key, value)
    yield
    for key, value in before.items():
        spark.conf.set(key, value) if value is not None else spark.conf.unset(key)


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("format_", FORMATS)
def test_every_run_finds_what_a_plain_evaluation_finds(
    spark, small_tables: None, spark_root: Path, tmp_path: Path, format_: str, batch: int
) -> None:
    storm = FORMATS[format_]
    leads = [event for event in storm.events if event.__name__ in LEADS or LEADS == [""]]
    numbers = range(batch, round(HISTORIES * storm.share), BATCHES)
    if not leads or not numbers:
        pytest.skip("no histories of this format")
    spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.storm")
    incremental, full = tmp_path / "incremental", tmp_path / "full"
    incremental.mkdir()
    full.mkdir()
    settings = (
        spark_settings(spark_root, incremental, **{"tables.format": format_}),
        spark_settings(spark_root, full, **{"tables.format": format_}),
    )
    evaluated = 0
    for number in numbers:
        seed = SEED * 1_000_003 + number
        draw = random.Random(f"{format_} {seed}")
        led_by = [leads[place % len(leads)] for place in (2 * number, 2 * number + 1)]
        events = [*dict.fromkeys(led_by), *draw.choices(list(storm.events), k=draw.randint(*MORE_EVENTS))]
        draw.shuffle(events)
        candidates = list(dict.fromkeys(rule for event in led_by for rule in storm.events[event]))
        endangered = draw.sample(candidates, min(draw.randint(1, 3), len(candidates)))
        rules = draw.sample([*RULES, FRESH], draw.randint(0 if endangered else 1, 3))
        history = storm.history(spark, draw, tmp_path, f"s{seed}_{format_}", rules, endangered, settings)
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        try:
            history.begin()
            evaluated += history.check(full=False)
            for event in events:
                event(history)
                evaluated += history.check(full=SOAK or event is events[-1])
        except BaseException as error:  # pytest.raises fails with one
            error.add_note(history.log)
            raise
        history.drop()
    assert evaluated > 0
