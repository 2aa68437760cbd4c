"""OpenLineage events taken in: columns, tables, once; what is none is said with its line."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from floe.actions.lineage import import_lineage
from floe.actions.load.settings import load_settings
from floe.model import FloeError
from floe.registry import open_store
from floe.registry.lineage import find_lineage
from floe.settings import Settings

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
EVENT = {
    "eventType": "COMPLETE",
    "eventTime": "2026-02-01T00:00:00Z",
    "job": {"namespace": "spark", "name": "daily"},
    "run": {"runId": "1"},
    "inputs": [{"namespace": "file", "name": "/lake/orders"}, {"namespace": "s3://lake", "name": "rates"}],
    "outputs": [
        {
            "namespace": "file",
            "name": "/lake/report",
            "facets": {
                "symlinks": {
                    "identifiers": [{"namespace": "hive", "name": "gold_sales.report", "type": "TABLE"}],
                },
                "columnLineage": {
                    "fields": {
                        "total": {
                            "inputFields": [
                                {"namespace": "file", "name": "/lake/orders", "field": "amount"},
                                {"namespace": "file", "name": "/lake/orders", "field": "tax"},
                            ]
                        },
                    },
                    "dataset": [{"namespace": "file", "name": "/lake/orders", "field": "country"}],
                },
            },
        }
    ],
}
EXPECTED = {
    ("/lake/orders", "amount", "gold_sales.report", "total"),
    ("/lake/orders", "tax", "gold_sales.report", "total"),
    ("/lake/orders", "country", "gold_sales.report", None),
    ("s3://lake/rates", None, "gold_sales.report", None),
}


@pytest.fixture
def settings(registry_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.chdir(tmp_path)
    return load_settings({"registry.url": registry_url}, start=tmp_path)


def kept(settings: Settings) -> set[tuple]:
    rows = find_lineage(open_store(settings.registry.url, settings.root))
    names = ("source_table", "source_column", "target_table", "target_column")
    assert len(rows) == len({tuple(row[name] for name in (*names, "job")) for row in rows})
    return {tuple(row[name] for name in names) for row in rows}


def test_an_event_is_kept_once_as_a_line_a_list_or_alone(settings: Settings):
    Path("lines.jsonl").write_text(json.dumps(EVENT) + "\n\n" + json.dumps(EVENT) + "\n")
    Path("list.json").write_text(json.dumps([EVENT], indent=2))
    Path("one.json").write_text(json.dumps(EVENT, indent=2))
    made = import_lineage(["lines.jsonl"], settings, NOW)
    assert (made.events, made.rows, made.new) == (2, 4, 4)
    assert kept(settings) == EXPECTED
    assert import_lineage(["list.json", "one.json"], settings, NOW).new == 0
    assert kept(settings) == EXPECTED


def test_what_is_no_event_is_said_with_its_line_and_the_rest_is_kept(settings: Settings):
    lines = [json.dumps(EVENT), "{broken", "[1]", '{"job": {}}', '{"job": {"name": "x"}, "inputs": [1]}']
    lines.append(
        '{"job": {"name": "x"}, "outputs": [{"name": "t", "facets": {"columnLineage": {"fields": {"a": {"inputFields": [{}]}}}}}]}'
    )
    Path("mixed.jsonl").write_text("\n".join(lines))
    made = import_lineage(["mixed.jsonl"], settings, NOW)
    assert made.events == 1
    assert [place.split(": ")[0] for place in made.wrong] == [f"mixed.jsonl:{number}" for number in range(2, 7)]
    assert kept(settings) == EXPECTED


def test_a_run_that_failed_wrote_nothing(settings: Settings):
    Path("failed.json").write_text(json.dumps({**EVENT, "eventType": "FAIL"}))
    assert import_lineage(["failed.json"], settings, NOW).rows == 0


def test_a_file_that_is_not_there_leaves_nothing_of_the_others(settings: Settings):
    Path("one.json").write_text(json.dumps(EVENT))
    with pytest.raises(FloeError, match=r"none.json cannot be read: No such file"):
        import_lineage(["one.json", "none.json"], settings, NOW)
    assert kept(settings) == set()
