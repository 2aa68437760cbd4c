"""The store on SQLite: migrated once, safe for many writers, refused when it is of a newer version of floe."""

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from floe.model import RegistryError
from floe.registry import open_store
from floe.settings import Settings
from tests.helpers.stores import URL, entry

AT = "2026-11-15T12:00:00.000Z"


def test_a_run_is_kept_once(tmp_path: Path):
    store = open_store(URL, tmp_path)
    store.record(entry("r1"), at=AT)
    store.record(entry("r1"), at=AT)
    assert len(store.runs(10)) == 1


def test_a_run_waits_in_a_file_while_the_registry_is_gone_and_is_kept_by_the_next(tmp_path: Path):
    from floe.actions.record import record

    settings = Settings(tmp_path)
    store = open_store(URL, tmp_path)
    with sqlite3.connect(tmp_path / ".floe/registry.db") as base:
        base.execute("ALTER TABLE check_runs RENAME TO gone")
    note = record(store, settings, entry("r1"))
    assert note is not None
    assert note.startswith("FLOE-E542 warning: ")
    assert [path.name for path in (tmp_path / ".floe/unrecorded").iterdir()] == ["r1.json"]
    with sqlite3.connect(tmp_path / ".floe/registry.db") as base:
        base.execute("ALTER TABLE gone RENAME TO check_runs")
    assert record(store, settings, entry("r2")) is None
    assert sorted(run["run_id"] for run in store.runs(10)) == ["r1", "r2"]
    assert list((tmp_path / ".floe/unrecorded").iterdir()) == []


def test_the_tables_have_the_names_of_the_specification(tmp_path: Path):
    open_store(URL, tmp_path)
    with sqlite3.connect(tmp_path / ".floe/registry.db") as base:
        columns = {
            name: [row[1] for row in base.execute(f"PRAGMA table_info({name})")]
            for name in ("table_registry", "schema_history")
        }
        tables = {row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    given = ["table_id", "layer", "location", "primary_keys", "partition_cols", "contract_path"]
    assert columns["table_registry"][:6] == given
    assert columns["schema_history"] == [
        "table_id",
        "schema_version",
        "schema_hash",
        "changed_at",
        "changed_by",
        "notes",
    ]
    assert {"check_runs", "violations", "alembic_version"} <= tables


def test_opening_again_changes_nothing(tmp_path: Path):
    open_store(URL, tmp_path).record(entry("r1"), at=AT)
    assert [run["run_id"] for run in open_store(URL, tmp_path).runs(10)] == ["r1"]
    (run,) = open_store(URL, tmp_path).runs(10)
    assert run["written"] == 3_000_000_000


def test_runs_come_newest_first_and_by_table(tmp_path: Path):
    store = open_store(URL, tmp_path)
    for number in range(3):
        store.record(entry(f"r{number}", f"2026-11-15T12:00:0{number}.000Z"), at=AT)
    assert [run["run_id"] for run in store.runs(2)] == ["r2", "r1"]
    assert store.runs(2, "silver.other.table") == []


def test_schema_version_rises_with_the_hash_alone(tmp_path: Path):
    store = open_store(URL, tmp_path)
    table = {"table_id": "silver.a.c", "layer": "silver", "location": "/x", "format": "delta"}
    row = {"table_id": "silver.a.c", "changed_at": "now", "changed_by": "me"}
    assert store.schema_version("silver.a.c", "h1", None) == 1
    store.record({**entry("r1"), "table": table, "schema": {**row, "schema_version": 1, "schema_hash": "h1"}}, at=AT)
    assert store.schema_version("silver.a.c", "h1", None) == 1
    assert store.schema_version("silver.a.c", "h2", None) == 2
    assert store.schema_version("silver.a.c", "h2", 7) == 7


def test_many_processes_open_and_write_at_once(tmp_path: Path):
    """Six first users of one registry: the migration runs once, every acknowledged run is kept."""
    script = (
        "import sys; from pathlib import Path; from floe.registry import open_store; "
        "from tests.helpers.stores import URL, entry; "
        f"[open_store(URL, Path(sys.argv[1])).record(entry(f'{{sys.argv[2]}}-{{i}}'), at='{AT}') for i in range(5)]"
    )
    root = Path(__file__).parent.parent.parent
    started = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), str(n)], cwd=root) for n in range(6)]
    assert [process.wait(timeout=120) for process in started] == [0] * 6
    assert len(open_store(URL, tmp_path).runs(100)) == 30


def test_a_registry_of_a_newer_floe_is_refused(tmp_path: Path):
    open_store(URL, tmp_path)
    with sqlite3.connect(tmp_path / ".floe/registry.db") as base:
        base.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(RegistryError, match="newer version of floe"):
        open_store(URL, tmp_path)


def test_a_url_that_is_none(tmp_path: Path):
    with pytest.raises(RegistryError, match="not a database address"):
        open_store("registry.db", tmp_path)


def test_one_writer_of_a_table_publishes_at_a_time_and_another_table_is_free(registry_url: str, tmp_path: Path):
    store, other = open_store(registry_url, tmp_path), open_store(registry_url, tmp_path)
    seen: list[str] = []

    def second(table: str) -> None:
        with other.lock(table):
            seen.append(table)

    with store.lock("silver.a.c"):
        waits, goes = (threading.Thread(target=second, args=(table,)) for table in ("silver.a.c", "silver.a.d"))
        waits.start()
        goes.start()
        goes.join(30)
        assert seen == ["silver.a.d"]
    waits.join(30)
    assert seen == ["silver.a.d", "silver.a.c"]
