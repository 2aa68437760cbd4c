"""A storm of random histories: what floe remembers and proves is compared, after every step, with plain SQL.

A history is a table, some rules, and steps that anybody may take on it: rows come and go, columns change, files are rewritten,
restored or added again, by Spark, by other writers, or through floe's own gate; sessions move to other zones, clocks go
wrong. After each step three answers must agree: what `floe.verify` says with its memory of the steps before, what it says
without, and what is counted by hand over all rows. A rule that was not evaluated agrees with nothing but a missing column.

Each event of a format leads some histories, which then have a rule that it endangers; everything else is drawn. A failure
prints the history; STORM_SEED and STORM_HISTORIES draw others, STORM_LEAD=event those that an event leads.
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

pytestmark = pytest.mark.spark

SOAKED = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
HISTORIES = int(os.environ.get("STORM_HISTORIES", "5000" if SOAKED else "60"))
SEED = int(os.environ.get("STORM_SEED", random.randrange(10**9) if SOAKED else 1))
LEAD = os.environ.get("STORM_LEAD", "")
BATCHES = 4  # tests that the histories of a format are shared out to
MORE_STEPS = (1, 3) if SOAKED else (0, 2)  # besides the step that leads a history


@dataclass(frozen=True)
class Form:
    """A format: its histories, how many of a hundred are its own, and what may happen."""

    history: type[History]
    share: int
    events: dict[Event, tuple[str, ...]]


FORMS = {
    "delta": Form(DeltaHistory, 36, DELTA_EVENTS),
    "iceberg": Form(IcebergHistory, 45, ICEBERG_EVENTS),
    "parquet": Form(ParquetHistory, 19, PARQUET_EVENTS),
}
QUICK = {
    # tiny tables: what is made for large ones takes all the time
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.maxPlanStringLength": "0",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
}


@pytest.fixture
def quick(spark) -> Iterator[None]:
    """A session for tiny tables; whatever a history sets is set back."""
    kept = [*QUICK, "spark.sql.session.timeZone"]
    before = {key: spark.conf.get(key, None) for key in kept}
    for key, value in QUICK.items():
        spark.conf.set(key, value)
    yield
    for key, value in before.items():
        spark.conf.set(key, value) if value is not None else spark.conf.unset(key)


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("form", FORMS)
def test_memory_metadata_and_a_plain_query_agree(
    spark, quick: None, spark_root: Path, tmp_path: Path, form: str, batch: int
) -> None:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.storm")
    remembering, forgetful = tmp_path / "remembering", tmp_path / "forgetful"
    remembering.mkdir()
    forgetful.mkdir()
    given = {"tables.format": form}
    settings = spark_settings(spark_root, remembering, **given), spark_settings(spark_root, forgetful, **given)
    events, evaluated = FORMS[form].events, 0
    leads = [event for event in events if LEAD in event.__name__] if LEAD else list(events)
    for number in range(batch, round(HISTORIES * FORMS[form].share / 100), BATCHES):
        seed = SEED * 1_000_003 + number
        draw = random.Random(f"{form} {seed}")
        lead = leads[number % len(leads)]
        steps = [lead, *draw.choices(list(events), k=draw.randint(*MORE_STEPS))]
        draw.shuffle(steps)
        rules = drawn_rules(draw, events[lead])
        table = FORMS[form].history(spark, draw, tmp_path, f"s{seed}_{form}", rules, settings)
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        table.begin()
        evaluated += table.check(first=True)
        for event in steps:
            event(table)
            evaluated += table.check()
        table.drop()
    assert evaluated > 0


def drawn_rules(draw: random.Random, endangered: tuple[str, ...]) -> list[str]:
    """A few rules, two of them endangered by the event that leads."""
    some = draw.sample(endangered, min(2, len(endangered)))
    others = draw.sample([*RULES, FRESH], draw.randint(1, 4))
    return sorted({*some, *others})
