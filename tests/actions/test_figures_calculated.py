"""The key figures, by hand."""

from typing import Any

import pytest

from floe.actions.figures.calculate import key_figures
from floe.model.figures import Batch, Described, Facts, JudgedCommit, RecordedProblem, VersionChange

DAYS: dict[str, Any] = {"first": "2026-01-01", "last": "2026-01-30", "days": 30}


def figures(**facts):
    return {one.name: one for one in key_figures(Facts(**DAYS, **facts))}


def value(name, **facts):
    one = figures(**facts)[name]
    return one.value, one.met


def test_without_facts_everything_is_unknown():
    assert {(one.value, one.met, one.to_dict()["status"]) for one in figures().values()} == {(None, None, "unknown")}
    assert len(figures()) == 8


def test_breaking_changes_are_those_found_in_tables_and_those_published_against_consumers():
    name = "breaking_changes_in_production"
    drift = RecordedProblem("a", "t", "schema_drift", "E531", "2026-01-03", None)
    more, before = drift._replace(code="E532"), drift._replace(opened="2025-12-31")
    forced = VersionChange("a:2.0.0", "2026-01-04", True, 20, 1, True, True)
    good = (Batch("2026-01-02", True, False),)
    assert value(name, batches=good) == (0, True)
    assert value(name, troubles=(drift, more, before), batches=good) == (1, False)
    assert value(name, changes=(forced, forced._replace(overridden=False))) == (1, False)


def test_failures_by_schema_are_a_share_of_runs():
    runs = (
        *[Batch("2026-01-02", True, False)] * 6,
        Batch("2026-01-03", False, True),
        Batch("2026-01-03", False, False),
    )
    one = figures(batches=runs)["schema_caused_failures"]
    assert (one.value, one.met) == (12.5, False)  # one of eight
    assert [tuple(point) for point in one.points] == [("2026-01-02", 0), ("2026-01-03", 50)]
    assert value("schema_caused_failures", batches=runs[:6]) == (0, True)


def test_quality_incidents_are_counted_by_the_month():
    trouble = RecordedProblem("a", "t", "quality", "E550", "2026-01-03", "2026-01-04")
    assert value("quality_incidents", quality_watched=True) == (0, True)
    assert value("quality_incidents", troubles=(trouble,)) == (1, False)  # less than one is asked for
    quarter = Facts(first="2026-01-01", last="2026-03-31", days=90, troubles=(trouble,))
    assert key_figures(quarter)[2].value == pytest.approx(0.33)
    assert key_figures(quarter)[2].met is True


def test_trust_is_weighed_from_three_shares():
    watched = tuple(("a", "t", f"2026-01-{day:02d}") for day in range(1, 11))
    stale = RecordedProblem("a", "t", "freshness", "E560", "2026-01-04", "2026-01-05")
    other = RecordedProblem("b", "t", "freshness", "E560", "2026-01-01", None)
    runs = (*[Batch("2026-01-02", True, False)] * 9, Batch("2026-01-02", False, False))
    long, short = (
        VersionChange("a:2.0.0", "2026-01-02", True, 14, 0, False),
        VersionChange("b:2.0.0", "2026-01-02", True, 13, 0, False),
    )
    facts = {"watched": watched, "troubles": (stale, other), "batches": runs}
    # 8 of 10 days, 9 of 10 runs, 1 of 2 changes: 40 + 27 + 10
    assert value("consumer_trust", **facts, changes=(long, short)) == (77, False)
    # contracts are registered and nothing broke: 40 + 27 + 20
    assert value("consumer_trust", **facts, documents=(Described("a", 1, 1),)) == (87, False)
    assert value("consumer_trust", **facts) == (None, None)
    kept = {"watched": watched, "batches": runs, "changes": (long,)}
    assert value("consumer_trust", **kept) == (97, True)  # 50 + 27 + 20


def test_the_shortest_lead_time_counts():
    changes = tuple(
        VersionChange(f"a:{n}.0.0", "2026-01-02", n != 3, days, 0, False) for n, days in ((1, 30), (2, 14), (3, 0))
    )
    assert value("schema_change_lead_time", changes=changes) == (14, True)
    assert value("schema_change_lead_time", changes=(*changes, changes[0]._replace(lead_days=13))) == (13, False)


def test_time_to_detect_is_the_median_commit():
    took = tuple(JudgedCommit("t", "2026-01-02", seconds) for seconds in (0, 6, 240, 299, 86_400))
    assert value("time_to_detect", commits=took) == (4, True)
    assert value("time_to_detect", commits=took[3:]) == (pytest.approx(722.49, abs=0.01), False)
    assert value("time_to_detect", commits=(took[0]._replace(seconds=300),)) == (5, False)


def test_who_was_told_counts_where_there_is_somebody_to_tell():
    told, untold = (
        VersionChange("a:1.1.0", "2026-01-02", False, 0, 2, True),
        VersionChange("b:1.1.0", "2026-01-02", False, 0, 1, False),
    )
    alone = untold._replace(consumers=0)
    assert value("consumers_told", changes=(alone,)) == (None, None)
    assert value("consumers_told", changes=(told, alone)) == (100, True)
    assert value("consumers_told", changes=(told, untold)) == (50, False)


def test_documentation_counts_columns():
    one, two = Described("a", 3, 3), Described("b", 5, 3)
    assert value("documentation", documents=(one,)) == (100, True)
    assert value("documentation", documents=(one, two)) == (75, False)
    assert [point.label for point in figures(documents=(one, two))["documentation"].points] == ["b", "a"]
