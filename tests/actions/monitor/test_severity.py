"""Severities, budgets and causes, by hand."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from floe.actions.monitor.availability import ErrorBudget, error_budget
from floe.actions.monitor.ladder import broken_level, near_level
from floe.engine.metadata.proof import by_bounds
from floe.model import Severity
from floe.model.age import age_outcome
from floe.model.plan import CommitAge, Expectation, FileStatistics, RowAge
from floe.model.result import FAIL, PASS
from floe.system.clock import stamp


@pytest.mark.parametrize(
    ("used", "level"),
    [
        (None, None),
        (0.0, None),
        (0.7999, None),
        (0.8, Severity.INFO),
        (0.8999, Severity.INFO),
        (0.9, Severity.WARNING),
        (1.0, Severity.WARNING),
    ],
)
def test_a_promise_that_is_nearly_used_up(used, level):
    assert near_level(used) == level


@pytest.mark.parametrize(("before", "level"), [(0, "error"), (1, "error"), (2, "critical"), (50, "critical")])
def test_a_breach_is_an_error_and_critical_when_repeated(before, level):
    assert str(broken_level(before)) == level


@pytest.mark.parametrize("declared", list(Severity))
def test_what_the_contract_declares_wins(declared):
    assert broken_level(0, declared) is declared
    assert broken_level(50, declared) is declared


@pytest.mark.parametrize(
    ("up", "down", "promised", "budget"),
    [
        (0, 0, 99.0, None),  # nothing known is not down
        (99, 0, 99.0, None),  # one failed probe would use it up
        (100, 0, 99.0, ErrorBudget(100.0, 0.0)),
        (99, 1, 99.0, ErrorBudget(99.0, 1.0)),
        (198, 2, 98.0, ErrorBudget(99.0, 0.5)),
        (90, 10, 99.0, ErrorBudget(90.0, 10.0)),
        (5, 0, 100.0, ErrorBudget(100.0, 0.0)),
        (4, 1, 100.0, ErrorBudget(80.0, 2.0)),
    ],
)
def test_the_error_budget(up, down, promised, budget):
    assert error_budget(up, down, promised) == budget


HOUR = Expectation(
    id="t:sla.freshness",
    code="E560",
    name="stale-data",
    field="t",
    severity=Severity.ERROR,
    check=CommitAge(),
    operators={"mustBeLessOrEqualTo": 3600},
)


@pytest.mark.parametrize(("seconds", "outcome"), [(-7200, PASS), (0, PASS), (3600, PASS), (3601, FAIL)])
def test_an_age_below_zero_is_none_and_is_kept_to_be_told(seconds, outcome):
    found = age_outcome(HOUR, seconds, "metadata")
    assert (found.outcome, found.age) == (outcome, seconds)
    assert seconds >= 0 or found.actual == "0s"


@pytest.mark.parametrize(
    ("zone", "before", "after", "hours"),
    [
        ("Europe/Berlin", datetime(2026, 3, 29, 1, 30), datetime(2026, 3, 29, 3, 30), 1),  # an hour is skipped
        ("America/New_York", datetime(2026, 3, 8, 1, 30), datetime(2026, 3, 8, 3, 30), 1),
        ("Europe/Berlin", datetime(2026, 10, 25, 2, 30, fold=0), datetime(2026, 10, 25, 2, 30, fold=1), 1),  # twice
        ("America/New_York", datetime(2026, 11, 1, 1, 30, fold=0), datetime(2026, 11, 1, 1, 30, fold=1), 1),
        ("Australia/Lord_Howe", datetime(2026, 4, 5, 1, 45, fold=0), datetime(2026, 4, 5, 1, 45, fold=1), 0.5),
    ],
)
def test_clocks_that_are_changed_change_no_age(zone, before, after, hours):
    moments = [moment.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC) for moment in (before, after)]
    assert moments[1] - moments[0] == timedelta(hours=hours)
    told = [stamp(moment.replace(tzinfo=ZoneInfo(zone))) for moment in (before, after)]
    assert datetime.fromisoformat(told[1]) - datetime.fromisoformat(told[0]) == timedelta(hours=hours)


NEWEST = replace(HOUR, check=RowAge("newest", "unix_seconds(`at`)"), columns=("at",))
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def file_of(*hours: float, rows: int = 5, exact: bool = True) -> FileStatistics:
    moments = [NOON + timedelta(hours=one) for one in hours]
    return FileStatistics(rows, {}, {"at": min(moments)}, {"at": max(moments)}, exact=exact)


@pytest.mark.parametrize(
    ("files", "age"),
    [
        ((file_of(-5, -0.5), file_of(-9, -8)), 1800),
        ((file_of(-2),), 7200),
        ((file_of(0.05),), -180),  # a little ahead is a clock that differs
        ((file_of(-0.5), file_of(5)), None),  # rows from the future: only reading tells the others
        ((file_of(-0.5), FileStatistics(3)), None),
        ((file_of(-0.5, exact=False),), None),  # the newest row may be deleted
        ((), None),
        (None, None),
    ],
)
def test_the_newest_value_by_statistics(files, age):
    found = by_bounds(NEWEST, files, int(NOON.timestamp()))
    assert (found.age if found else None) == age
