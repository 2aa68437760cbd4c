"""Anomalies of a watched table, by days set by hand."""

from datetime import timedelta

import pytest

from floe.actions.monitor import monitor_check
from floe.actions.verify.references import of_table
from floe.registry import open_store
from floe.registry.store import put_fact
from tests.helpers.monitored import FRESH, Clock, fill, kept, promise, settings_of
from tests.helpers.seasons import season

HEAD = {"contract_id": "shop.p/orders", "dataset": "orders", "source": "table"}


@pytest.fixture
def shop(tmp_path, registry_url):
    promise(tmp_path, "orders", FRESH.replace("unit: h", "unit: y"))
    return settings_of(tmp_path, Clock(), **{"registry.url": registry_url})


def remember(settings, rows: list[int], nulls: int = 0) -> None:
    """What the table held on the days before today, the last one yesterday."""
    first = settings.clock() - timedelta(days=len(rows))
    with open_store(settings.registry.url, settings.root).begin(writes=True) as connection:
        for number, count in enumerate(rows):
            day = (first + timedelta(days=number)).isoformat()[:10]
            put_fact(connection, {**HEAD, "day": day, "rows": count, "nulls": {"id": 0, "at": nulls}})


def anomalies(settings) -> list[tuple]:
    (watch,) = monitor_check([], settings).watches
    return [(one.outcome.name, one.status, one.outcome.message) for one in watch.checks if one.kind == "anomaly"]


def test_a_table_of_half_its_rows_is_a_warning_with_an_incident(shop, tmp_path):
    fill(tmp_path, "orders", rows=50)
    remember(shop, [101, 99] * 14)
    ((name, status, message),) = anomalies(shop)
    assert (name, status) == ("volume-anomaly", "warning")
    assert message.startswith("The table holds 50 rows, a ")
    found = kept(shop)
    assert [(one["code"], one["severity"]) for one in found["incidents"]] == [("E559", "warning")]
    assert found["outbox"][0]["payload"]["type"] == "volume_anomaly"


def test_a_usual_table_is_fine_and_thirteen_days_say_nothing(shop, tmp_path):
    fill(tmp_path, "orders", rows=50)
    remember(shop, [101, 99] * 6 + [101])
    assert anomalies(shop) == []
    remember(shop, [51, 49] * 14)
    assert anomalies(shop) == [("volume-anomaly", "ok", "")]


def test_a_null_rate_that_rises_is_told_by_its_column(shop, tmp_path):
    fill(tmp_path, "orders", rows=100)
    remember(shop, [101, 99] * 14, nulls=20)  # today none of 100
    volume, nulls = anomalies(shop)
    assert (volume[1], nulls[0], nulls[1]) == ("ok", "null-rate-anomaly", "warning")
    assert nulls[2].startswith("'orders.at' is null in 0.0% of rows")


def test_a_look_keeps_what_the_table_holds_for_the_days_to_come(shop, tmp_path):
    """Fifteen days on a real table that grows by 100 a day, then a day of 50."""
    clock = shop.clock
    for day in range(17):
        fill(tmp_path, "orders", rows=50 if day == 15 else 100)
        found = anomalies(shop)
        clock.move(days=1)
        if day < 16:
            assert [one for one in found if one[1] != "ok"] == []
    # on the seventeenth day the sixteenth is over, and brought 50
    ((name, status, message),) = found
    assert (name, status) == ("volume-anomaly", "warning")
    assert message.startswith("Yesterday added 50 rows, a ")
    assert message.endswith("usually has 95 to 105 rows")


def test_ninety_recorded_days_have_at_most_two_false_alarms_and_a_drop_is_found_on_day_one(shop):
    import random

    chance, store = random.Random(11), open_store(shop.registry.url, shop.root)
    start, alarms = shop.clock(), 0
    for number in range(91):
        rows = round(season(chance, number))
        fact = {**HEAD, "day": (start + timedelta(days=number)).isoformat()[:10], "rows": rows, "nulls": {}}
        if number == 90:
            half = of_table(store, {**fact, "rows": rows // 2})
            assert [(one.code, one.outcome) for one in half] == [("E559", "fail")]
        alarms += sum(one.outcome == "fail" for one in of_table(store, fact))
        with store.begin(writes=True) as connection:
            put_fact(connection, fact)
    assert alarms <= 2
